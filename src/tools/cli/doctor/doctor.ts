import { isJsonObject, type JsonObject } from '../../../core/protocol/json.js'
import { followTask, type ToolToCall } from '../../diagnose/followTask.js'
import { judge } from '../../diagnose/judge.js'
import { observe } from '../../diagnose/observe.js'
import type { Poll } from '../../diagnose/observed.js'
import { readArguments, readHeaders, readSeconds, readUrl } from '../arguments.js'
import { cleanJson } from '../clean.js'
import { CliError } from '../cliError.js'
import { type Command, FAILED, FOUND, OK, type Terminal } from '../terminal.js'
import { askForJobs } from './askForJobs.js'
import { jobLines } from './jobLines.js'
import type { JobPair } from './jobPairs.js'
import { pollHead, pollRow, report } from './report.js'

const HELP = `Usage: npx taskwire doctor <url> [options]

Sends an MCP server the requests that a browser would send, and prints what is wrong and the line that corrects it. For a server
without tasks, it also prints a defineJob for each pair of tools of which one starts work and the other returns its status.

  --origin <origin>    the origin of the page that calls the server, such as https://app.example
  --header <header>    'Name: value', sent with every request; may be repeated
  --tool <name>        call this tool and follow its task to the end; the tool really runs
  --arguments <json>   arguments for the tool
  --idle <seconds>     how long to watch a push stream; 65 finds a proxy that cuts it after a minute (5)
  --timeout <seconds>  how long to wait for a response (10)
  --json               print the diagnosis as JSON

Exit code: 0 no findings, 1 findings, 2 failed.`

const OPTIONS = {
  origin: { type: 'string' },
  header: { type: 'string', multiple: true },
  tool: { type: 'string' },
  arguments: { type: 'string' },
  idle: { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const IDLE_MS = 5000
const TIME_LIMIT_MS = 10_000

/** `npx taskwire doctor`. */
export const doctor: Command = async (args, terminal) => {
  const { values, target } = readArguments(args, OPTIONS, 'doctor')
  if (values.help) {
    terminal.print(HELP)
    return OK
  }
  if (target === undefined)
    throw new CliError('Which server? Pass its URL: npx taskwire doctor https://api.example/mcp')
  const url = readUrl(target)
  const tool = readTool(values.tool, values.arguments)
  const watchMs = readSeconds('idle', values.idle, IDLE_MS)
  const onPoll = values.json ? () => {} : showPolls(tool?.name ?? '', terminal)
  let jobs: readonly JobPair[] = []
  const seen = await observe({
    url,
    origin: readOrigin(values.origin),
    headers: readHeaders(values.header ?? []),
    timeLimitMs: readSeconds('timeout', values.timeout, TIME_LIMIT_MS),
    watchMs,
    environment: terminal.environment,
    address: await terminal.lookUp(url.hostname),
    follow: async (spoken) => {
      jobs = await askForJobs(spoken)
      return tool && followTask({ ...spoken, tool, watchMs, onPoll })
    },
  })
  const diagnosis = judge(seen)
  terminal.print(values.json ? cleanJson({ ...diagnosis, jobs }) : report(diagnosis, seen.page))
  if (!values.json && jobs.length > 0) terminal.print(`\n${jobLines(jobs)}`)
  if (diagnosis.unasked === 'unreachable') return FAILED
  if (diagnosis.findings.length > 0) return FOUND
  return diagnosis.unasked === undefined ? OK : FAILED
}

/** A task may take long: each poll is shown when it comes. */
function showPolls(tool: string, { print }: Terminal): (poll: Poll) => void {
  let isFirst = true
  return (poll) => {
    if (isFirst) print(pollHead(tool))
    isFirst = false
    print(pollRow(poll))
  }
}

function readOrigin(origin: string | undefined): string | undefined {
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).origin === origin)) return origin
  throw new CliError(
    `--origin "${origin}" is not an origin. Pass scheme, host and port only, such as https://app.example.`,
  )
}

function readTool(name: string | undefined, args: string | undefined): ToolToCall | undefined {
  if (name === undefined) {
    if (args === undefined) return undefined
    throw new CliError('--arguments needs --tool: the name of the tool to call.')
  }
  return { name, arguments: args === undefined ? {} : parseArguments(args) }
}

function parseArguments(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text)
    if (isJsonObject(parsed)) return parsed
  } catch {
    // Said below.
  }
  throw new CliError(`--arguments has to be a JSON object, such as '{"seconds":5}'. Quote it for your shell.`)
}
