import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { AuthInfo } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { VERSION } from '../../core/protocol/version.js'
import { systemClock } from '../../server/base/clock.js'
import { REFUSED } from '../../server/base/errorCodes.js'
import { createServerLog } from '../../server/base/logger.js'
import { createTaskServer, type TaskServer } from '../../server/createTaskServer.js'
import { whoSends } from '../../server/http/authenticate.js'
import { errorResponse } from '../../server/http/jsonRpcResponse.js'
import { ownerOf } from '../../server/http/ownerOf.js'
import type { TaskServerRequestOptions } from '../../server/taskServerOptions.js'
import { withLostTasks } from './lostTasks.js'
import { needsTools } from './needsTools.js'
import { createServerBehind, type ServerBehind } from './serverBehind.js'
import type { GatewayCaller, TaskGatewayOptions } from './taskGatewayOptions.js'
import { toolsBehind } from './toolsBehind.js'

/** The context of a request. The option `authenticate` identifies the caller. */
export type TaskGatewayRequestOptions = Omit<TaskServerRequestOptions, 'authInfo'>

/** A gateway: a task server whose tools are those of another MCP server. */
export interface TaskGateway extends Pick<TaskServer, 'health' | 'operator' | 'close'> {
  /**
   * Answers an HTTP request. This is the whole gateway, with web-standard types and independent of any platform: pass it to
   * `toNodeHandler` of `@modelcontextprotocol/node`, mount it on a worker, or call it in a test. Never rejects.
   */
  readonly fetch: (request: Request, options?: TaskGatewayRequestOptions) => Promise<Response>
}

const FIFTEEN_MINUTES_MS = 900_000
const NO_TOOLS: ServerBehind['tools'] = []
/** A caller whose identity is replaced with each request. */
type NewestCaller = { -readonly [Key in keyof GatewayCaller]: GatewayCaller[Key] }

interface ServerOfCaller {
  readonly behind: ServerBehind
  readonly caller: NewestCaller
}

/** Who sends a request where there is no `authenticate`. */
const ANYBODY: AuthInfo = { token: '', clientId: 'anybody', scopes: [] }

/**
 * Creates a gateway in front of an MCP server, with its `url` or with a `transport`, such as one to a stdio process. The
 * gateway serves the tools of that server to pages with the Tasks extension: a long call becomes a task, the task shows the
 * progress and the input requests of the call, and cancelling the task cancels the call. Each owner has their own
 * connection, and with stdio their own process; the gateway opens a lost connection again.
 *
 * The gateway refuses pages of other origins unless `cors` permits them. Without `authenticate`, anyone may call it: then
 * listen only on the loopback address.
 *
 * @throws {TaskConfigurationError} if an option cannot be used; the message names it.
 *
 * @example
 * ```ts
 * import { createServer, type RequestListener } from 'node:http'
 * import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
 * import { toNodeHandler } from '@modelcontextprotocol/node'
 *
 * const gateway = createTaskGateway({
 *   transport: () => new StdioClientTransport({ command: 'npx', args: ['-y', 'some-mcp-server'] }),
 *   cors: { origin: ['http://localhost:5173'] },
 * })
 * // The cast is for exactOptionalPropertyTypes; without that option it is not needed.
 * createServer(toNodeHandler(gateway) as RequestListener).listen(3000, '127.0.0.1')
 * ```
 */
export function createTaskGateway(options: TaskGatewayOptions): TaskGateway {
  const { afterMs = 2000, tasks = [], repeat = [], jobs = [], url, headers, transport, ...others } = options
  const { maxServers = 100, idleMs = FIFTEEN_MINUTES_MS, store, ...more } = others
  const { serverInfo = { name: 'taskwire-gateway', version: VERSION }, ...serverOptions } = more
  checkGateway({ ...options, afterMs, tasks, repeat, jobs, maxServers, idleMs })
  const { clock = systemClock, authenticate = () => ANYBODY } = options
  const { error: report } = createServerLog(options.logger, options.onError)
  /** By owner, each with the caller of its newest request. */
  const servers = new Map<string, ServerOfCaller>()
  const open =
    transport ??
    (() => new StreamableHTTPClientTransport(new URL(url ?? ''), { requestInit: { headers: headers ?? {} } }))
  const atOnce = new Set([...tasks, ...jobs.map(({ start }) => start)])

  /** Servers list their tools again and again. */
  const leftOut = new Set<string>()
  function onLeftOut(name: string, problem: string): void {
    if (leftOut.has(name)) return
    leftOut.add(name)
    const message = `The tool ${JSON.stringify(name)} of the server behind the gateway is left out: ${problem}.`
    report(new TaskConfigurationError(message), { source: 'server', tool: name })
  }

  function serverOf({ owner, authInfo }: GatewayCaller): ServerBehind | undefined {
    const known = servers.get(owner)
    if (known !== undefined || servers.size >= maxServers) return known?.behind
    const caller: NewestCaller = { owner, authInfo }
    // A call may have waited for its turn until this server was idle for too long: the owner gets another one then.
    const call: ServerBehind['call'] = (one) => (serverOf(caller) ?? behind).call(one)
    const behind: ServerBehind = createServerBehind({
      open: async () => open(caller),
      token: () => caller.authInfo?.token,
      jobs,
      define: (listed) => toolsBehind(listed, { call, repeat, jobs, onLeftOut }),
      onTools: () => server.notify.toolsChanged(),
      onIdle: () => servers.delete(owner),
      clock,
      idleMs,
      report,
    })
    servers.set(owner, { behind, caller })
    return behind
  }

  /** Owners of tasks that have lost their process, and whose server is started when they send something. */
  const awaited = new Set<string>()

  /** Without `authenticate`, everybody is the owner, and nobody has to be waited for. */
  function onLost(owner: string): void {
    if (servers.has(owner)) return
    if (options.authenticate === undefined) startInBackground({ owner, authInfo: undefined })
    else awaited.add(owner)
  }

  function startInBackground(caller: GatewayCaller): void {
    serverOf(caller)
      ?.ready()
      .catch((error: unknown) => report(error, { source: 'server' }))
  }

  /** The response to a request that cannot be served, because the server behind is not there. */
  async function unready(caller: GatewayCaller): Promise<Response | undefined> {
    const behind = serverOf(caller)
    if (behind === undefined) return refusal('The gateway has too many servers behind it. Try again later.')
    try {
      await behind.ready()
      return undefined
    } catch (error) {
      report(error, { source: 'server' })
      return refusal('The server behind the gateway cannot be reached.')
    }
  }

  const server = createTaskServer({
    ...serverOptions,
    ...(store !== undefined && { store: withLostTasks(store, onLost) }),
    serverInfo,
    clock,
    tools: (owner) => servers.get(owner)?.behind.tools ?? NO_TOOLS,
    augment: ({ name }) => atOnce.has(name) || { afterMs },
    // After `cors` has let the request in: a page that may not call starts no process.
    async authenticate(request) {
      const found = await whoSends(request, authenticate)
      if (found instanceof Response) return found
      const mayBeNewer = options.authenticate !== undefined && servers.size > 0
      if (!needsTools(request) && awaited.size === 0 && !mayBeNewer) return found
      const authInfo = options.authenticate === undefined ? undefined : found
      const caller = { owner: await ownerOf({ request, authInfo: found }, options), authInfo }
      note(servers.get(caller.owner), authInfo)
      const isAwaited = awaited.delete(caller.owner)
      if (needsTools(request)) return (await unready(caller)) ?? found
      if (isAwaited) startInBackground(caller)
      return found
    },
  })

  return {
    fetch: (request, { parsedBody, waitUntil } = {}) =>
      server.fetch(request, { ...(parsedBody !== undefined && { parsedBody }), ...(waitUntil && { waitUntil }) }),
    health: server.health,
    operator: server.operator,
    async close(closing) {
      await server.close(closing)
      await Promise.all([...servers.values()].map(({ behind }) => behind.close()))
    },
  }
}

/** The token of a user changes all the time, and their server is kept. */
function note(known: ServerOfCaller | undefined, authInfo: GatewayCaller['authInfo']): void {
  if (known === undefined) return
  const isNewer = known.caller.authInfo?.token !== authInfo?.token
  known.caller.authInfo = authInfo
  if (isNewer) known.behind.renew()
}

function refusal(message: string): Response {
  return errorResponse(undefined, { code: REFUSED, message }, 503, RETRY_AFTER_MS)
}

const RETRY_AFTER_MS = 5000

function checkGateway(options: TaskGatewayOptions): void {
  const { url, headers, transport, authenticate } = options
  if ((url === undefined) === (transport === undefined)) {
    fail(
      'it needs either `url` or `transport`. Pass the endpoint of the server behind the gateway, or a function that makes its transport.',
    )
  }
  if (headers !== undefined && url === undefined) {
    fail('there are `headers` without a `url`. Give them to the `transport`.')
  }
  if (url !== undefined && !isHttpUrl(url)) {
    fail(`\`url\` is ${JSON.stringify(String(url))}, which is not an http(s) URL. Pass that of the MCP endpoint.`)
  }
  for (const name of ['tasks', 'repeat'] as const) {
    const names: unknown = options[name]
    if (!Array.isArray(names) || names.some((each) => typeof each !== 'string')) {
      fail(`\`${name}\` is not a list of names. Pass names of tools: ['render'].`)
    }
  }
  if (!Array.isArray(options.jobs) || options.jobs.some((job) => typeof job?.isInternal !== 'function')) {
    fail('`jobs` is not a list of jobs. Pass what defineJob() of taskwire/jobs returns.')
  }
  for (const [name, value] of Object.entries({ transport, authenticate })) {
    if (value !== undefined && typeof value !== 'function') fail(`\`${name}\` is not a function. Pass a function.`)
  }
  for (const name of ['afterMs', 'maxServers', 'idleMs'] as const) {
    const value = options[name]
    if (name === 'idleMs' && value === null) continue
    if (!Number.isSafeInteger(value) || Number(value) <= 0) {
      fail(`\`${name}\` is ${String(value)}. Pass a whole number above 0.`)
    }
  }
}

function isHttpUrl(url: string | URL): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function fail(problem: string): never {
  throw new TaskConfigurationError(`Failed to create the task gateway: ${problem}`)
}
