import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { NetworkFault } from './faultyNetwork.js'
import { createLiveServer } from './liveServer.js'
import type { ObservedServerOptions } from './observedServer.js'

/** Anything that answers requests: the result of `createTaskServer` or `createLiveServer`, or your own server. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>
}

/** The part of msw's `http` that Taskwire makes handlers with. */
export interface MswHttp<Handler> {
  all(url: string, resolver: (info: { request: Request }) => Promise<Response>): Handler
}

/**
 * Serves tasks through msw, in Node and in browsers, for apps that create their own client, and for pages without a
 * backend. Pass the `http` of your msw as the last argument; Taskwire does not load msw.
 *
 * @param url the URL at which the app expects its server, as msw matches it
 * @param serverOrOptions a server, or options for a server in real time
 * @throws {TaskConfigurationError} without `http`, or if an option cannot be used; the message names it.
 *
 * @example
 * ```ts
 * import { http } from 'msw'
 * import { setupServer } from 'msw/node'
 *
 * const network = setupServer(...taskHandlers('https://example.com/mcp', { tools: [report] }, http))
 * beforeAll(() => network.listen())
 * ```
 */
export function taskHandlers<Handler>(
  url: string,
  serverOrOptions: FetchHandler | ObservedServerOptions,
  http: MswHttp<Handler>,
): Handler[] {
  if (typeof http?.all !== 'function') {
    throw new TaskConfigurationError(
      'Failed to make handlers: the last argument is not `http` of msw. Import it from "msw" and pass it.',
    )
  }
  const server: FetchHandler = 'fetch' in serverOrOptions ? serverOrOptions : createLiveServer(serverOrOptions)
  return [http.all(url, ({ request }) => server.fetch(request).catch((error) => toNetworkError(error, request)))]
}

/** What a resolver throws is HTTP 500 to msw, and said aloud. A request that is dropped or given up is neither. */
function toNetworkError(error: unknown, { signal }: Request): Response {
  if (error instanceof NetworkFault || signal.aborted) return Response.error()
  throw error
}
