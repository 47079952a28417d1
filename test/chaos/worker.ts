import { createHash } from 'node:crypto'
import { workRounds } from '../seeded/workRounds.js'
import { replayCommand, runChaos } from './runChaos.js'
import { addRun, type ChaosTotals } from './totals.js'
import type { ClientOptions } from './world.js'

// Schedules call one key with other arguments on purpose; a developer's warnings would hide the table.
process.env['NODE_ENV'] = 'production'

/** What one round of `npm run chaos` plays. */
export interface ChaosRound {
  readonly seed: number
  readonly runs: number
  readonly path?: string | undefined
  readonly replayPath?: string | undefined
  readonly client?: ClientOptions | undefined
  readonly twice: boolean
}

/** What one round has counted, and the digest of all that happened in it. */
export interface ChaosRoundTotals {
  readonly counted: ChaosTotals
  readonly seed: number
  readonly digest: string
  /** The longest time that a schedule took to settle after its last fault. */
  readonly longestMs: number
}

await workRounds<ChaosRound, ChaosRoundTotals>(async (round) => {
  const counted: ChaosTotals = {}
  const digests = createHash('sha256')
  let longestMs = 0
  const failure = await runChaos({
    ...round,
    onRun: ({ counts, digest, settledMs }) => {
      addRun(counted, counts)
      digests.update(digest)
      longestMs = Math.max(longestMs, settledMs)
    },
  })
  return {
    totals: { counted, seed: round.seed, digest: digests.digest('hex'), longestMs },
    failure:
      failure && `${failure.report}\n\n${replayCommand(failure)}${round.client?.kind === 'lite' ? ' --lite' : ''}`,
  }
})
