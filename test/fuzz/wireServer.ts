import { type CallPlan, type ChaosServer, createChaosServer, type RpcRequest } from '../chaos/chaosServer.js'

type Json = Record<string, unknown>

/** What the server sends back: one message, or a stream that it may keep open. */
export type WireResponse =
  | { readonly type: 'message'; readonly message: Json; readonly headers?: Readonly<Record<string, string>> }
  | { readonly type: 'stream'; readonly open: (stream: WireStream) => void }
  /** For notifications and responses. */
  | { readonly type: 'accepted' }

/** The server's end of an event stream. */
export interface WireStream {
  readonly send: (message: Json) => void
  readonly end: () => void
  /** True once nobody reads it any more. */
  readonly isOver: () => boolean
}

export interface WireServer {
  readonly tasks: ChaosServer['tasks']
  readonly isAtWork: () => boolean
  answer(request: RpcRequest & { readonly result?: unknown }): WireResponse
}

export interface WireServerOptions {
  readonly era: 'modern' | 'legacy'
  /** Whether tasks can be listened to, in the modern era. */
  readonly push: boolean
  readonly now: () => number
  readonly later: (callback: () => void, delayMs: number) => void
  readonly onExecuted: (nonce: string) => void
}

const RELATED = 'io.modelcontextprotocol/related-task'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
/** When a stream looks for news first; each time it waits longer, since a client may be told to wait for weeks. */
const NEWS_AFTER_MS = 700
const NEWS_SLOWER_BY = 1.3

/** Ids that nothing else looks like, so that one that turns up somewhere is one that has leaked. */
export const taskIdOf = (sequence: number): string => `task-${sequence}-4f1c9a7be2d85063`
export const SESSION_ID = 'session-93b1f7c02ad6e458'

/** A sane server that speaks either revision on the wire, for responses to be mangled. */
export function createWireServer({ era, push, now, later, onExecuted }: WireServerOptions): WireServer {
  const server = createChaosServer({ now, onExecuted, taskId: taskIdOf })
  const isAtWork = () =>
    [...server.tasks.values()].some((task) => server.truth(task) === undefined && !server.isExpired(task))
  const answer = era === 'modern' ? modern : legacy
  return {
    tasks: server.tasks,
    isAtWork,
    answer: (request) => (request.method === undefined || request.id === undefined ? accept(request) : answer(request)),
  }

  /** A notification, or the response to an input request of the legacy era. */
  function accept({ id, result }: { readonly id?: string | number; readonly result?: unknown }): WireResponse {
    const [, taskId, key = ''] = /^ask (\S+) (\S+)$/.exec(String(id)) ?? []
    if (taskId !== undefined && typeof result === 'object')
      server.handle({ method: 'tasks/update', params: { taskId, inputResponses: { [key]: result } } })
    return { type: 'accepted' }
  }

  function modern(request: RpcRequest): WireResponse {
    if (request.method === 'subscriptions/listen' && push) return listen(request)
    return message(request, { ...server.handle(request) })
  }

  function listen({ id, params = {} }: RpcRequest): WireResponse {
    const wanted = (params['notifications'] as { taskIds?: string[] } | undefined)?.taskIds ?? []
    const taskIds = wanted.filter((taskId) => server.tasks.has(taskId))
    const _meta = { [SUBSCRIPTION]: id }
    const open = ({ send, end, isOver }: WireStream) => {
      const told = new Map<string, string>()
      const nextMs = slowingDown()
      const tell = () => {
        if (isOver()) return
        let isOpen = false
        for (const taskId of taskIds) {
          const answered = server.handle({ method: 'tasks/get', params: { taskId } })
          if (!('result' in answered)) continue
          const { resultType: _, ...snapshot } = answered.result
          isOpen ||= snapshot['status'] === 'working' || snapshot['status'] === 'input_required'
          if (told.get(taskId) === JSON.stringify(snapshot)) continue
          told.set(taskId, JSON.stringify(snapshot))
          send({ jsonrpc: '2.0', method: 'notifications/tasks', params: { ...snapshot, _meta } })
        }
        if (isOpen) return later(tell, nextMs())
        send({ jsonrpc: '2.0', id, result: { resultType: 'complete' } })
        end()
      }
      const params = { notifications: { taskIds }, _meta }
      send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params })
      later(tell, nextMs())
    }
    return { type: 'stream', open }
  }

  function legacy(request: RpcRequest): WireResponse {
    const { method, params = {} } = request
    switch (method) {
      case 'server/discover':
        return message(request, { error: { code: -32601, message: 'Method not found' } })
      case 'initialize': {
        const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
        const serverInfo = { name: 'fuzz', version: '1.0.0' }
        const result = { protocolVersion: '2025-11-25', capabilities, serverInfo }
        return message(request, { result }, { 'mcp-session-id': SESSION_ID })
      }
      case 'tools/list': {
        const execution = { taskSupport: 'optional' }
        const inputSchema = { type: 'object' }
        const tools = [
          { name: 'work', inputSchema, execution },
          { name: 'look', inputSchema, execution, annotations: { readOnlyHint: true } },
        ]
        return message(request, { result: { tools } })
      }
      case 'tools/call': {
        const plan = params['arguments'] as CallPlan
        const isTask = params['task'] !== undefined || plan.answer === 'refusal'
        const answered = server.handle(
          isTask ? request : { ...request, params: { ...params, arguments: { ...plan, answer: 'result' } } },
        )
        if (!('result' in answered)) return message(request, { ...answered })
        const { resultType, ...result } = answered.result
        return message(request, { result: resultType === 'task' ? { task: legacyTask(result) } : result })
      }
      case 'tasks/get':
      case 'tasks/cancel': {
        const taskId = params['taskId']
        const answered = server.handle(request)
        const got = 'result' in answered ? server.handle({ method: 'tasks/get', params: { taskId } }) : answered
        return message(request, 'result' in got ? { result: legacyTask(got.result) } : { ...got })
      }
      case 'tasks/result':
        return { type: 'stream', open: (stream) => sendResult(request, stream) }
      default:
        return message(request, { ...server.handle(request) })
    }
  }

  /** Asks what the task asks, and sends the result when there is one (2025-11-25, "Result Retrieval"). */
  function sendResult({ id, params = {} }: RpcRequest, { send, end, isOver }: WireStream): void {
    const taskId = String(params['taskId'])
    const _meta = { [RELATED]: { taskId } }
    const asked = new Set<string>()
    const nextMs = slowingDown()
    const tell = () => {
      if (isOver()) return
      const answered = server.handle({ method: 'tasks/get', params: { taskId } })
      if (!('result' in answered)) return over({ error: answered.error })
      const { status, result, error, inputRequests = {} } = answered.result
      for (const [key, question] of Object.entries(inputRequests as Record<string, Json>)) {
        if (asked.has(key)) continue
        asked.add(key)
        const own = { ...(question['params'] as Json), _meta }
        send({ jsonrpc: '2.0', id: `ask ${taskId} ${key}`, method: question['method'], params: own })
      }
      if (status === 'completed') return over({ result: { ...(result as Json), _meta } })
      if (status === 'failed') return over({ error })
      if (status === 'cancelled') return over({ error: { code: -32000, message: 'The task was cancelled' } })
      later(tell, nextMs())
    }
    const over = (outcome: Json) => {
      send({ jsonrpc: '2.0', id, ...outcome })
      end()
    }
    tell()
  }
}

function message({ id }: RpcRequest, answer: Json, headers?: Record<string, string>): WireResponse {
  return { type: 'message', message: { jsonrpc: '2.0', id, ...answer }, ...(headers && { headers }) }
}

function legacyTask({ ttlMs, pollIntervalMs, ...task }: Json): Json {
  const { result: _, error: __, inputRequests: ___, resultType: ____, ...bare } = task
  return { ...bare, ttl: ttlMs, pollInterval: pollIntervalMs }
}

function slowingDown(): () => number {
  let delayMs = NEWS_AFTER_MS
  return () => {
    delayMs *= NEWS_SLOWER_BY
    return delayMs / NEWS_SLOWER_BY
  }
}
