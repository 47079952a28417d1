import {
  createMcpHandler,
  INTERNAL_ERROR,
  isJsonContentType,
  isLegacyRequest,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import { whoSends } from './authenticate.js'
import { createCors } from './cors.js'
import { REFUSED } from './errorCodes.js'
import { Exchange } from './exchange.js'
import { finishExchange, taskCreatedResponse } from './finishExchange.js'
import { errorResponse } from './jsonRpcResponse.js'
import { listenToTasks } from './listenToTasks.js'
import { readJson } from './readJson.js'
import { refuseRequiredTool } from './refuseRequiredTool.js'
import { createReporter } from './reportError.js'
import { createServerConfig } from './serverConfig.js'
import { createServerFactory } from './serverFactory.js'
import type { ServerParts } from './serverParts.js'
import { createStreamPlaces } from './streamPlaces.js'
import { createTaskRuntime } from './taskRuntime.js'
import type { TaskServerOptions, TaskServerRequestOptions } from './taskServerOptions.js'

/** An MCP server whose tools can run as tasks. */
export interface TaskServer {
  /**
   * Answers one HTTP request: the whole server. Web standard, bound to nothing: mount it on a worker, pass
   * it to `toNodeHandler` of `@modelcontextprotocol/node`, or call it in a test. Never rejects.
   */
  readonly fetch: (request: Request, options?: TaskServerRequestOptions) => Promise<Response>
  /** Tells clients that listen of what has nothing to do with tasks: a changed list, an updated resource. */
  readonly notify: ServerNotifier
  /** Stops all work: `signal` of every running tool aborts, and tasks at work have failed. */
  readonly close: () => Promise<void>
}

/**
 * Creates an MCP server that serves the Tasks extension (SEP-2663, revision 2026-07-28) on top of the
 * official SDK, and clients of earlier revisions without it. Tokens are verified by the option `authenticate`;
 * `Host` and `Origin` are not checked: put the SDK's middleware for that in front.
 *
 * @throws {TaskConfigurationError} naming the option that cannot be used.
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
export function createTaskServer(options: TaskServerOptions): TaskServer {
  const config = createServerConfig(options)
  const { serverInfo, maxRequestBodySize } = config
  const report = createReporter(config.onError)
  const runtime = createTaskRuntime({ ...config, report })
  const parts: ServerParts = { config, runtime, streams: createStreamPlaces(config), report }
  const cors = createCors(config.cors ?? false)
  const exchanges = new WeakMap<Request, Exchange>()
  const factory = createServerFactory(parts, (request) => exchanges.get(request))
  const mcp = createMcpHandler(factory, {
    maxRequestBodySize,
    // Streams are counted by owner, see `listenToTasks`.
    maxSubscriptions: Number.POSITIVE_INFINITY,
    onerror: (error) => report(error, { source: 'request' }),
  })
  let isClosed = false

  async function serve(request: Request, requestOptions: TaskServerRequestOptions): Promise<Response> {
    if (isClosed) return errorResponse(undefined, { code: REFUSED, message: 'The server is closed' }, 503)
    const { authInfo, parsedBody } = requestOptions
    const auth = authInfo === undefined ? {} : { authInfo }
    // Nothing that could become a task: the SDK knows how to refuse it.
    if (request.method !== 'POST' || !isJsonContentType(request.headers.get('content-type'))) {
      return mcp.fetch(request, auth)
    }
    const read = await readJson({ request, parsedBody, maxBytes: maxRequestBodySize }, report)
    if ('refusal' in read) return read.refusal

    const { body } = read
    const isLegacy = await isLegacyRequest(request, body)
    const refusal = isLegacy ? refuseRequiredTool(body, config.tools) : undefined
    if (refusal !== undefined) return refusal

    const exchange = new Exchange({ request, body, authInfo, isLegacy })
    const inner = new Request(request.url, { method: 'POST', headers: request.headers, signal: exchange.signal })
    exchanges.set(inner, exchange)
    // What the SDK says once the tool has ended is the answer or, where the call has become a task, its outcome.
    // That answers the client, too, unless the work goes on: then it hears of a task at work before.
    const finished = mcp
      .fetch(inner, { ...auth, parsedBody: body })
      .then((response) => finishExchange(exchange, response, parts))
      .then((response) => listenToTasks(exchange, response, parts))
    const atWork = exchange.taskAtWork.then(({ record }) => taskCreatedResponse(exchange, record, serverInfo))
    requestOptions.waitUntil?.(finished)
    return Promise.race([atWork, finished])
  }

  async function admit(request: Request, requestOptions: TaskServerRequestOptions): Promise<Response> {
    const { authenticate } = config
    if (authenticate === undefined) return serve(request, requestOptions)
    const found = await whoSends(request, authenticate)
    return found instanceof Response ? found : serve(request, { ...requestOptions, authInfo: found })
  }

  return {
    async fetch(request, requestOptions = {}) {
      const preflight = cors?.preflight(request)
      if (preflight !== undefined) return preflight
      const response = await admit(request, requestOptions).catch((error: unknown) => {
        report(error, { source: 'server' })
        return errorResponse(undefined, { code: INTERNAL_ERROR, message: 'Internal server error' }, 500)
      })
      return cors?.decorate(request, response) ?? response
    },
    notify: mcp.notify,
    async close() {
      isClosed = true
      await runtime.close()
      await mcp.close()
    },
  }
}
