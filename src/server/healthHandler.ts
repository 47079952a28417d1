import { checkGiven } from './base/checkGiven.js'
import type { TaskHealth } from './health.js'

/** A fetch handler. Mount it like a task server. */
export interface FetchHandler {
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Creates a handler that answers the probes of a platform, for a server or for a worker. A path that ends in `/healthz`
 * says whether the process is alive: 200 as long as it answers. A path that ends in `/readyz` says whether the process can
 * take work: 200, or 503 while its store or its queue cannot be reached, its event loop is blocked, or it is closing. The
 * body says no more than that, since anyone can send a probe; `health()` says why.
 *
 * @throws {TaskConfigurationError} if `part` is neither a server nor a worker.
 *
 * @example
 * ```ts
 * import { createServer, type RequestListener } from 'node:http'
 * import { toNodeHandler } from '@modelcontextprotocol/node'
 *
 * const server = createTaskServer({ serverInfo: { name: 'reports', version: '1.0.0' }, tools: [report] })
 * createServer(toNodeHandler(createHealthHandler(server)) as RequestListener).listen(8080)
 * ```
 */
export function createHealthHandler(part: { health(): Promise<TaskHealth> }): FetchHandler {
  checkGiven('health handler', { part }, { part: { methods: ['health'], pass: 'a task server or a task worker' } })
  return {
    async fetch(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
      }
      const { pathname } = new URL(request.url)
      if (pathname.endsWith('/healthz')) return respond({ isAlive: true }, 200)
      if (!pathname.endsWith('/readyz')) return respond({ error: 'The paths are /healthz and /readyz.' }, 404)
      const { isReady, isClosing, store, queue } = await part.health()
      const parts = { store: store.isReachable, ...(queue && { queue: queue.isReachable }) }
      return respond({ isReady, isClosing, ...parts }, isReady ? 200 : 503)
    },
  }
}

const respond = (body: unknown, status: number) =>
  Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
