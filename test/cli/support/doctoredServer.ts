import { createTaskServer, defineTool, type TaskServerOptions } from 'taskwire/server'
import { z } from 'zod'

type Json = Record<string, unknown>

/** What a doctored server does in place of a good one; undefined leaves a request to the good one. */
export interface Doctored {
  /** Called with each request and its JSON-RPC message. */
  request?: (request: Request, message: Json) => Response | undefined | Promise<Response | undefined>
  /** Called with each response of the good server. */
  response?: (headers: Headers, response: Response, request: Request) => Response | undefined
}

const echo = defineTool({
  name: 'echo',
  inputSchema: z.object({ text: z.string() }),
  taskSupport: 'forbidden',
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
})

/** A good server, but for what it is doctored to do. */
export function doctoredServer(
  { request: onRequest, response: onResponse }: Doctored = {},
  options: Partial<TaskServerOptions> = {},
): (request: Request) => Promise<Response> {
  const server = createTaskServer({
    serverInfo: { name: 'doctored', version: '1.0.0' },
    tools: [echo],
    cors: true,
    onError: () => {},
    ...options,
  })
  return async (request) => {
    const message = (await request
      .clone()
      .json()
      .catch(() => ({}))) as Json
    const own = await onRequest?.(request, message)
    if (own !== undefined) return own
    const good = await server.fetch(request)
    const headers = new Headers(good.headers)
    const { status, body } = good
    return onResponse?.(headers, good, request) ?? new Response(body, { status, headers })
  }
}

/** A response that every page may read. */
export function answer(message: Json, body: { result?: Json; error?: Json }): Response {
  const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' }
  return Response.json({ jsonrpc: '2.0', id: message['id'] ?? null, ...body }, { headers })
}

/** An event stream with these events, which ends after them, or breaks off where one is an error. */
export function events(...parts: readonly (Json | Error)[]): Response {
  const encoder = new TextEncoder()
  const rest = [...parts]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = rest.shift()
      if (part === undefined) controller.close()
      else if (part instanceof Error) controller.error(part)
      else controller.enqueue(encoder.encode(`data: ${JSON.stringify(part)}\n\n`))
    },
  })
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
}

/** A task as it is on the wire. */
export function task(status: string, more: Json = {}): Json {
  const now = new Date(0).toISOString()
  return {
    taskId: 'task-0123456789',
    status,
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 60_000,
    pollIntervalMs: 500,
    ...more,
  }
}
