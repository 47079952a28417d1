import { parseRun } from '../seeded/parseRun.js'
import { playRounds } from '../seeded/playRounds.js'
import { type FuzzTarget, TARGETS } from './runFuzz.js'
import { addTotals, type FuzzTotals, formatTotals } from './totals.js'
import type { FuzzRound } from './worker.js'

// Random input for the client and the server, on every core: `npm run fuzz -- --runs 20000`. Prints what was mangled
// and what came of it; a failure prints its input, made small, and the command that plays it again.

/** Runs of one seed. A failure ends its round; the other rounds go on. */
const ROUND = 250

const { runs, seed, values } = parseRun('fuzz', 2000, {
  '--runs N': 'how many runs, 2,000 by default, the same number for each target',
  '--seed N': 'the same seed plays the same runs; a random one by default',
  '--target T': `only this one: ${TARGETS.join(', ')}`,
  '--path P': 'of a failure: plays that input only',
})
const { path } = values
const targets = TARGETS.filter((target) => values.target === undefined || target === values.target)
if (targets.length === 0) {
  console.error(`There is no target ${values.target}. The targets are: ${TARGETS.join(', ')}.`)
  process.exit(2)
}

/** The rounds of a target. Every target has the same seeds, so that a failure of one is found again without the others. */
function roundsOf(target: FuzzTarget): FuzzRound[] {
  if (path !== undefined) return [{ target, seed, runs: ROUND, path }]
  const share = Math.ceil(runs / targets.length)
  return Array.from({ length: Math.ceil(share / ROUND) }, (_, index) => ({
    target,
    seed: seed + index,
    runs: Math.min(ROUND, share - index * ROUND),
  }))
}

const totals: FuzzTotals = {}
const startedAt = Date.now()
const failures = await playRounds<FuzzRound, FuzzTotals>({
  worker: 'test/fuzz/worker.ts',
  rounds: targets.flatMap(roundsOf),
  onRound: (counted) => {
    addTotals(totals, counted)
    return `${totals.runs?.times ?? 0} of ${runs}`
  },
})
const seconds = Math.round((Date.now() - startedAt) / 1000)
if (path === undefined) {
  console.log(`${totals.runs?.times ?? 0} runs from seed ${seed} in ${seconds} s\n\n${formatTotals(totals)}`)
}
process.exitCode = failures > 0 ? 1 : 0
