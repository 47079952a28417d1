import { replayCommand, runChaos } from './runChaos.js'
import { addRun, type ChaosTotals } from './totals.js'

/** What a worker is given, as JSON. */
export interface WorkerInput {
  readonly rounds: readonly { readonly seed: number; readonly runs: number }[]
  readonly path?: string | undefined
  readonly replayPath?: string | undefined
}

/** What it says of each round, as a line of JSON. */
export interface WorkerOutput {
  readonly totals: ChaosTotals
  /** What went wrong, and how to see it again. */
  readonly failure?: string | undefined
}

// One worker of `npm run chaos`: plays its rounds.
const { rounds, path, replayPath } = JSON.parse(process.argv[2] ?? '') as WorkerInput

for (const { seed, runs } of rounds) {
  const totals: ChaosTotals = {}
  const failure = await runChaos({ runs, seed, path, replayPath, onRun: (counts) => addRun(totals, counts) })
  const output: WorkerOutput = { totals, failure: failure && `${failure.report}\n\n${replayCommand(failure)}` }
  process.stdout.write(`${JSON.stringify(output)}\n`)
}
// The SDK may have timers left, in real time.
process.stdout.write('', () => process.exit())
