import { isUrl, readArguments, readHeaders, readSeconds, readUrl } from '../arguments.js'
import { CliError } from '../cliError.js'

/** What the command line asks for. */
export interface GatewayArguments {
  readonly isHelp: boolean
  readonly behind: { readonly command: string; readonly args: string[] } | { readonly url: URL }
  /** Sent to the server behind, where that has a URL. */
  readonly headers: Record<string, string>
  readonly host: string
  readonly port: number
  readonly origins: readonly string[]
  readonly token: string | undefined
  /** Whether there is a page at `/` to call the tools from. */
  readonly hasPage: boolean
  readonly afterMs: number
  readonly tasks: readonly string[]
  readonly repeat: readonly string[]
  /** A module that exports jobs. */
  readonly jobsFile: string | undefined
}

export const GATEWAY_HELP = `Usage: npx taskwire gateway [options] -- <command> [arguments]
       npx taskwire gateway [options] <url>

Serves the tools of an MCP server to web pages, on http://127.0.0.1:3000/mcp, with a page at http://127.0.0.1:3000 to call them
from. The server is a command that speaks over stdio, or a URL. A slow call becomes a task: it survives a reload, shows progress
and can be cancelled.

  --allow-origin <origin>  the origin of a page that may call, such as http://localhost:5173; may be repeated
  --after <seconds>        a call that has not ended by then becomes a task (2)
  --tasks <names>          tools whose calls become tasks at once, with commas between them
  --repeat <names>         tools that may run again if the server stops during a call, beside those whose annotations say so
  --jobs <file>            a module whose default export is a list of jobs, made by defineJob of taskwire/jobs
  --header <header>        'Name: value', sent to the server behind a URL; may be repeated
  --port <number>          where to listen (3000)
  --host <address>         where to listen (127.0.0.1); any other address needs --allow-origin and a token
  --token <token>          a bearer token that callers must send; TASKWIRE_TOKEN in the environment keeps it off the screen
  --no-page                without the page at /

The command gets the environment of this terminal, without TASKWIRE_TOKEN.`

const OPTIONS = {
  'allow-origin': { type: 'string', multiple: true },
  after: { type: 'string' },
  tasks: { type: 'string' },
  repeat: { type: 'string' },
  jobs: { type: 'string' },
  header: { type: 'string', multiple: true },
  port: { type: 'string' },
  host: { type: 'string' },
  token: { type: 'string' },
  'no-page': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const DEFAULT_AFTER_MS = 2000
const DEFAULT_PORT = 3000

/** True for an address that this machine alone can call. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/.test(host)

/**
 * Reads the command line.
 *
 * @throws {CliError} if it makes no sense, or would open the server to others.
 */
export function readGatewayArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): GatewayArguments {
  const dashes = args.indexOf('--')
  const [command, ...rest] = dashes === -1 ? [] : args.slice(dashes + 1)
  const { values, target } = readArguments(dashes === -1 ? args : args.slice(0, dashes), OPTIONS, 'gateway')
  const read: Omit<GatewayArguments, 'behind'> = {
    isHelp: values.help === true,
    headers: readHeaders(values.header ?? []),
    host: values.host ?? '127.0.0.1',
    port: readPort(values.port),
    origins: (values['allow-origin'] ?? []).map(readOrigin),
    hasPage: values['no-page'] !== true,
    token: readToken(values.token ?? env['TASKWIRE_TOKEN']),
    afterMs: readAfter(values.after),
    tasks: readNames(values.tasks),
    repeat: readNames(values.repeat),
    jobsFile: values.jobs,
  }
  if (read.isHelp) return { ...read, behind: { command: '', args: [] } }
  refuseOpenDoors(read)
  if (command !== undefined && target === undefined) {
    if (values.header !== undefined) {
      throw new CliError('--header is for a server behind a URL. A command gets its secrets from its environment.')
    }
    return { ...read, behind: { command, args: rest } }
  }
  if (command === undefined && target !== undefined && isUrl(target))
    return { ...read, behind: { url: readUrl(target) } }
  throw new CliError(
    'Which server? Pass its command after two dashes, or its URL:\n\n' +
      '  npx taskwire gateway -- npx -y some-mcp-server\n  npx taskwire gateway https://api.example/mcp',
  )
}

/** A caller runs the tools of the server behind, so others than this machine need a token. */
function refuseOpenDoors({ host, origins, token }: Omit<GatewayArguments, 'behind'>): void {
  if (isLoopback(host) || (origins.length > 0 && token !== undefined)) return
  throw new CliError(
    `--host ${host} lets other machines call the tools of this server. Name the pages that may, and a token that callers must ` +
      'send: --allow-origin https://app.example, and TASKWIRE_TOKEN in the environment.',
  )
}

function readOrigin(given: string): string {
  if (given === '*' || (URL.canParse(given) && new URL(given).origin === given)) return given
  throw new CliError(
    `--allow-origin "${given}" is not an origin. Pass scheme, host and port only, such as http://localhost:5173.`,
  )
}

function readToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined
  if (/^[\w.~+/=-]{16,}$/.test(token)) return token
  throw new CliError(
    'The token is too short, or has characters that no bearer token has. Use 16 or more letters, digits and -._~+/=',
  )
}

function readAfter(given: string | undefined): number {
  const ms = readSeconds('after', given?.replace(/s$/, ''), DEFAULT_AFTER_MS)
  if (ms >= 1) return Math.round(ms)
  throw new CliError('--after 0 would make every call a task: name those tools with --tasks.')
}

function readPort(given: string | undefined): number {
  const port = Number(given ?? DEFAULT_PORT)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && given !== '') return port
  throw new CliError(`--port "${given}" is not a port. Pass a whole number up to 65535; 0 takes one that is free.`)
}

function readNames(given: string | undefined): readonly string[] {
  return (given ?? '').split(',').flatMap((name) => name.trim() || [])
}
