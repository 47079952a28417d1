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
}

await workRounds<ChaosRound, ChaosTotals>(async (round) => {
  const totals: ChaosTotals = {}
  const failure = await runChaos({ ...round, onRun: (counts) => addRun(totals, counts) })
  return {
    totals,
    failure:
      failure && `${failure.report}\n\n${replayCommand(failure)}${round.client?.kind === 'lite' ? ' --lite' : ''}`,
  }
})
