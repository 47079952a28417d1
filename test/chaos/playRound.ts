import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { ClientKind } from '../support/createClientOf.js'
import { addCoverage, type Coverage } from './coverage.js'
import { toFragment, toSteps, watchCommand } from './recording.js'
import { type ChaosFailure, replayCommand, runChaos } from './runChaos.js'
import { addRun, type ChaosTotals } from './totals.js'

/** Schedules of one seed. */
export interface ChaosRound {
  readonly seed: number
  readonly runs: number
  readonly path?: string | undefined
  readonly replayPath?: string | undefined
  readonly kind?: ClientKind | undefined
  /** Half of the pages have an earlier version of `taskwire/lite`. */
  readonly versions?: 'one' | 'two' | undefined
  /** Plays each schedule a second time, and compares. */
  readonly twice: boolean
  /** A folder that gets all that happened, a file for each seed. */
  readonly journals?: string | undefined
  /** Makes the link of this schedule, counted from 1, for the page docs/replay.md. */
  readonly link?: number | undefined
}

/** What one round has counted, and the digest of all that happened in it. */
export interface ChaosRoundTotals {
  readonly counted: ChaosTotals
  readonly seed: number
  readonly kind: ClientKind
  readonly digest: string
  /** How long schedules took to settle after their last fault: how many took so many ms. */
  readonly settled: Readonly<Record<number, number>>
  readonly coverage: Coverage
  /** The fragment of the link. */
  readonly link: string | undefined
}

/** A round that was played. */
export interface PlayedRound {
  readonly totals: ChaosRoundTotals
  /** What went wrong, and how to see it again. */
  readonly failure: string | undefined
}

/** Plays the schedules of a round up to the first that fails. */
export async function playRound(round: ChaosRound): Promise<PlayedRound> {
  const { seed, kind = 'full', versions = 'one' } = round
  const counted: ChaosTotals = {}
  const digests = createHash('sha256')
  const journal =
    round.journals === undefined ? undefined : createWriteStream(join(round.journals, `${kind}-${seed}.txt`))
  const settled: Record<number, number> = {}
  const coverage: Coverage = {}
  let played = 0
  let link: string | undefined
  const failure = await runChaos({
    ...round,
    client: { kind, versions },
    onRun: (run) => {
      addRun(counted, run.counts)
      digests.update(run.digest)
      if (run.settledMs !== undefined) settled[run.settledMs] = (settled[run.settledMs] ?? 0) + 1
      addCoverage(
        coverage,
        [...run.reached].map((pair) => [pair, 1]),
      )
      played += 1
      if (played === round.link) link = toFragment(`Schedule ${played} of seed ${seed}`, toSteps(run.journal))
      journal?.write(`# schedule ${played}\n${run.journal.join('\n')}\n`)
    },
  })
  await new Promise<void>((resolve) => (journal === undefined ? resolve() : journal.end(resolve)))
  return {
    totals: { counted, seed, kind, digest: digests.digest('hex').slice(0, 16), settled, coverage, link },
    failure: failure && reportOf(failure, versions === 'two' ? ' --skew' : kind === 'lite' ? ' --lite' : ''),
  }
}

function reportOf(failure: ChaosFailure, flag: string): string {
  const [title = ''] = failure.report.split('\n')
  const link = toFragment(title, toSteps(failure.journal))
  return `${failure.report}\n\n${replayCommand(failure)}${flag}\n${watchCommand(link)}`
}
