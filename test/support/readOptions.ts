import { parseArgs } from 'node:util'

/** Of `--runs N`: `runs`. */
type NamedBy<Option extends string> = Option extends `--${infer Name} ${string}` ? Name : never

/** Of `--lite`: `lite`. */
type FlagOf<Option extends string> = Option extends `${string} ${string}`
  ? never
  : Option extends `--${infer Name}`
    ? Name
    : never

export interface Given<Option extends string> {
  readonly values: Readonly<Partial<Record<NamedBy<Option>, string> & Record<FlagOf<Option>, boolean>>>
  readonly positionals: readonly string[]
  /** Ends the process: says what is wrong with the command line, and how the program is used. */
  readonly refuse: (problem: string) => never
}

/**
 * Reads the command line of a program of package.json. `--help` prints how it is used, and an option that there is not is refused.
 *
 * @param options what each option does, by how it is written: `--runs N`, or `--lite`
 * @param words what else it takes; without them it takes nothing else
 */
export function readOptions<Option extends `--${string}`>(
  command: string,
  options: Readonly<Record<Option, string>>,
  words?: string,
): Given<Option> {
  const written = Object.entries<string>({ ...options, '--help': 'prints this' })
  const width = Math.max(...written.map(([option]) => option.length))
  const usage = [
    `Usage: npm run ${command} -- [OPTIONS]${words === undefined ? '' : ` ${words}`}\n`,
    ...written.map(([option, what]) => `  ${option.padEnd(width)}  ${what}`),
  ].join('\n')
  const refuse = (problem: string): never => {
    console.error(`${problem}\n\n${usage}`)
    process.exit(1)
  }
  const known = written.map(([option]) => {
    const [name = '', value] = option.slice('--'.length).split(' ')
    return [name, { type: value === undefined ? 'boolean' : 'string' }] as const
  })
  try {
    const { values, positionals } = parseArgs({
      options: Object.fromEntries(known),
      allowPositionals: words !== undefined,
    })
    if (!values['help']) return { values: values as Given<Option>['values'], positionals, refuse }
  } catch (error) {
    // Node's second sentence is about arguments that begin with a dash.
    const [problem] = (error as Error).message.split(/\. |\.?$/)
    refuse(`${problem}.`)
  }
  console.log(usage)
  process.exit()
}
