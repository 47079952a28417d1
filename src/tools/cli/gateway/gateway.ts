import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { env } from 'node:process'
import { asError } from '../../../core/protocol/asError.js'
import type { TaskGateway, TaskGatewayRequestOptions } from '../../gateway/createTaskGateway.js'
import type { TaskGatewayOptions } from '../../gateway/taskGatewayOptions.js'
import { CliError } from '../cliError.js'
import { type Command, OK, type Terminal } from '../terminal.js'
import { type ListedTool, listTools } from '../types/listTools.js'
import { GATEWAY_HELP, type GatewayArguments, isLoopback, readGatewayArguments } from './gatewayArguments.js'
import { type GatewayModules, loadGateway } from './loadGateway.js'
import { loadJobs } from './loadJobs.js'
import { pageResponse } from './page.js'
import { tokenAuth } from './tokenAuth.js'

const PATH = '/mcp'
/** More than the gateway gives its server to start, which `npx` may have to install, in ms. */
const START_MS = 600_000

/** `npx taskwire gateway`. */
export const gateway: Command = async (args, terminal) => {
  const given = readGatewayArguments(args, env)
  if (given.isHelp) {
    terminal.print(GATEWAY_HELP)
    return OK
  }
  const modules = await loadGateway()
  const jobs = given.jobsFile === undefined ? [] : await loadJobs(given.jobsFile)
  const made = createGateway({ ...optionsOf(given, terminal, modules), jobs }, modules)
  try {
    const fetch = atPath(made, given, modules)
    const tools = await toolsOf(fetch, given)
    const server = await listen(modules.node.toNodeHandler({ fetch }) as RequestListener, given)
    try {
      terminal.print(greeting(server, tools, given))
      await untilAborted(terminal.signal)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  } finally {
    await made.close()
  }
  return OK
}

/** What the options refuse now was in the module of the jobs: the rest was checked before. */
function createGateway(options: TaskGatewayOptions, { gateway: { createTaskGateway } }: GatewayModules): TaskGateway {
  try {
    return createTaskGateway(options)
  } catch (cause) {
    throw new CliError(asError(cause).message, { cause })
  }
}

function optionsOf(given: GatewayArguments, { warn }: Terminal, modules: GatewayModules): TaskGatewayOptions {
  const { behind, headers, origins, token, afterMs, tasks, repeat } = given
  const { TASKWIRE_TOKEN: _, ...environment } = env
  const inherited = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    afterMs,
    tasks,
    repeat,
    // There is one user, whose server may keep what it knows.
    idleMs: null,
    ...('url' in behind
      ? { url: behind.url, headers }
      : { transport: () => new modules.stdio.StdioClientTransport({ ...behind, env: Object.fromEntries(inherited) }) }),
    ...(origins.length > 0 && { cors: { origin: [...origins] } }),
    ...(token !== undefined && { authenticate: tokenAuth(token, modules.server) }),
    onError: (error, { source }) => {
      // The sender gets the reason for a refusal.
      if (source !== 'request') warn(reasonOf(error))
    },
  }
}

/** The gateway at its path. On this machine alone, it takes no name that somebody else may have made to point here. */
function atPath(
  made: TaskGateway,
  { host, hasPage }: GatewayArguments,
  { server }: GatewayModules,
): TaskGateway['fetch'] {
  const { hostHeaderValidationResponse, localhostAllowedHostnames } = server
  const names = isLoopback(host) ? [...localhostAllowedHostnames(), host] : undefined
  return async (request: Request, options?: TaskGatewayRequestOptions) => {
    const foreign = names && hostHeaderValidationResponse(request, names)
    if (foreign !== undefined) return foreign
    if (new URL(request.url).pathname === PATH) return made.fetch(request, options)
    const page = hasPage ? await pageResponse(request) : undefined
    return page ?? new Response(`The gateway is at ${PATH}.\n`, { status: 404 })
  }
}

/** Starts the server behind, which says whether its command or URL is right. */
async function toolsOf(fetch: TaskGateway['fetch'], { token, behind }: GatewayArguments): Promise<ListedTool[]> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const here: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init)
    request.headers.set('host', 'localhost')
    return fetch(request)
  }
  try {
    const options = { environment: { fetch: here }, timeLimitMs: START_MS }
    return await listTools(`http://localhost${PATH}`, headers, options)
  } catch (cause) {
    const what = 'url' in behind ? behind.url.origin + behind.url.pathname : [behind.command, ...behind.args].join(' ')
    throw new CliError(`The gateway could not list the tools of its server: ${what}`, { cause })
  }
}

async function listen(handler: RequestListener, { host, port }: GatewayArguments): Promise<Server> {
  const server = createServer(handler)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
  } catch (cause) {
    throw new CliError(`Failed to listen on ${host}:${port}: ${asError(cause).message}. Pass another --port.`, {
      cause,
    })
  }
  return server
}

function greeting(
  server: Server,
  tools: readonly ListedTool[],
  { host, origins, afterMs, hasPage }: GatewayArguments,
): string {
  const { port } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const pages =
    origins.length > 0
      ? `Pages of ${origins.join(', ')} may call them.`
      : 'To call them from a page of your own, add --allow-origin with its origin, such as http://localhost:5173.'
  return [
    `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} at ${url}${PATH}`,
    ...(hasPage ? [`Try them in your browser: ${url}`] : []),
    pages,
    `A call that takes longer than ${afterMs / 1000} s becomes a task. Ctrl+C ends the gateway.`,
  ].join('\n')
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** With what caused it, for a person: which command was not found says only the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = asError(error)
  return cause === undefined ? message : `${message} ${asError(cause).message}`
}
