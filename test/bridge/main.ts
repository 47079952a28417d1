import { parseRun } from '../seeded/parseRun.js'
import { playRounds } from '../seeded/playRounds.js'
import { hoursOf, keepSeen, playedNow } from '../seeded/seen.js'
import type { BridgeRound } from './worker.js'

// Random schedules of faults between pages and their backend, on every core: `npm run chaos:bridge -- --runs 20000`. A failure
// prints the command that plays its schedule again.

const ROUND = 250

const { runs, seed, values, refuse } = parseRun('chaos:bridge', 2000, {
  '--runs N': 'how many schedules, 2,000 by default',
  '--seed N': 'the first of their seeds; a random one by default',
  '--steps N': 'how much happens in each, 100 by default',
  '--record': 'keeps what came of it for docs/project/durability.md, which `npm run docs:write` writes',
})
const steps = Number(values.steps ?? 100)
if (!Number.isInteger(steps) || steps < 1) refuse(`--steps ${values.steps} is not a number of steps.`)
let played = 0
const startedAt = Date.now()
let cpuSeconds = 0
const failures = await playRounds<BridgeRound, number>({
  worker: 'test/bridge/worker.ts',
  rounds: Array.from({ length: Math.ceil(runs / ROUND) }, (_, index) => ({
    seed: seed + index * ROUND,
    runs: Math.min(ROUND, runs - index * ROUND),
    steps,
  })),
  onRound: (count, itsCpuSeconds) => {
    cpuSeconds += itsCpuSeconds
    played += count
    return `${played} of ${runs}`
  },
})
const seconds = Math.round((Date.now() - startedAt) / 1000)
console.log(`${played} schedules of ${steps} steps from seed ${seed} in ${seconds} s`)
if (values.record) {
  const command = `npm run chaos:bridge -- --runs ${runs} --seed ${seed} --steps ${steps}`
  const run = { command, ...playedNow(), schedules: played, failures, hours: hoursOf(cpuSeconds) }
  keepSeen({ runs: { [`\`taskwire/bridge\`, seed ${seed}`]: run } })
}
process.exitCode = failures > 0 ? 1 : 0
