import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What a command has played, and what came of it. */
export interface SeenRun {
  readonly command: string
  readonly commit: string
  /** As YYYY-MM-DD. */
  readonly date: string
  readonly schedules: number
  readonly failures: number
  /** Of a processor, on all cores together. */
  readonly hours: number
  /** In which everything had ended after the last fault, in seconds. */
  readonly settledWithinS?: number
  /** What no schedule has reached. */
  readonly neverReached?: readonly string[]
  /** The fragment by which docs/replay.md plays one of the schedules. */
  readonly link?: string
  /** By what happened: in how many schedules, how often, and in how many of those something was lost, done twice or unequal. */
  readonly faults?: Readonly<
    Record<string, readonly [schedules: number, times: number, lost: number, twice: number, unequal: number]>
  >
}

/** A world all orders of which were walked, or as many as there was time for. */
export interface SeenWorld {
  readonly commit: string
  readonly date: string
  readonly states: number
  readonly steps: number
  /** Every way of so many steps was walked; where the world is whole, there is no longer one. */
  readonly depth: number
  readonly isWhole: boolean
  readonly ends: number
  readonly hours: number
}

/** Real processes of a backend over a real database, which were killed and frozen. */
export interface SeenProcesses {
  readonly command: string
  readonly commit: string
  readonly date: string
  /** Started by pages. */
  readonly calls: number
  readonly completed: number
  /** Cancelled by their pages. */
  readonly cancelled: number
  /** Ended with a `ToolCallInterruptedError`. */
  readonly interrupted: number
  readonly kills: number
  readonly stops: number
  readonly failures: number
}

/** What was played last, by command, by world and by database: the tables of docs/project/durability.md. */
export interface Seen {
  readonly runs: Readonly<Record<string, SeenRun>>
  readonly worlds: Readonly<Record<string, SeenWorld>>
  readonly processes: Readonly<Record<string, SeenProcesses>>
}

const FILE = fileURLToPath(new URL('seen.json', import.meta.url))

/** Which code was played, and when. */
export function playedNow(): Pick<SeenRun, 'commit' | 'date'> {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--', 'src', 'test', ':!test/seeded/seen.json') !== ''
  return {
    commit: `${git('rev-parse', '--short=8', 'HEAD')}${isChanged ? ', changed' : ''}`,
    date: new Date().toISOString().slice(0, 10),
  }
}

/** Keeps what was played, in place of what the same command, the same world or the same database has played before. */
export function keepSeen({ runs, worlds, processes }: Partial<Seen>): void {
  const seen: Partial<Seen> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
  const next: Seen = {
    runs: { ...seen.runs, ...runs },
    worlds: { ...seen.worlds, ...worlds },
    processes: { ...seen.processes, ...processes },
  }
  writeFileSync(FILE, `${JSON.stringify(next, null, 2)}\n`)
}

export const hoursOf = (cpuSeconds: number): number => Math.round(cpuSeconds / 36) / 100
