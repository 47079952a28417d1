import { createTally } from './faults.js'
import { runChaos } from './runChaos.js'

// One worker of `npm run chaos`: plays its share and prints what came of it as a line of JSON.
const [, , runs, seed, path, replayPath] = process.argv
const tally = createTally()
const failure = await runChaos({
  runs: Number(runs),
  seed: Number(seed),
  path: path || undefined,
  replayPath: replayPath || undefined,
  tally,
})
// The SDK may have timers left, in real time.
process.stdout.write(`${JSON.stringify({ counts: tally.counts, failure })}\n`, () => process.exit())
