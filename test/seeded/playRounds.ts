import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** What a worker says of a round. */
export interface RoundOutput<Totals> {
  readonly totals: Totals
  /** What went wrong, and how to see it again. */
  readonly failure?: string | undefined
}

/** What a worker sends: with the time of its process that the round has used, in seconds. */
export interface WorkedRound<Totals> extends RoundOutput<Totals> {
  readonly cpuSeconds: number
}

export interface PlayRoundsOptions<Round, Totals> {
  /** The TypeScript file of the worker, which calls `workRounds`. */
  readonly worker: string
  readonly rounds: readonly Round[]
  /** Called with what each round has counted and the seconds of a processor that it took. Returns the progress, for the terminal. */
  readonly onRound: (totals: Totals, cpuSeconds: number) => string
  /** How many rounds a process plays before another one takes its place. @default 4 */
  readonly roundsPerProcess?: number
}

/** Rounds of one process. What a crashed page was waiting for, the SDK never lets go of. */
const ROUNDS_PER_PROCESS = 4

/** Plays rounds on every core and prints the failures. Returns how many there were. */
export async function playRounds<Round, Totals>(options: PlayRoundsOptions<Round, Totals>): Promise<number> {
  const { roundsPerProcess = ROUNDS_PER_PROCESS } = options
  const rounds = [...options.rounds]
  let failures = 0

  function note({ totals, failure, cpuSeconds }: WorkedRound<Totals>): void {
    const progress = options.onRound(totals, cpuSeconds)
    if (failure !== undefined) {
      failures += 1
      console.error(`\n${failure}\n`)
    }
    process.stderr.write(process.stderr.isTTY ? `\r${progress} ` : `${progress}\n`)
  }

  async function work(): Promise<void> {
    while (rounds.length > 0) {
      const share = JSON.stringify(rounds.splice(0, roundsPerProcess))
      const argv = ['scripts/run.mjs', options.worker, share]
      // Not by its output: the SDK writes to the console, too.
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      child.on('message', note)
      const code = await new Promise((resolve) => child.on('close', resolve))
      if (code !== 0) {
        failures += 1
        console.error(`\nA worker has ended with ${code}. Its rounds: ${share}\n`)
      }
    }
  }

  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failures
}
