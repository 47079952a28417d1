import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { type Listening, listen } from './listen.js'

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

export interface HttpServer extends Pick<Listening, 'onUpgrade' | 'close'> {
  readonly url: string
  readonly requests: HttpRequest[]
  count(method: string): number
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
  // Node declares `method?: string | undefined`, the SDK `method?: string`: the same but for `exactOptionalPropertyTypes`.
  const { origin, onUpgrade, close } = await listen(
    (request, response) => void listener(request as NodeIncomingMessageLike, response),
  )
  return {
    url: `${origin}/mcp`,
    requests,
    count: (method) => requests.filter((request) => request.method === method).length,
    onUpgrade,
    close,
  }
}
