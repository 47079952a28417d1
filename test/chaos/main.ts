import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { addTotals, type ChaosTotals, formatTotals } from './totals.js'
import type { WorkerInput, WorkerOutput } from './worker.js'

// Random schedules of faults against the client, on every core: `npm run chaos -- --runs 20000`. Prints what was
// done and what came of it; a failure prints its schedule and the command that plays it again.
//
//     --runs N                how many schedules, 2,000 by default
//     --seed N                the same seed plays the same schedules; a random one by default
//     --path P --replay R     of a failure: plays that schedule only

/** Schedules of one seed. A failure ends its round; the other rounds go on. */
const ROUND = 250

/** Rounds of one process. What a crashed page was waiting for, the SDK never lets go of. */
const ROUNDS_PER_PROCESS = 4

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 30)) },
    path: { type: 'string' },
    replay: { type: 'string' },
  },
})
const [runs, seed] = [Number(values.runs), Number(values.seed)]
if (!(Number.isInteger(runs) && runs > 0 && Number.isInteger(seed))) {
  console.error('Usage: npm run chaos -- [--runs N] [--seed N]')
  process.exit(2)
}

const count = values.path === undefined ? Math.ceil(runs / ROUND) : 1
const rounds = Array.from({ length: count }, (_, index) => ({
  seed: seed + index,
  runs: values.path === undefined ? Math.min(ROUND, runs - index * ROUND) : ROUND,
}))
const totals: ChaosTotals = {}
let failures = 0

function note(line: string): void {
  const output = JSON.parse(line) as WorkerOutput
  addTotals(totals, output.totals)
  if (output.failure !== undefined) {
    failures += 1
    console.error(`\n${output.failure}\n`)
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${totals.schedules?.times ?? 0} of ${runs} `)
}

async function work(): Promise<void> {
  while (rounds.length > 0) {
    const share = rounds.splice(0, ROUNDS_PER_PROCESS)
    const input: WorkerInput = { rounds: share, path: values.path, replayPath: values.replay }
    const argv = ['scripts/run.mjs', 'test/chaos/worker.ts', JSON.stringify(input)]
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: child.stdout }).on('line', note)
    const code = await new Promise((resolve) => child.on('close', resolve))
    if (code !== 0) failures += 1
  }
}

const startedAt = Date.now()
await Promise.all(Array.from({ length: availableParallelism() }, work))
const seconds = Math.round((Date.now() - startedAt) / 1000)
if (values.path === undefined) {
  console.log(`${totals.schedules?.times ?? 0} schedules from seed ${seed} in ${seconds} s\n\n${formatTotals(totals)}`)
}
process.exitCode = failures > 0 ? 1 : 0
