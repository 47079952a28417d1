import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { asError } from '../../core/protocol/asError.js'
import { CliError } from './cliError.js'

type Values<T extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: T; strict: true; allowPositionals: true }>
>['values']

/** The arguments of a command, which takes one word beside its options. */
export function readArguments<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  command: string,
): { readonly values: Values<T>; readonly target: string | undefined } {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    const [target, ...more] = parsed.positionals
    if (more.length > 0) throw new CliError(`One argument is too many: ${more.join(' ')}.`)
    return { values: parsed.values, target }
  } catch (error) {
    // Node's second sentence is about arguments that begin with a dash, which none of ours does.
    const [sentence = ''] = asError(error).message.split(/\. |\.$/)
    throw new CliError(`${sentence}. See: npx taskwire ${command} --help`, { cause: error })
  }
}

/** True for what is a URL and no path of a file. */
export function isUrl(target: string): boolean {
  return /^https?:/i.test(target)
}

export function readUrl(target: string): URL {
  const url = isUrl(target) && URL.canParse(target) ? new URL(target) : undefined
  if (url?.username || url?.password) {
    throw new CliError(
      "The URL has a user name or a password in it, which no page can send. Pass them as a header: --header 'Authorization: Basic …'",
    )
  }
  if (url !== undefined) return url
  throw new CliError(
    `"${target}" is not an http: or https: URL. Pass that of the MCP endpoint, such as https://api.example/mcp.`,
  )
}

/** Headers as `--header` takes them, one each. */
export function readHeaders(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\x20-\x7e\t]*)$/.exec(header) ?? []
      if (name === '') {
        const shown = header.slice(0, 20)
        throw new CliError(`"${shown}" is not a header. Pass a name and a value: --header 'Authorization: Bearer …'`)
      }
      return [name.toLowerCase(), value.trim()]
    }),
  )
}

/** A number of seconds, as ms. */
export function readSeconds(option: string, value: string | undefined, fallbackMs: number): number {
  if (value === undefined) return fallbackMs
  const seconds = Number(value)
  if (value.trim() !== '' && seconds >= 0 && seconds <= MAX_SECONDS) return seconds * 1000
  throw new CliError(`--${option} "${value}" is not a number of seconds. Pass one between 0 and ${MAX_SECONDS}.`)
}

/** An hour. */
const MAX_SECONDS = 3600
