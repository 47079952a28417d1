import { INTERNAL_ERROR, isJsonContentType, type ServerNotifier } from '@modelcontextprotocol/server'
import { REFUSED } from './base/errorCodes.js'
import { firstOf } from './base/firstOf.js'
import type { TaskHealth } from './health.js'
import { createAnswer, isStreamable } from './http/answer.js'
import { whoSends } from './http/authenticate.js'
import { createCors } from './http/cors.js'
import { Exchange } from './http/exchange.js'
import { isLegacyBody } from './http/isLegacyBody.js'
import { errorResponse } from './http/jsonRpcResponse.js'
import { readJson } from './http/readJson.js'
import { listenToTasks } from './push/listenToTasks.js'
import { createStreamPlaces } from './push/streamPlaces.js'
import { createServerConfig } from './serverConfig.js'
import { createServerCore } from './serverCore.js'
import type { TaskServerOptions, TaskServerRequestOptions } from './taskServerOptions.js'
import type { TaskOperator } from './tasks/taskOperator.js'
import type { ToolDefinition, ToolsOfDefinitions } from './tools/defineTool.js'
import { taskCreatedResponse } from './tools/finishExchange.js'
import { takeLegacyResponse } from './tools/legacyInput.js'
import { refuseRequiredTool } from './tools/refuseRequiredTool.js'
import { toolsFor } from './tools/toolsFor.js'

/**
 * An MCP server whose tools can run as tasks.
 *
 * @typeParam Tools The server's tools, for `createTaskClient<typeof server>()`.
 */
export interface TaskServer<Tools = unknown> {
  /** Exists in types only. There is no such member at run time. */
  readonly '~tools'?: Tools

  /**
   * Answers an HTTP request. This is the whole server, with web-standard types and independent of any platform: mount it on
   * a worker, pass it to `toNodeHandler` of `@modelcontextprotocol/node`, or call it in a test. Never rejects.
   */
  readonly fetch: (request: Request, options?: TaskServerRequestOptions) => Promise<Response>
  /** Notifies subscribed clients of changes unrelated to tasks: a changed list, an updated resource. */
  readonly notify: ServerNotifier
  /**
   * Checks whether this process can work: its store and queue, its claims, its event loop. Never rejects. See
   * `createHealthHandler`.
   */
  readonly health: () => Promise<TaskHealth>
  /**
   * Lists, opens, cancels and runs again the tasks of all owners, for the people who operate the server. Clients cannot
   * reach it.
   */
  readonly operator: TaskOperator
  /**
   * Refuses requests and, after `drainMs`, stops all work: the `signal` of every running tool aborts. If the store is
   * shared and has `lapsed`, another process takes over each task whose tool may run again (`onOrphan`). All other running
   * tasks fail.
   */
  readonly close: (options?: TaskCloseOptions) => Promise<void>
}

/** Options for closing a server or a worker. */
export interface TaskCloseOptions {
  /** How long running work may continue, in ms. @default 0 */
  readonly drainMs?: number
}

/**
 * Creates an MCP server with the Tasks extension (SEP-2663, revision 2026-07-28) on top of the official SDK. It also serves
 * clients of earlier revisions, without the extension. Verify tokens in the option `authenticate`. The server refuses pages
 * of other origins with 403, unless the option `cors` permits them.
 *
 * @throws {TaskConfigurationError} if an option cannot be used; the message names it.
 *
 * @example
 * ```ts
 * import { createServer, type RequestListener } from 'node:http'
 * import { toNodeHandler } from '@modelcontextprotocol/node'
 *
 * const server = createTaskServer({
 *   serverInfo: { name: 'reports', version: '1.0.0' },
 *   tools: [report],
 *   cors: true,
 * })
 * // The cast is for exactOptionalPropertyTypes; without that option it is not needed.
 * createServer(toNodeHandler(server) as RequestListener).listen(3000, '127.0.0.1')
 * ```
 */
export function createTaskServer<const Tools extends readonly ToolDefinition[]>(
  options: TaskServerOptions & { tools: Tools | ((owner: string) => Tools) },
): TaskServer<ToolsOfDefinitions<Tools>> {
  const config = createServerConfig(options)
  const { serverInfo, maxRequestBodySize } = config
  const streams = createStreamPlaces(config)
  const core = createServerCore(config, () => streams.taken)
  const { parts, mcp } = core
  const { report } = parts
  const listening = { ...parts, streams }
  const cors = createCors(config.cors ?? false)
  let isClosed = false

  async function serve(request: Request, requestOptions: TaskServerRequestOptions): Promise<Response> {
    if (isClosed) {
      const error = { code: REFUSED, message: 'The server is closed' }
      return errorResponse(undefined, error, 503, config.pollIntervalMs)
    }
    const { authInfo, parsedBody } = requestOptions
    const auth = authInfo === undefined ? {} : { authInfo }
    // Nothing that could become a task: the SDK knows how to refuse it.
    if (request.method !== 'POST' || !isJsonContentType(request.headers.get('content-type'))) {
      return mcp.fetch(request, auth)
    }
    const read = await readJson({ request, parsedBody, maxBytes: maxRequestBodySize }, report)
    if ('refusal' in read) return read.refusal

    const { body } = read
    const isLegacy = await isLegacyBody(request, body)
    const exchange = new Exchange({ request, body, authInfo, isLegacy })
    if (isLegacy) {
      const refusal = refuseRequiredTool(body, await toolsFor(exchange, config))
      if (refusal !== undefined) return refusal
      const taken = await takeLegacyResponse(exchange, parts)
      if (taken !== undefined) return taken
    }
    // What the SDK returns once the tool has ended is the response or, if the call has become a task, its outcome.
    // That is the response to the client, too, unless the work continues: then the client already has a task.
    const finished = core.serve(exchange).then((response) => listenToTasks(exchange, response, listening))
    const atWork = exchange.taskAtWork.then(({ record }) => taskCreatedResponse(exchange, record, serverInfo))
    requestOptions.waitUntil?.(finished.then(() => exchange.workLeft))
    const outcome = firstOf(atWork, finished)
    if (!isStreamable(exchange)) return outcome
    const answer = createAnswer({ clock: config.clock, onCancel: () => exchange.hangUp() })
    exchange.answer = answer
    void answer.end(outcome)
    return answer.response
  }

  async function admit(request: Request, requestOptions: TaskServerRequestOptions): Promise<Response> {
    const { authenticate } = config
    if (authenticate === undefined) return serve(request, requestOptions)
    const found = await whoSends(request, authenticate)
    return found instanceof Response ? found : serve(request, { ...requestOptions, authInfo: found })
  }

  return {
    async fetch(request, requestOptions = {}) {
      const early = cors.refusal(request) ?? cors.preflight(request)
      if (early !== undefined) return early
      const response = await admit(request, requestOptions).catch((error: unknown) => {
        report(error, { source: 'server' })
        return errorResponse(undefined, { code: INTERNAL_ERROR, message: 'Internal server error' }, 500)
      })
      return cors.decorate(request, response)
    },
    notify: mcp.notify,
    health: core.health,
    operator: core.operator,
    async close({ drainMs } = {}) {
      isClosed = true
      await core.close(drainMs)
    },
  }
}
