/**
 * The rooms of `src` whose tests are tested, and the tests that may kill a mutant there: those beside it, and those of other
 * rooms and of `test/` that are about it. They need no browser, no process and no socket, and take a second or two together:
 * a mutant that survives has run all that reach it.
 */
const rooms: Record<string, readonly string[]> = {
  tabs: ['src/call/callRuntime', 'test/tabs'],
  storage: ['src/call/callRecord', 'src/call/callRuntime', 'test/edges/storage{Space,Versions}'],
  protocol: ['test/spec/wire'],
  call: ['test/inputRequests', 'test/push', 'test/tabs'],
  client: [
    'src/lite/*',
    'test/{callArguments,callMeta,connecting,earlierVisits,errors,idempotentCalls,observe,observeWire,push,signIn,tabs}',
    'test/edges/{endpoint,sameOrigin,storageLost,storageSession,tabsOneTask}',
  ],
  connection: [
    'src/call/inputResponses',
    'src/lite/*',
    'test/{callArguments,callMeta,connecting,errors,progress,push,signIn,wireOfBoth}',
    'test/edges/{frameworksConnect,legacyToolsList,undeclaredInput}',
    'test/spec/wire',
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
  'each type of observation and each reason is documented',
]

/** The globs of the tests that may kill a mutant of the room. */
export function testsOf(room: string): string[] {
  return [`src/${room}/**/*.test.ts`, ...(rooms[room] ?? []).map((path) => `${path}.test.ts`)]
}
