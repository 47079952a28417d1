import type { FetchLike } from '@modelcontextprotocol/client'

type Json = Record<string, unknown>

/** A request as it arrived, its envelope included. */
export interface ScriptedRequest {
  /** The server's clock when it arrived. */
  readonly at: number
  readonly method: string
  /** Undefined for a notification. */
  readonly id: string | number | undefined
  readonly params: Json
  /** The JSON as it was sent. */
  readonly body: Json
  readonly headers: Headers
  readonly signal: AbortSignal | undefined
}

/** What a request is answered with. */
export type Reply = (request: ScriptedRequest) => Response | Promise<Response>

export interface ScriptedServerOptions {
  /** What `at` of a request reads. @default Date.now */
  now?: () => number
  /** @default `tools` and the Tasks extension */
  capabilities?: Json
  tools?: Json[]
}

/** An MCP server of revision 2026-07-28 that answers what a test has told it to. */
export interface ScriptedServer {
  /** Pass it as `transportOptions.fetch`: nothing leaves memory. */
  readonly fetch: FetchLike
  /** Everything that arrived, in order. */
  readonly requests: readonly ScriptedRequest[]
  /** Answers a method with these replies in turn; the last one stays. */
  on(method: string, ...replies: [Reply, ...Reply[]]): void
  /** What arrived for a method, `prefix*` for several. */
  received(method: string): ScriptedRequest[]
  /** When it arrived, in ms since the given time. */
  times(method: string, since: number): number[]
}

export const TASKS = 'io.modelcontextprotocol/tasks'

/** What stands for the method of a response to a request of the server, which has none. */
export const ANSWER = 'answer'

export function createScriptedServer(options: ScriptedServerOptions = {}): ScriptedServer {
  const { now = Date.now, capabilities = { tools: {}, extensions: { [TASKS]: {} } }, tools = [] } = options
  const requests: ScriptedRequest[] = []
  const replies = new Map<string, Reply[]>([
    ['server/discover', [result({ supportedVersions: ['2026-07-28'], capabilities, _meta: serverInfo })]],
    ['tools/list', [result({ tools, ttlMs: 0, cacheScope: 'private' })]],
  ])

  function received(method: string): ScriptedRequest[] {
    const matches = (name: string) => (method.endsWith('*') ? name.startsWith(method.slice(0, -1)) : name === method)
    return requests.filter((request) => matches(request.method))
  }

  return {
    requests,
    received,
    times: (method, since) => received(method).map(({ at }) => at - since),
    on: (method, ...next) => replies.set(method, next),
    fetch: async (_url, init) => {
      const { signal } = init ?? {}
      signal?.throwIfAborted()
      const headers = new Headers(init?.headers)
      // No stream that the server could speak on unasked.
      if (init?.method !== 'POST') return new Response(null, { status: 405 })
      const body = JSON.parse(String(init.body)) as Json
      const { id, method = ANSWER, params = {} } = body as { id?: string | number; method?: string; params?: Json }
      const request = { at: now(), method, id, params, body, headers, signal: signal ?? undefined }
      requests.push(request)
      if (id === undefined || method === ANSWER) return new Response(null, { status: 202 })
      const line = replies.get(method) ?? [rpcError(-32601, 'Method not found', { status: 404 })]
      const reply = line.length > 1 ? line.shift() : line[0]
      return (reply as Reply)(request)
    },
  }
}

const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1.0.0' } }

/** A JSON-RPC result; `resultType: 'complete'` unless the members say otherwise. */
export function result(members: Json): Reply {
  return ({ id }) => Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...members } })
}

/** A result as revisions before 2026-07-28 have it. */
export function legacyResult(members: Json): Reply {
  return result({ ...members, resultType: undefined })
}

/** A task at work, its interval one second. */
export function task(changes: Json = {}): Json {
  const createdAt = '2026-07-28T00:00:00Z'
  return {
    taskId: 'task-secret-1',
    status: 'working',
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: null,
    pollIntervalMs: 1000,
    ...changes,
  }
}

/** A `CreateTaskResult`. */
export function created(changes: Json = {}): Reply {
  return result({ ...task(changes), resultType: 'task' })
}

/** The response to a `tasks/get`. */
export function snapshot(changes: Json = {}): Reply {
  return result(task(changes))
}

/** The response to a `tasks/get` of a task that is done. */
export function completed(changes: Json = {}): Reply {
  return snapshot({ status: 'completed', result: { content: [{ type: 'text', text: 'done' }] }, ...changes })
}

/** The acknowledgement of `tasks/update` and `tasks/cancel`. */
export const ack: Reply = result({})

export function rpcError(
  code: number,
  message: string,
  { status = 200, data }: { status?: number; data?: unknown } = {},
): Reply {
  return ({ id }) =>
    Response.json({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }, { status })
}

/** Any HTTP answer at all. */
export function http(
  status: number,
  { body = '', headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): Reply {
  return () => new Response(body, { status, headers: { 'content-type': 'text/plain', ...headers } })
}

/** The answers of others, as the stream that a server may choose instead of plain JSON. */
export function stream(...replies: Reply[]): Reply {
  return async (request) => {
    const messages = await Promise.all(replies.map(async (reply) => (await reply(request)).text()))
    const body = messages.map((message) => `event: message\ndata: ${message}\n\n`).join('')
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** A stream that stays open: each message that the test sends goes to the client, `end` closes it. */
export function openStream(): Reply & { send(message: Json): void; end(): void } {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const reply: Reply = () => {
    const body = new ReadableStream<Uint8Array>({
      start: (opened) => {
        controller = opened
      },
      cancel: () => {
        controller = undefined
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  return Object.assign(reply, {
    send: (message: Json) =>
      controller?.enqueue(encoder.encode(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)),
    end: () => controller?.close(),
  })
}

/** What the server tells of a task over a push stream. */
export interface PushStream {
  push(changes?: Json): void
  end(): void
}

/** A push stream that is acknowledged at once, each time one is opened. It is itself the one that was opened last. */
export function pushStream(onOpen: (opened: PushStream) => void = () => {}): Reply & PushStream {
  let latest: PushStream | undefined
  const reply: Reply = (request) => {
    const stream = openStream()
    const response = stream(request)
    const _meta = { 'io.modelcontextprotocol/subscriptionId': request.id }
    const { notifications } = request.params
    stream.send({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } })
    latest = {
      push: (changes) => stream.send({ method: 'notifications/tasks', params: { ...task(changes), _meta } }),
      end: stream.end,
    }
    onOpen(latest)
    return response
  }
  return Object.assign(reply, { push: (changes?: Json) => latest?.push(changes), end: () => latest?.end() })
}

/** Has the server speak MCP 2025-11-25 only. `headers` are those of each response to `initialize`, such as a session. */
export function speakLegacy(
  server: ScriptedServer,
  capabilities: Json = { tools: {} },
  headers: () => Record<string, string> = () => ({}),
): void {
  server.on('server/discover', rpcError(-32601, 'Method not found', { status: 400 }))
  const serverInfo = { name: 'scripted', version: '1.0.0' }
  server.on('initialize', ({ id }) =>
    Response.json(
      { jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } },
      { headers: headers() },
    ),
  )
}

/** What `fetch` does where there is nobody to talk to. */
export const unreachable: Reply = () => Promise.reject(new TypeError('fetch failed'))

/** No response, until the client gives up. */
export const silence: Reply = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))

/** Another reply, when the test says so. */
export function held(reply: Reply): Reply & { release(): void } {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return Object.assign(async (request: ScriptedRequest) => released.then(() => reply(request)), {
    release: () => release(),
  })
}
