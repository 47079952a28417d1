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

/** What was played last, by command and by world: the tables of docs/project/durability.md. */
export interface Seen {
  readonly runs: Readonly<Record<string, SeenRun>>
  readonly worlds: Readonly<Record<string, SeenWorld>>
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

/** Keeps what was played, in place of what the same command, or the same world, has played before. */
export function keepSeen({ runs = {}, worlds = {} }: Partial<Seen>): void {
  const seen: Seen = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { runs: {}, worlds: {} }
  const next: Seen = { runs: { ...seen.runs, ...runs }, worlds: { ...seen.worlds, ...worlds } }
  writeFileSync(FILE, `${JSON.stringify(next, null, 2)}\n`)
}

export const hoursOf = (cpuSeconds: number): number => Math.round(cpuSeconds / 36) / 100
