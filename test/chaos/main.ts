import { createHash } from 'node:crypto'
import { parseRun } from '../seeded/parseRun.js'
import { playRounds } from '../seeded/playRounds.js'
import { addTotals, type ChaosTotals, formatTotals } from './totals.js'
import type { ChaosRound, ChaosRoundTotals } from './worker.js'

// Random schedules of faults against the client, on every core: `npm run chaos -- --runs 20000`. Prints what was
// done and what came of it; a failure prints its schedule and the command that plays it again.
//
//     --runs N                how many schedules, 2,000 by default
//     --seed N                the same seed plays the same schedules; a random one by default
//     --lite                  with the client of taskwire/lite
//     --twice                 plays each schedule twice, and fails where the second time differs in anything
//     --path P --replay R     of a failure: plays that schedule only

/** Schedules of one seed. A failure ends its round; the other rounds go on. */
const ROUND = 250

const { runs, seed, path, extra, flags } = parseRun('chaos', 2000, ['replay'], ['lite', 'twice'])
const count = path === undefined ? Math.ceil(runs / ROUND) : 1
const rounds = Array.from(
  { length: count },
  (_, index): ChaosRound => ({
    seed: seed + index,
    runs: path === undefined ? Math.min(ROUND, runs - index * ROUND) : ROUND,
    path,
    replayPath: extra.replay,
    client: { kind: flags.lite ? 'lite' : 'full' },
    twice: flags.twice,
  }),
)
const totals: ChaosTotals = {}
const digests = new Map<number, string>()
let longestMs = 0
const startedAt = Date.now()
const failures = await playRounds<ChaosRound, ChaosRoundTotals>({
  worker: 'test/chaos/worker.ts',
  rounds,
  onRound: (round) => {
    addTotals(totals, round.counted)
    digests.set(round.seed, round.digest)
    longestMs = Math.max(longestMs, round.longestMs)
    return `${totals.schedules?.times ?? 0} of ${runs}`
  },
})
const seconds = Math.round((Date.now() - startedAt) / 1000)
if (path === undefined) {
  console.log(`${totals.schedules?.times ?? 0} schedules from seed ${seed} in ${seconds} s\n\n${formatTotals(totals)}`)
  // The same number before and after a change that is to change nothing says that it did not.
  const all = rounds.map((round) => digests.get(round.seed)).join()
  console.log(`\nAfter the last fault everything had ended within ${longestMs / 1000} s.`)
  console.log(`Digest of all that happened: ${createHash('sha256').update(all).digest('hex').slice(0, 16)}`)
}
process.exitCode = failures > 0 ? 1 : 0
