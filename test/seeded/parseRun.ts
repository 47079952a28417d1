import { parseArgs } from 'node:util'

/** What `--runs`, `--seed` and the options of a replay say. */
export interface RunOptions<Extra extends string, Flag extends string> {
  readonly runs: number
  readonly seed: number
  /** Of a failure: only its run is played. */
  readonly path: string | undefined
  readonly extra: Readonly<Partial<Record<Extra, string>>>
  readonly flags: Readonly<Record<Flag, boolean>>
}

/**
 * Reads the command line of a command that plays random runs, and ends the process where it makes no sense.
 * The seed is a random one by default.
 */
export function parseRun<Extra extends string = never, Flag extends string = never>(
  command: string,
  defaultRuns: number,
  extra: readonly Extra[] = [],
  flags: readonly Flag[] = [],
): RunOptions<Extra, Flag> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      ...{ runs: text, seed: text, path: text, ...Object.fromEntries(extra.map((name) => [name, text])) },
      ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' } as const])),
    },
  })
  const given = values as Readonly<Record<string, string | undefined>>
  const runs = Number(given['runs'] ?? defaultRuns)
  const seed = Number(given['seed'] ?? Math.floor(Math.random() * 2 ** 30))
  if (!(Number.isInteger(runs) && runs > 0 && Number.isInteger(seed))) {
    console.error(`Usage: npm run ${command} -- [--runs N] [--seed N]`)
    process.exit(2)
  }
  const own = extra.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]))
  return {
    runs,
    seed,
    path: given['path'],
    extra: Object.fromEntries(own) as RunOptions<Extra, Flag>['extra'],
    flags: Object.fromEntries(flags.map((name) => [name, name in given])) as RunOptions<Extra, Flag>['flags'],
  }
}
