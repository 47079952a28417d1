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
  client: ['src/lite/*', 'test/{callMeta,observe,observeWire,signIn,tabs}', 'test/edges/endpoint'],
  connection: ['test/{connecting,push,wireOfBoth}', 'test/edges/{endpoint,legacyToolsList}', 'test/spec/wire'],
}

/** The globs of the tests that may kill a mutant of the room. */
export function testsOf(room: string): string[] {
  return [`src/${room}/**/*.test.ts`, ...(rooms[room] ?? []).map((path) => `${path}.test.ts`)]
}
