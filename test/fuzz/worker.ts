import { workRounds } from '../seeded/workRounds.js'
import { type FuzzOptions, replayCommand, runFuzz } from './runFuzz.js'
import { addRun, type FuzzTotals } from './totals.js'
import { warmUp } from './warmUp.js'

/** What one round of `npm run fuzz` plays. */
export type FuzzRound = Pick<FuzzOptions, 'target' | 'runs' | 'seed' | 'path'>

await warmUp()
await workRounds<FuzzRound, FuzzTotals>(async (round) => {
  const totals: FuzzTotals = {}
  const failure = await runFuzz({ ...round, onRun: (counts) => addRun(totals, counts) })
  return { totals, failure: failure && `${failure.report}\n\n${replayCommand(failure)}` }
})
