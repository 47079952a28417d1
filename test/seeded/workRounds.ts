import type { RoundOutput, WorkedRound } from './playRounds.js'

/** One worker of `playRounds`: plays the rounds that it was started with, and ends the process. */
export async function workRounds<Round, Totals>(play: (round: Round) => Promise<RoundOutput<Totals>>): Promise<void> {
  for (const round of JSON.parse(process.argv[2] ?? '[]') as Round[]) {
    const before = cpuSeconds()
    const played = await play(round)
    const output: WorkedRound<Totals> = { ...played, cpuSeconds: cpuSeconds() - before }
    await new Promise((resolve) => process.send?.(output, resolve))
  }
  // The SDK may have timers left, in real time.
  process.exit()
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
