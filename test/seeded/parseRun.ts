import { type Given, readOptions } from '../support/readOptions.js'

/** What `--runs` and `--seed` say, and the other options. */
export interface RunOptions<Option extends string> extends Given<Option> {
  readonly runs: number
  readonly seed: number
}

/**
 * Reads the command line of a program that plays random runs, and ends the process where it makes no sense.
 * The seed is a random one by default.
 */
export function parseRun<Option extends `--${string}`>(
  command: string,
  defaultRuns: number,
  options: Readonly<Record<Option | '--runs N' | '--seed N', string>>,
): RunOptions<Option> {
  const given = readOptions<Option>(command, options)
  const { runs: ofRuns, seed: ofSeed } = given.values as { readonly runs?: string; readonly seed?: string }
  const runs = Number(ofRuns ?? defaultRuns)
  const seed = Number(ofSeed ?? Math.floor(Math.random() * 2 ** 30))
  if (!(Number.isInteger(runs) && runs > 0)) given.refuse(`--runs ${ofRuns} is not a number of runs.`)
  if (!Number.isInteger(seed)) given.refuse(`--seed ${ofSeed} is not a whole number.`)
  return { ...given, runs, seed }
}
