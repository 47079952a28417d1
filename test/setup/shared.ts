import { afterAll, beforeAll, expect, vi } from 'vitest'

// For files that share their worker and the modules of `src`. Each leaves it to the next one as it has found it: timers end with the file, as
// they would with a process of its own, and what else goes on, or is there, fails it.

type Global = typeof globalThis & { timersOfFile?: Set<NodeJS.Timeout> }
const { timersOfFile } = globalThis as Global
const timers = timersOfFile ?? new Set<NodeJS.Timeout>()

/** Once for each worker: a module that has kept a timer function keeps this one. */
if (timersOfFile === undefined) {
  Object.defineProperty(globalThis, 'timersOfFile', { value: timers })
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const start = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout
    const kept = (...args: unknown[]): NodeJS.Timeout => {
      const timer = start(...args)
      timers.add(timer)
      return timer
    }
    // `promisify(setTimeout)` has a version of its own.
    Object.defineProperty(globalThis, name, {
      value: Object.defineProperties(kept, Object.getOwnPropertyDescriptors(start)),
      configurable: true,
      writable: true,
    })
  }
}

/** What comes and goes by itself, and what Vitest needs to talk to a worker. */
const PASSING = /^(?:Timeout|Immediate|TickObject|Microtask|MessagePort|CloseReq|FSReq)/

function whatIsThere() {
  return {
    resources: process.getActiveResourcesInfo().filter((kind) => !PASSING.test(kind)),
    // Packages keep what they share under names that begin so.
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__')),
    fetch: globalThis.fetch,
    listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
    variables: { ...process.env },
  }
}

let before: ReturnType<typeof whatIsThere>
beforeAll(() => {
  before = whatIsThere()
})

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const timer of timers) clearTimeout(timer)
  timers.clear()
  expect(whatIsThere(), 'what this file leaves to the next one in its worker').toEqual(before)
})
