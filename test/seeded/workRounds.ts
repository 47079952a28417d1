import type { RoundOutput } from './playRounds.js'

/** One worker of `playRounds`: plays the rounds that it was started with, and ends the process. */
export async function workRounds<Round, Totals>(play: (round: Round) => Promise<RoundOutput<Totals>>): Promise<void> {
  for (const round of JSON.parse(process.argv[2] ?? '[]') as Round[]) {
    const output = await play(round)
    await new Promise((resolve) => process.send?.(output, resolve))
  }
  // The SDK may have timers left, in real time.
  process.exit()
}
