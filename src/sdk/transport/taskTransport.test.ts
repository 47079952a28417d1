import type { JSONRPCMessage, JSONRPCRequest, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { TaskFailedError, TaskProtocolError } from '../../core/protocol/errors.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { Task } from '../../core/protocol/task.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { type FollowTask, type FollowTaskContext, HeldCalls } from '../withTasks/heldCalls.js'
import { CALL_TOKEN_META } from './callToken.js'
import { TaskTransport } from './taskTransport.js'
import type { FollowerContext } from './toolCalls.js'

type Json = Record<string, unknown>

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const DECLARED = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const ENVELOPE = {
  [VERSION]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'app', version: '1' },
  [CAPABILITIES]: {},
}
const TASK: Task = {
  taskId: 'task-secret-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
}
const RESULT: CallToolResult = { content: [{ type: 'text', text: 'done' }] }

const request = (id: number, method: string, params: Json = {}): JSONRPCRequest =>
  ({
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, _meta: { ...ENVELOPE, ...(params['_meta'] as Json) } },
  }) as JSONRPCRequest
const callTool = (id: number, meta: Json = {}): JSONRPCRequest =>
  request(id, 'tools/call', { name: 'report', _meta: meta })
const answer = (id: string | number, result: Json): JSONRPCMessage => ({ jsonrpc: '2.0', id, result }) as JSONRPCMessage
const asTask = (id: number): JSONRPCMessage => answer(id, { ...TASK, resultType: 'task' })
const refusal = (id: string | number, code = -32602): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: 'No' },
})

/** A turn of the event loop, in which every promise that can settle does. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A held task whose end the test decides. */
function holding() {
  const held: {
    task: Task
    context: FollowTaskContext
    resolve(result: CallToolResult): void
    reject(error: Error): void
  }[] = []
  const hold: FollowTask = (task, context) =>
    new Promise((resolve, reject) => {
      held.push({ task, context, resolve, reject })
    })
  return { held, hold }
}

const withFollower = (follow: FollowTask) => ({
  createFollower: (context: FollowerContext) =>
    new HeldCalls(context, {
      follow,
      environment: createSimulatedEnvironment().environment,
      resetTimeoutAfterMs: undefined,
    }),
})

function connect(options: { failing?: Error; hold?: FollowTask } = {}) {
  const { held, hold } = holding()
  const sent: { message: Json; options: TransportSendOptions }[] = []
  const inner: Transport = {
    hasPerRequestStream: true,
    sessionId: 'session-1',
    start: vi.fn(() => Promise.resolve()),
    close: async () => inner.onclose?.(),
    send: (message, sendOptions = {}) => {
      sent.push({ message: message as unknown as Json, options: sendOptions })
      return options.failing ? Promise.reject(options.failing) : Promise.resolve()
    },
  }
  const transport = new TaskTransport(inner, withFollower(options.hold ?? hold))
  const delivered: Json[] = []
  const closed: string[] = []
  transport.onmessage = (message) => delivered.push(message as unknown as Json)
  transport.onclose = () => closed.push('closed')
  const receive = (message: JSONRPCMessage): void => inner.onmessage?.(message)
  const last = () => sent.at(-1)
  /** What became of a promise so far. */
  const track = (promise: Promise<unknown>) => {
    const state: { value?: unknown; error?: unknown; done: boolean } = { done: false }
    promise.then(
      (value) => Object.assign(state, { value, done: true }),
      (error: unknown) => Object.assign(state, { error, done: true }),
    )
    return state
  }
  return { inner, transport, sent, delivered, closed, held, receive, last, track }
}

const metaOf = (message: Json = {}): Json => (message['params'] as { _meta: Json })._meta

describe('the envelope', () => {
  it.each(['server/discover', 'tools/list', 'tools/call', 'resources/read'])(
    'of %s declares the extension',
    (method) => {
      const { transport, last } = connect()
      void transport.send(request(1, method))
      expect(metaOf(last()?.message)).toEqual({ ...ENVELOPE, [CAPABILITIES]: DECLARED })
    },
  )

  it('of a notification declares it, too', () => {
    const { transport, last } = connect()
    void transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed', params: { _meta: ENVELOPE } })
    expect(metaOf(last()?.message)).toEqual({ ...ENVELOPE, [CAPABILITIES]: DECLARED })
  })

  it('keeps what the client declares besides', () => {
    const { transport, last } = connect()
    void transport.send(request(1, 'tools/list', { _meta: { [CAPABILITIES]: { sampling: {} } } }))
    expect(metaOf(last()?.message)[CAPABILITIES]).toEqual({ sampling: {}, ...DECLARED })
  })

  it('leaves the message that it was given alone', () => {
    const { transport } = connect()
    const message = callTool(1)
    const before = structuredClone(message)
    void transport.send(message)
    expect(message).toEqual(before)
  })

  const legacy: JSONRPCMessage[] = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} },
    },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'report', arguments: {} } },
    { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'report', _meta: { progressToken: 4 } } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ]

  it.each(legacy.map((message) => [JSON.stringify(message), message] as const))('is not put on %s', (_, message) => {
    const { transport, last } = connect()
    void transport.send(message)
    expect(last()?.message).toEqual(message)
  })

  it('is not put on answers to the server', () => {
    const { transport, last } = connect()
    void transport.send(answer(9, { roots: [] }))
    expect(last()?.message).toEqual(answer(9, { roots: [] }))
  })
})

describe('the token of a call', () => {
  it.each([
    ['on a modern call', callTool(1, { [CALL_TOKEN_META]: 'token-1', progressToken: 1 })],
    [
      'on a legacy call',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: { [CALL_TOKEN_META]: 'token-1' } } },
    ],
    ['nobody has registered', callTool(1, { [CALL_TOKEN_META]: 'token-2' })],
  ])('never leaves: %s', (_, message) => {
    const { transport, sent } = connect()
    transport.register('token-1', {})
    void transport.send(message as JSONRPCMessage)
    expect(sent).toHaveLength(1)
    expect(JSON.stringify(sent[0]?.message)).not.toMatch(/token-\d|dev\.taskwire/)
  })

  it('hands the task of its own call over, and of no other', async () => {
    const { transport, receive, held } = connect()
    transport.register('token-1', {})
    const sent = transport.send(callTool(1, { [CALL_TOKEN_META]: 'token-1' }))
    void transport.send(callTool(2))
    receive(asTask(1))
    receive(asTask(2))
    await expect(sent).rejects.toMatchObject({ task: TASK })
    expect(held).toHaveLength(1)
  })

  it('keeps a repeated response from the SDK client until it is released', async () => {
    const { transport, receive, delivered } = connect()
    const release = transport.register('token-1', {})
    const sent = transport.send(callTool(1, { [CALL_TOKEN_META]: 'token-1' }))
    receive(asTask(1))
    receive(asTask(1))
    await expect(sent).rejects.toMatchObject({ task: TASK })
    expect(delivered).toEqual([])
    release()
    receive(asTask(1))
    expect(delivered).toHaveLength(1)
  })

  it('is forgotten when it is released', () => {
    const { transport, receive, held } = connect()
    transport.register('token-1', {})()
    void transport.send(callTool(1, { [CALL_TOKEN_META]: 'token-1' }))
    receive(asTask(1))
    expect(held).toHaveLength(1)
  })

  it('with a result answers the call without asking the server', async () => {
    const { transport, sent, delivered } = connect()
    transport.register('token-1', { result: RESULT })
    await transport.send(callTool(1, { [CALL_TOKEN_META]: 'token-1' }))
    expect(sent).toEqual([])
    expect(delivered).toEqual([answer(1, { ...RESULT, resultType: 'complete' } as unknown as Json)])
  })

  it('hears whether the server has refused the call', () => {
    const { transport, receive } = connect()
    const call = { refused: false }
    transport.register('token-1', call)
    void transport.send(callTool(1, { [CALL_TOKEN_META]: 'token-1' }))
    receive(refusal(1))
    expect(call.refused).toBe(true)
  })
})

describe('a tools/call', () => {
  it('that is answered at once is passed on as it is', async () => {
    const { transport, receive, delivered, track } = connect()
    const send = track(transport.send(callTool(7)))
    await settle()
    expect(send.done).toBe(false)
    const message = answer(7, { ...RESULT, resultType: 'complete' } as unknown as Json)
    receive(message)
    await settle()
    expect(delivered).toEqual([message])
    expect(send).toEqual({ done: true, value: undefined })
  })

  it('that is refused is passed on as it is', async () => {
    const { transport, receive, delivered, track } = connect()
    const send = track(transport.send(callTool(7)))
    receive(refusal(7))
    await settle()
    expect(delivered).toEqual([refusal(7)])
    expect(send).toEqual({ done: true, value: undefined })
  })

  it('that asks for input first is passed on as it is', () => {
    const { transport, receive, delivered, held } = connect()
    void transport.send(callTool(7))
    const message = answer(7, { resultType: 'input_required', inputRequests: {} })
    receive(message)
    expect(delivered).toEqual([message])
    expect(held).toEqual([])
  })

  it('that is answered by a task is held, and answered when the task is done', async () => {
    const { transport, receive, delivered, held, track } = connect()
    const send = track(transport.send(callTool(7)))
    receive(asTask(7))
    await settle()
    expect(delivered).toEqual([])
    expect(send.done).toBe(false)
    expect(held[0]?.task).toEqual(TASK)
    expect(held[0]?.context.transport).toBe(transport)

    held[0]?.resolve(RESULT)
    await settle()
    expect(delivered).toEqual([answer(7, { content: RESULT.content, resultType: 'complete' })])
    expect(send).toEqual({ done: true, value: undefined })
  })

  it('that ends in an error rejects with that very error', async () => {
    const { transport, receive, delivered, held, track } = connect()
    const send = track(transport.send(callTool(7)))
    receive(asTask(7))
    const error = new TaskFailedError({ code: 1, message: 'no' })
    held[0]?.reject(error)
    await settle()
    expect(send.error).toBe(error)
    expect(delivered).toEqual([])
  })

  it('that is answered by something that only calls itself a task rejects with TaskProtocolError', async () => {
    const { transport, receive, held, track } = connect()
    const send = track(transport.send(callTool(7)))
    receive(answer(7, { resultType: 'task', status: 'working' }))
    await settle()
    expect(send.error).toBeInstanceOf(TaskProtocolError)
    expect(send.error).toMatchObject({ source: 'tools/call', violation: 'the task has no taskId' })
    expect(held).toEqual([])
  })

  it('of the legacy era is not held: a task of that name is none there', () => {
    const { transport, receive, delivered, held } = connect()
    void transport.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'report' } })
    receive(asTask(7))
    expect(held).toEqual([])
    expect(delivered).toEqual([asTask(7)])
  })

  it('whose transport fails rejects with what it failed with', async () => {
    const failing = new TypeError('fetch failed')
    const { transport } = connect({ failing })
    await expect(transport.send(callTool(7))).rejects.toBe(failing)
  })

  it('is answered once, however often the server answers', async () => {
    const { transport, receive, delivered, held } = connect()
    void transport.send(callTool(7))
    receive(asTask(7))
    held[0]?.resolve(RESULT)
    await settle()
    held[0]?.resolve(RESULT)
    await settle()
    expect(delivered).toHaveLength(1)
  })

  it('is followed once, however often the server says that it has become a task', () => {
    const { transport, receive, held, delivered } = connect()
    void transport.send(callTool(7))
    receive(asTask(7))
    receive(asTask(7))
    expect(held).toHaveLength(1)
    expect(delivered).toEqual([])
  })

  it('that is over is known no more: a response that comes then is for the client to judge', async () => {
    const { transport, receive, delivered, held } = connect()
    void transport.send(callTool(7))
    receive(asTask(7))
    held[0]?.resolve(RESULT)
    await settle()
    receive(asTask(7))
    expect(delivered).toHaveLength(2)
    expect(delivered[1]).toEqual(asTask(7))
  })

  it('keeps apart from its neighbours', async () => {
    const { transport, receive, delivered, held, track } = connect()
    const sends = [1, 2, 3].map((id) => track(transport.send(callTool(id))))
    for (const id of [1, 2, 3]) receive(asTask(id))
    held[1]?.resolve(RESULT)
    await settle()
    expect(delivered.map(({ id }) => id)).toEqual([2])
    expect(sends.map(({ done }) => done)).toEqual([false, true, false])
  })
})

describe('another method answered by a task', () => {
  it.each(['tools/list', 'resources/read', 'prompts/get', 'server/discover'])(
    'is passed on, so that the SDK refuses it: %s',
    (method) => {
      const { transport, receive, delivered, held } = connect()
      void transport.send(request(7, method))
      receive(asTask(7))
      expect(held).toEqual([])
      expect(delivered).toEqual([asTask(7)])
    },
  )
})

describe('progress', () => {
  const progressOf = (messages: Json[]) =>
    messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)

  it.each([7, 'token', 0])('under the token %j is sent with each status, always more', async (progressToken) => {
    const { transport, receive, delivered, held } = connect()
    void transport.send(callTool(7, { progressToken }))
    receive(asTask(7))
    held[0]?.context.onStatus({ ...TASK, statusMessage: 'Half way' })
    held[0]?.context.onStatus(TASK)
    held[0]?.context.onStatus({ ...TASK, statusMessage: 'Nearly' })
    expect(progressOf(delivered)).toEqual([
      { progressToken, progress: 1, message: 'Half way' },
      { progressToken, progress: 2 },
      { progressToken, progress: 3, message: 'Nearly' },
    ])
  })

  it('is sent to no client that has not asked for it', () => {
    const { transport, receive, delivered, held } = connect()
    void transport.send(callTool(7))
    receive(asTask(7))
    held[0]?.context.onStatus(TASK)
    expect(delivered).toEqual([])
  })

  it('ends with the call', () => {
    const { transport, receive, delivered, held } = connect()
    const abort = new AbortController()
    void transport.send(callTool(7, { progressToken: 7 }), { requestSignal: abort.signal })
    receive(asTask(7))
    abort.abort()
    held[0]?.context.onStatus(TASK)
    expect(delivered).toEqual([])
  })

  it('of the server itself is passed on', () => {
    const { transport, receive, delivered } = connect()
    void transport.send(callTool(7, { progressToken: 7 }))
    const message: JSONRPCMessage = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 7, progress: 1 },
    }
    receive(message)
    expect(delivered).toEqual([message])
  })
})

describe('a request of our own', () => {
  const connected = () => {
    const connection = connect()
    void connection.transport.send(request(0, 'server/discover'))
    connection.sent.length = 0
    return connection
  }

  it('goes out under an id of its own, with the envelope of the client and nothing else of its last message', () => {
    const { transport, last } = connected()
    void transport.send(callTool(1, { progressToken: 1, [CALL_TOKEN_META]: 'token-1' }))
    transport.request('tasks/get', { taskId: 't1' }).catch(() => {})
    expect(last()?.message).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^taskwire:/),
      method: 'tasks/get',
      params: { taskId: 't1', _meta: { ...ENVELOPE, [CAPABILITIES]: DECLARED } },
    })
  })

  it('never uses an id twice', () => {
    const { transport, sent } = connected()
    for (let count = 0; count < 5; count += 1) transport.request('tasks/get', { taskId: 't1' }).catch(() => {})
    expect(new Set(sent.map(({ message }) => message['id'])).size).toBe(5)
  })

  it('is answered here: the client never sees its id', async () => {
    const { transport, receive, last, delivered } = connected()
    const answered = transport.request('tasks/get', { taskId: 't1' })
    receive(answer(String(last()?.message['id']), { resultType: 'complete', status: 'working' }))
    await expect(answered).resolves.toEqual({ resultType: 'complete', status: 'working' })
    expect(delivered).toEqual([])
  })

  it('rejects with the error of the server, data included', async () => {
    const { transport, receive, last, delivered } = connected()
    const answered = transport.request('tasks/get', { taskId: 't1' })
    receive({
      jsonrpc: '2.0',
      id: String(last()?.message['id']),
      error: { code: -32602, message: 'Unknown', data: { a: 1 } },
    })
    await expect(answered).rejects.toMatchObject({ code: -32602, message: 'Unknown', data: { a: 1 } })
    expect(delivered).toEqual([])
  })

  it('swallows a response that comes too late, and one that comes twice', async () => {
    const { transport, receive, last, delivered } = connected()
    const abort = new AbortController()
    const reason = new Error('enough')
    const answered = transport.request('tasks/get', { taskId: 't1' }, abort.signal)
    const id = String(last()?.message['id'])
    abort.abort(reason)
    await expect(answered).rejects.toBe(reason)
    expect(last()?.options.requestSignal?.aborted).toBe(true)
    receive(answer(id, {}))
    receive(refusal(id))
    receive(answer('taskwire:999', {}))
    expect(delivered).toEqual([])
  })

  it('does not go out where it was given up before', async () => {
    const { transport, sent } = connected()
    const reason = new Error('enough')
    await expect(transport.request('tasks/get', { taskId: 't1' }, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(sent).toEqual([])
  })

  it('rejects where its stream ends without a response', async () => {
    const { transport, last } = connected()
    const answered = transport.request('tasks/get', { taskId: 't1' })
    last()?.options.onRequestStreamEnd?.()
    await expect(answered).rejects.toThrow('The stream ended before the response to tasks/get')
  })

  it('keeps its response where the stream ends after it', async () => {
    const { transport, receive, last } = connected()
    const answered = transport.request('tasks/get', { taskId: 't1' })
    receive(answer(String(last()?.message['id']), { ok: true }))
    last()?.options.onRequestStreamEnd?.()
    await expect(answered).resolves.toEqual({ ok: true })
  })

  it('rejects where nothing is connected yet, or what answers is legacy', async () => {
    const { transport, sent } = connect()
    await expect(transport.request('tasks/get', { taskId: 't1' })).rejects.toMatchObject({ code: 'NOT_CONNECTED' })
    expect(sent).toEqual([])
  })

  it('rejects with what the transport fails with', async () => {
    const failing = new TypeError('fetch failed')
    const { transport } = connect({ failing })
    transport.send(request(0, 'server/discover')).catch(() => {})
    await expect(transport.request('tasks/get', { taskId: 't1' })).rejects.toBe(failing)
  })

  it('leaves no listener on a signal that lives longer', async () => {
    const { transport, receive, last } = connected()
    const signal = new AbortController().signal
    const counted = { added: 0, removed: 0 }
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counted.added += 1
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counted.removed += 1
      remove(...args)
    }
    const answered = transport.request('tasks/get', { taskId: 't1' }, signal)
    receive(answer(String(last()?.message['id']), {}))
    await answered
    expect(counted).toEqual({ added: 1, removed: 1 })
  })
})

describe('the stream of a call', () => {
  it('that ends without a response is a failure, and the client is notified of the end', async () => {
    const { transport, last, track } = connect()
    const ends: string[] = []
    const send = track(transport.send(callTool(7), { onRequestStreamEnd: () => ends.push('end') }))
    last()?.options.onRequestStreamEnd?.()
    await settle()
    expect(send.error).toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(ends).toEqual(['end'])
  })

  it('that ends after the response is none', async () => {
    const { transport, receive, last, track, delivered } = connect()
    const send = track(transport.send(callTool(7)))
    receive(answer(7, { ...RESULT, resultType: 'complete' } as unknown as Json))
    last()?.options.onRequestStreamEnd?.()
    await settle()
    expect(send).toEqual({ done: true, value: undefined })
    expect(delivered).toHaveLength(1)
  })

  it('that ends after a task was the response does not end the holding', async () => {
    const { transport, receive, last, held, delivered, track } = connect()
    const send = track(transport.send(callTool(7)))
    receive(asTask(7))
    last()?.options.onRequestStreamEnd?.()
    await settle()
    expect(send.done).toBe(false)
    held[0]?.resolve(RESULT)
    await settle()
    expect(delivered).toHaveLength(1)
  })
})

describe('giving a call up', () => {
  it('before its response goes to the transport below', async () => {
    const { transport, last, track } = connect()
    const abort = new AbortController()
    const send = track(transport.send(callTool(7), { requestSignal: abort.signal }))
    expect(last()?.options.requestSignal?.aborted).toBe(false)
    abort.abort()
    expect(last()?.options.requestSignal?.aborted).toBe(true)
    await settle()
    expect(send.done).toBe(true)
  })

  it('while it is held detaches: the hold is told, and nothing is sent', async () => {
    const { transport, receive, sent, held, delivered, track } = connect()
    const abort = new AbortController()
    const send = track(transport.send(callTool(7), { requestSignal: abort.signal }))
    receive(asTask(7))
    expect(held[0]?.context.signal.aborted).toBe(false)
    abort.abort()
    await settle()
    expect(held[0]?.context.signal.aborted).toBe(true)
    expect(send).toEqual({ done: true, value: undefined })
    expect(sent).toHaveLength(1)

    held[0]?.resolve(RESULT)
    await settle()
    expect(delivered).toEqual([])
  })

  const cancelled = (requestId: unknown): JSONRPCMessage =>
    ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'timeout' } }) as JSONRPCMessage

  // [TASK-CANCEL-BY-REQUEST]
  it('by notifications/cancelled is never said of a task', async () => {
    const { transport, receive, sent, held, track } = connect()
    const send = track(transport.send(callTool(7)))
    receive(asTask(7))
    await transport.send(cancelled(7))
    await settle()
    expect(sent.map(({ message }) => message['method'])).toEqual(['tools/call'])
    expect(held[0]?.context.signal.aborted).toBe(true)
    expect(send.done).toBe(true)
  })

  it('by notifications/cancelled is passed on for a call that has no response yet', async () => {
    const { transport, sent } = connect()
    void transport.send(callTool(7))
    await transport.send(cancelled(7))
    expect(sent.map(({ message }) => message['method'])).toEqual(['tools/call', 'notifications/cancelled'])
  })

  it.each([8, 'taskwire:1', undefined, null, {}])(
    'by notifications/cancelled is passed on for %j',
    async (requestId) => {
      const { transport, receive, sent, held } = connect()
      void transport.send(callTool(7))
      receive(asTask(7))
      await transport.send(cancelled(requestId))
      expect(sent).toHaveLength(2)
      expect(held[0]?.context.signal.aborted).toBe(false)
    },
  )
})

describe('a call whose input request is being handled', () => {
  const question: InputRequest = { method: 'roots/list', params: {} }
  const asking = (options?: TransportSendOptions) => {
    const connected = connect()
    const { transport, receive, held } = connected
    void transport.send(callTool(7, { [CAPABILITIES]: { roots: {} } }), options)
    receive(asTask(7))
    void held[0]?.context.ask({ q1: question })
    const { requestState } = (connected.delivered.at(-1)?.['result'] ?? {}) as Json
    return { ...connected, signal: held[0]?.context.signal, requestState }
  }

  it('is over with the connection: the hold is told', async () => {
    const { transport, signal } = asking()
    expect(signal?.aborted).toBe(false)
    await transport.close()
    expect(signal?.aborted).toBe(true)
  })

  it('can be given up by notifications/cancelled, which the server never receives', async () => {
    const { transport, signal, sent } = asking()
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    expect(signal?.aborted).toBe(true)
    expect(sent).toHaveLength(1)
  })

  it('can be given up by the signal of the request', () => {
    const abort = new AbortController()
    const { signal } = asking({ requestSignal: abort.signal })
    abort.abort()
    expect(signal?.aborted).toBe(true)
  })

  it('never becomes a second call where the response comes after its end', async () => {
    const { transport, sent, requestState, track } = asking()
    await transport.close()
    const late = track(transport.send(request(8, 'tools/call', { name: 'report', requestState, inputResponses: {} })))
    await settle()
    expect(late.error).toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(sent).toHaveLength(1)
  })
})

describe('closing', () => {
  it('rejects every call and every request, held or not, and passes the end on', async () => {
    const { transport, receive, closed, track } = connect()
    void transport.send(request(0, 'server/discover'))
    const open = track(transport.send(callTool(1)))
    const held = track(transport.send(callTool(2)))
    receive(asTask(2))
    const poll = track(transport.request('tasks/get', { taskId: 't1' }))
    await transport.close()
    await settle()
    for (const one of [open, held, poll]) expect(one.error).toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(closed).toEqual(['closed'])
  })

  it('tells the holds, so that nobody polls on', async () => {
    const { transport, receive, held } = connect()
    transport.send(callTool(2)).catch(() => {})
    receive(asTask(2))
    await transport.close()
    expect(held[0]?.context.signal.aborted).toBe(true)
  })

  it('leaves nothing to be delivered later', async () => {
    const { transport, receive, held, delivered } = connect()
    transport.send(callTool(2)).catch(() => {})
    receive(asTask(2))
    await transport.close()
    held[0]?.resolve(RESULT)
    await settle()
    expect(delivered).toEqual([])
  })
})

describe('as a transport', () => {
  it('passes start, session, versions, errors and other messages through', async () => {
    const versions: unknown[] = []
    const errors: Error[] = []
    const { inner, transport, receive, delivered } = connect()
    inner.setProtocolVersion = (version) => versions.push(version)
    inner.setSupportedProtocolVersions = (supported) => versions.push(supported)
    transport.onerror = (error) => errors.push(error)
    await transport.start()
    transport.setProtocolVersion('2026-07-28')
    transport.setSupportedProtocolVersions(['2026-07-28'])
    inner.onerror?.(new Error('hm'))
    receive({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    expect(inner.start).toHaveBeenCalledOnce()
    expect(transport.sessionId).toBe('session-1')
    expect(transport.hasPerRequestStream).toBe(true)
    expect(versions).toEqual(['2026-07-28', ['2026-07-28']])
    expect(errors.map(({ message }) => message)).toEqual(['hm'])
    expect(delivered).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
  })

  it('shows who observes it what is sent and what comes, those of a task as well', () => {
    const { transport, receive } = connect()
    const seen: unknown[] = []
    transport.onMessage = (message, isSent) => seen.push([isSent ? 'sent' : 'received', message])
    const note: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }
    void transport.send(note)
    receive(asTask(7))
    expect(seen).toEqual([
      ['sent', note],
      ['received', asTask(7)],
    ])
  })

  it('keeps the listeners that the transport below had', () => {
    const received: string[] = []
    const inner: Transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: () => Promise.resolve(),
      onmessage: () => received.push('message'),
      onerror: () => received.push('error'),
      onclose: () => received.push('close'),
    }
    const transport = new TaskTransport(inner, withFollower(holding().hold))
    inner.onmessage?.({ jsonrpc: '2.0', method: 'notifications/x' })
    inner.onerror?.(new Error('hm'))
    inner.onclose?.()
    expect(received).toEqual(['message', 'error', 'close'])
    expect(transport.hasPerRequestStream).toBe(false)
  })
})
