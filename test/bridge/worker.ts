import { workRounds } from '../seeded/workRounds.js'
import { playSchedule } from './schedule.js'

/** What one round of `npm run chaos:bridge` plays. */
export interface BridgeRound {
  readonly seed: number
  readonly runs: number
  readonly steps: number
}

await workRounds<BridgeRound, number>(async ({ seed, runs, steps }) => {
  const failures: string[] = []
  for (let run = seed; run < seed + runs; run++) {
    const problems = await playSchedule(run, steps)
    if (problems.length === 0) continue
    failures.push(
      `${problems.join('\n')}\n\nTo play it again: npm run chaos:bridge -- --seed ${run} --runs 1 --steps ${steps}`,
    )
  }
  return { totals: runs, failure: failures.length === 0 ? undefined : failures.join('\n\n') }
})
