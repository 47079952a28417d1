import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'

/** One request as it came over the network, with the headers that route it. */
export interface HttpRequest {
  readonly method: string
  readonly name: string | null
  readonly headers: Headers
  readonly body: { readonly id?: unknown; readonly params?: Record<string, unknown> }
  /** ms, by `performance.now()`, when the request arrived and when its response was ready. */
  readonly arrivedAt: number
  answeredAt: number
}

export interface HttpServer {
  readonly url: string
  readonly requests: HttpRequest[]
  count(method: string): number
  close(): Promise<void>
}

/** Serves a fetch handler over real HTTP on a free port of this machine, and keeps the books. */
export async function startHttpServer(handler: {
  fetch: (request: Request) => Promise<Response>
}): Promise<HttpServer> {
  const requests: HttpRequest[] = []
  const listener = toNodeHandler({
    fetch: async (request: Request) => {
      const arrivedAt = performance.now()
      const text = await request.clone().text()
      const body = text === '' ? {} : (JSON.parse(text) as HttpRequest['body'] & { method?: string })
      const { headers } = request
      const entry = {
        method: 'method' in body ? `${body.method}` : request.method,
        name: headers.get('mcp-name'),
        headers,
        body,
        arrivedAt,
        answeredAt: 0,
      }
      requests.push(entry)
      const response = await handler.fetch(request)
      entry.answeredAt = performance.now()
      return response
    },
  })
  // Node types a request's method and url as optional; in a server both are there.
  const server: Server = createServer(
    (request, response) => void listener(request as typeof request & { method: string; url: string }, response),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    count: (method) => requests.filter((request) => request.method === method).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
