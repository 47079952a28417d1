import { run } from '../../../src/tools/cli/run.js'
import type { Terminal } from '../../../src/tools/cli/terminal.js'

export interface Ran {
  readonly exitCode: number
  /** What it printed and what it warned of. */
  readonly output: string
  readonly warnings: string
}

export interface TestTime {
  /** The timers that fire, at once, by how long they are, in ms; others never do. @default those shorter than a time limit */
  fires?: (ms: number) => boolean
  /** When those of the others do that wait by then. */
  isUp?: Promise<void>
}

/** The waits between polls are over at once; the limits that a server has never are. */
const isPause = (ms: number) => ms <= 1000

/** Runs `npx taskwire` as a function: on the real network, in a time of the test's own. */
export async function taskwire(args: readonly string[], time: TestTime = {}): Promise<Ran> {
  const terminal = testTerminal(time)
  const exitCode = await run(args, terminal)
  return { exitCode, output: terminal.output.join('\n'), warnings: terminal.warnings.join('\n') }
}

export function testTerminal({ fires = isPause, isUp }: TestTime = {}, signal = new AbortController().signal) {
  let now = 0
  const output: string[] = []
  const warnings: string[] = []
  const cleared = new Set<unknown>()
  let isPast = false
  void isUp?.then(() => {
    isPast = true
  })
  return {
    output,
    warnings,
    print: (line) => void output.push(line),
    warn: (line) => void warnings.push(line),
    environment: {
      fetch: (url, init) => fetch(url, init),
      now: () => now,
      setTimeout: (callback, ms) => {
        const handle = {}
        const fire = () => {
          if (!cleared.has(handle)) callback()
        }
        if (fires(ms)) now += ms
        if (fires(ms)) setImmediate(fire)
        else if (!isPast) void isUp?.then(fire)
        return handle
      },
      clearTimeout: (handle) => void cleared.add(handle),
    },
    lookUp: () => Promise.resolve(undefined),
    signal,
  } satisfies Terminal & { output: string[]; warnings: string[] }
}
