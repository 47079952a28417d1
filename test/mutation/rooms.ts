/**
 * The rooms of `src` whose tests are tested, and the tests that may kill a mutant there: those beside it, and those of other
 * rooms and of `test/` that are about it. They need no browser, no process and no socket, and take a second or two together:
 * a mutant that survives has run all that reach it.
 */
const rooms: Record<string, readonly string[]> = {
  'core/record': [
    'test/durability/*',
    'test/edges/{callsMadeAnew,clock,clockSetBack,clockSetForward,inputTwice,keyConflict,storageVersions}',
    'test/edges/{tabsMessages,tabsOneTask,tabsThawed,tabsUnreadable,taskIdReused,undeclaredInput}',
    'test/spec/{inputRequests,taskLifecycle,wire}',
    'test/{anotherDevice,earlierVisits,idempotentCalls,inputRequests,keptResults,meta,observe,pollsMade,progress,push,tabs}',
  ],
  'core/protocol': ['test/spec/wire'],
  'core/run': ['test/durability/*', 'test/{idempotentCalls,inputRequests,push,tabs}'],
  'core/storage': ['test/durability/storage', 'test/edges/storage{Space,Versions}'],
  'core/tabs': ['test/tabs', 'test/edges/{tabsMessages,tabsUnconnected}'],
  'core/time': ['test/durability/{clock,polls}'],
  'core/client': [
    'src/core/lite/*',
    'test/{callArguments,callMeta,connecting,earlierVisits,errors,idempotentCalls,observe,observeWire,push,signIn,tabs}',
    'test/edges/{endpoint,sameOrigin,storageLost,storageSession,tabsOneTask}',
  ],
  'core/wire': [
    'src/core/lite/*',
    'test/{callArguments,callMeta,connecting,errors,progress,push,signIn,wireOfBoth}',
    'test/edges/{frameworksConnect,legacyToolsList,undeclaredInput}',
    'test/spec/wire',
  ],
  sdk: [
    'test/{connecting,errors,progress,signIn,wireOfBoth}',
    'test/edges/{frameworksConnect,legacyToolsList,undeclaredInput}',
  ],
}

/**
 * What the names of tests say that are left out: those that take seconds, since every survivor would run them, and one that
 * reads the sources.
 */
export const leftOut: readonly string[] = [
  'is given up after a while',
  'outlives it with resetTimeoutAfterMs',
  'a page that makes hundreds of calls within a minute',
  'a page that makes call after call with keys',
  'leaves no trace of 100 calls',
  'takes a time that grows with the form',
  'is 28 hex digits, whatever the text',
  'meets nowhere in 100,000',
  'differs in both halves for texts',
  'each type of observation and each reason is documented',
]

/** The globs of the tests that may kill a mutant of the room. */
export function testsOf(room: string): string[] {
  return [`src/${room}/**/*.test.ts`, ...(rooms[room] ?? []).map((path) => `${path}.test.ts`)]
}
