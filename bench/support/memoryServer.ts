import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/client'

/** Tools of {@link createMemoryServer}, by what becomes of a call. */
export type MemoryTool =
  /** A result at once. */
  | 'echo'
  /** A task that never ends, polled each second. */
  | 'work'
  /** A task that never ends, polled once a day. */
  | 'idle'
  /** A task that its first poll, after a second, finds completed. */
  | 'short'

/**
 * An MCP server of revision 2026-07-28 that costs next to nothing: it remembers no task, reads no JSON, and responses
 * in the microtask after the request. What is left is what the client costs.
 */
export interface MemoryServer {
  /** A new connection. */
  connect(): Transport
  /** The same over HTTP. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** `tools/call` that have arrived. */
  calls(): number
  /** `tasks/get` that have arrived. */
  polls(): number
  /** What a task says of itself changes with this number. */
  revisionOf: (taskId: string) => number
}

type Json = Record<string, unknown>

const TASKS = 'io.modelcontextprotocol/tasks'
const SECOND = 1000
const DAY = 24 * 60 * 60 * SECOND
const CREATED_AT = Date.UTC(2026, 6, 28)
const RESULT = { content: [{ type: 'text', text: 'done' }] }
const TOOLS: readonly MemoryTool[] = ['echo', 'work', 'idle', 'short']

export function createMemoryServer(): MemoryServer {
  let polls = 0
  let calls = 0

  function snapshot(taskId: string): Json {
    const revision = server.revisionOf(taskId)
    return {
      taskId,
      status: 'working',
      statusMessage: `step ${revision}`,
      createdAt: new Date(CREATED_AT).toISOString(),
      lastUpdatedAt: new Date(CREATED_AT + revision).toISOString(),
      ttlMs: null,
      pollIntervalMs: taskId.startsWith('idle') ? DAY : SECOND,
    }
  }

  function call(name: unknown): Json {
    calls += 1
    if (name === 'echo') return { resultType: 'complete', ...RESULT }
    return { resultType: 'task', ...snapshot(`${String(name)}-${calls}`) }
  }

  function getTask(taskId: string): Json {
    polls += 1
    const isDone = taskId.startsWith('short')
    return {
      resultType: 'complete',
      ...snapshot(taskId),
      ...(isDone && { status: 'completed', result: { resultType: 'complete', ...RESULT } }),
    }
  }

  function answer(method: string, params: Json): Json | undefined {
    switch (method) {
      case 'server/discover':
        return {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, extensions: { [TASKS]: {} } },
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'memory', version: '1.0.0' } },
        }
      case 'tools/list': {
        const tools = TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } }))
        return { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }
      }
      case 'tools/call':
        return call(params['name'])
      case 'tasks/get':
        return getTask(String(params['taskId']))
      default:
        return undefined
    }
  }

  function reply({ id, method, params = {} }: JSONRPCRequest): JSONRPCMessage {
    const result = answer(method, params)
    const error = { code: -32601, message: 'Method not found' }
    return { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) } as JSONRPCMessage
  }

  function connect(): Transport {
    const transport: Transport = {
      start: () => Promise.resolve(),
      close: async () => transport.onclose?.(),
      send: async (message) => {
        if (!('method' in message) || !('id' in message)) return
        const answered = reply(message)
        queueMicrotask(() => transport.onmessage?.(answered))
      },
    }
    return transport
  }

  async function fetch(_url: string | URL, { method, body }: RequestInit = {}): Promise<Response> {
    if (method !== 'POST') return new Response(null, { status: 405 })
    return Response.json(reply(JSON.parse(String(body))))
  }

  const server: MemoryServer = { connect, fetch, calls: () => calls, polls: () => polls, revisionOf: () => 0 }
  return server
}
