import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../core/protocol/json.js'
import type { TaskOptIn } from '../../core/wire/taskApi.js'
import { CALL_TOKEN_META, type OwnCall } from './callToken.js'
import { TaskTransport } from './taskTransport.js'

const AT = '2026-07-28T00:00:00Z'
const TASK = { taskId: 't1', status: 'working', createdAt: AT, lastUpdatedAt: AT, ttlMs: null } as const
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { roots: {} },
}
const RESULT = { content: [] }
const never = () => new Promise<never>(() => {})

const request = (id: number, meta?: JsonObject, method = 'tools/call'): JSONRPCRequest => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { name: 'report', ...(meta && { _meta: meta }) },
})
const modern = (id: number, token?: string) => request(id, { ...ENVELOPE, ...(token && { [CALL_TOKEN_META]: token }) })
const legacy = (id: number, token: string) => request(id, { [CALL_TOKEN_META]: token })
const answer = (id: number, result: object) => ({ jsonrpc: '2.0', id, result }) as JSONRPCMessage
const asTask = (id: number) => answer(id, { ...TASK, resultType: 'task' })

/** A transport over one that only keeps what it is given. */
function setUp() {
  const sent: JSONRPCMessage[] = []
  const inner: Transport = {
    start: async () => {},
    close: async () => inner.onclose?.(),
    send: async (message) => void sent.push(message),
  }
  const transport = new TaskTransport(inner, {})
  const delivered: JSONRPCMessage[] = []
  transport.onmessage = (message) => void delivered.push(message)
  /** Sends a call, and shows what became of it. */
  function call(message: JSONRPCRequest, own?: OwnCall, signal?: AbortSignal) {
    const token = String(message.params?._meta?.[CALL_TOKEN_META])
    const release = own ? transport.register(token, own) : () => {}
    const outcome: { settled?: boolean; error?: unknown } = {}
    transport.send(message, signal && { requestSignal: signal }).then(
      () => Object.assign(outcome, { settled: true }),
      (error: unknown) => Object.assign(outcome, { error }),
    )
    return { release, outcome }
  }
  const receive = (message: JSONRPCMessage) => inner.onmessage?.(message)
  return { inner, transport, sent, delivered, call, receive }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** As 2025-11-25 asks for a task. */
const optIn = (): TaskOptIn => ({
  params: { task: {} },
  meta: { progressToken: 'p' },
  onProgress: undefined,
  isTask: (result) => 'task' in result,
  parse: () => TASK,
  end: () => {},
})

describe('a call of a task client', () => {
  it('that asks for a task as 2025-11-25 does, carries that, and becomes one', async () => {
    const { call, sent, receive, delivered } = setUp()
    const { outcome } = call(legacy(1, 'a'), { optIn: optIn() })
    expect(sent).toMatchObject([{ params: { name: 'report', task: {}, _meta: { progressToken: 'p' } } }])
    receive(answer(1, { task: TASK }))
    await settle()
    expect(outcome.error).toEqual({ task: TASK })
    expect(delivered).toEqual([])
  })

  it('that has become a task hears nothing more of its request, and the server not that it is given up', async () => {
    const { transport, call, sent, receive, delivered } = setUp()
    call(modern(1, 'a'), {})
    receive(asTask(1))
    receive(answer(1, RESULT))
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(delivered).toEqual([])
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['asks for one, and has a result', { optIn: optIn() }, answer(1, RESULT)],
    ['asks for none in 2025-11-25', {}, asTask(1)],
  ])('that %s, is answered with what the server says', async (_, own, message) => {
    const { call, receive, delivered } = setUp()
    const { outcome } = call(legacy(1, 'a'), own)
    receive(message)
    await settle()
    expect(outcome).toEqual({ settled: true })
    expect(delivered).toEqual([message])
  })

  it('is answered by nothing but its response', async () => {
    const { call, receive, delivered } = setUp()
    const { outcome } = call(modern(1, 'a'), {})
    const asked = { jsonrpc: '2.0', id: 1, method: 'roots/list' } as JSONRPCMessage
    receive(asked)
    await settle()
    expect(outcome).toEqual({})
    expect(delivered).toEqual([asked])
  })

  it.each([{}, { ask: never }])('sees what the server asks as it is: %j', (own) => {
    const { call, receive, delivered } = setUp()
    call(modern(1, 'a'), own)
    const message = answer(1, {
      resultType: 'input_required',
      inputRequests: { q: { method: 'sampling/createMessage' } },
    })
    receive(message)
    expect(delivered).toEqual([message])
  })

  it('is rejected if the server nests its result too deep, and the SDK client sees nothing', async () => {
    const { call, receive, delivered } = setUp()
    const { outcome } = call(modern(1, 'a'), { ask: never })
    receive(answer(1, { content: JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) as unknown }))
    await settle()
    expect(outcome.error).toMatchObject({ name: 'TaskProtocolError', source: 'tools/call' })
    expect(delivered).toEqual([])
  })

  it('that is released leaves the others alone', async () => {
    const { call, receive } = setUp()
    const [first, second] = [call(modern(1, 'a'), {}), call(modern(2, 'b'), {})]
    first.release()
    receive(asTask(2))
    receive(asTask(2))
    await settle()
    expect(first.outcome).toEqual({})
    expect(second.outcome.error).toEqual({ task: TASK })
  })
})

describe('a result without a type', () => {
  it('is complete where the request is one of 2026-07-28', () => {
    const { call, receive, delivered } = setUp()
    call(modern(1))
    receive(answer(1, RESULT))
    expect(delivered).toEqual([answer(1, { ...RESULT, resultType: 'complete' })])
  })

  it('is left alone where it is not', () => {
    const { call, receive, delivered } = setUp()
    call(request(1))
    receive(answer(1, RESULT))
    expect(delivered).toEqual([answer(1, RESULT)])
  })
})

describe('the signal of a call', () => {
  it.each([
    ['its result', answer(1, RESULT)],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } } as JSONRPCMessage],
    ['what is no task', answer(1, { resultType: 'task' })],
  ])('is listened to no more after %s', (_, message) => {
    const { call, receive } = setUp()
    const { signal } = new AbortController()
    const stopListening = vi.spyOn(signal, 'removeEventListener')
    call(modern(1, 'a'), {}, signal)
    receive(message)
    expect(stopListening).toHaveBeenCalledOnce()
  })

  it('is listened to no more after the connection', async () => {
    const { call, transport } = setUp()
    const { signal } = new AbortController()
    const stopListening = vi.spyOn(signal, 'removeEventListener')
    const { outcome } = call(modern(1), undefined, signal)
    await transport.close()
    await settle()
    expect(stopListening).toHaveBeenCalledOnce()
    expect(outcome.error).toMatchObject({ code: 'CONNECTION_CLOSED' })
  })
})

describe('a transport of a task client alone', () => {
  it('follows no task of another call', () => {
    const { call, receive, delivered } = setUp()
    call(modern(1))
    receive(asTask(1))
    expect(delivered).toEqual([asTask(1)])
  })

  it('passes on that a call is given up which it does not know, and nothing else that looks like it', async () => {
    const { transport, sent, call, receive } = setUp()
    const note = (method: string, params?: JsonObject) =>
      ({ jsonrpc: '2.0', method, ...(params && { params }) }) as JSONRPCMessage
    call(modern(1, 'a'), {})
    receive(asTask(1))
    const notes = [
      note('notifications/cancelled', { requestId: 9 }),
      note('notifications/cancelled'),
      note('notifications/message', { requestId: 1 }),
    ]
    for (const one of notes) await transport.send(one)
    expect(sent.slice(1)).toEqual(notes)
  })

  it('takes messages before anybody listens, and one below that knows no versions', async () => {
    const { transport, receive, inner, call } = setUp()
    transport.onmessage = undefined
    const { outcome } = call(modern(1, 'a'), { result: RESULT })
    await settle()
    expect(outcome).toEqual({ settled: true })
    expect(() => receive({ jsonrpc: '2.0', method: 'notifications/message' })).not.toThrow()
    expect(() => transport.setProtocolVersion('2025-11-25')).not.toThrow()
    expect(() => transport.setSupportedProtocolVersions(['2025-11-25'])).not.toThrow()
    inner.onclose?.()
    expect(() => inner.onerror?.(new Error('hm'))).not.toThrow()
  })

  it('sends a tools/call without params', async () => {
    const { transport, sent } = setUp()
    void transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' })
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'tools/call' }])
  })

  it('shows what was declared, by initialize or in an envelope', () => {
    const { transport } = setUp()
    const send = (method: string, params?: JsonObject) =>
      void transport.send({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) } as JSONRPCMessage)
    send('initialize')
    expect(transport.capabilities).toBeUndefined()
    send('initialize', { capabilities: { sampling: {} } })
    expect(transport.capabilities).toEqual({ sampling: {} })
    send('tools/list', { capabilities: { roots: {} } })
    expect(transport.capabilities).toEqual({ sampling: {} })
    send('tools/list', { _meta: ENVELOPE })
    expect(transport.capabilities).toMatchObject({ roots: {} })
  })

  it('knows the newest call that can be asked', () => {
    const { transport } = setUp()
    const [asks, later, silent]: OwnCall[] = [{ ask: never }, { ask: never }, {}]
    expect(transport.latestCall()).toBeUndefined()
    transport.register('a', asks as OwnCall)
    const release = transport.register('b', later as OwnCall)
    transport.register('c', silent as OwnCall)
    expect(transport.latestCall()).toBe(later)
    release()
    expect(transport.latestCall()).toBe(asks)
  })

  it('gives its requests of 2025-11-25 ids that begin with those of the page', async () => {
    const sent: JSONRPCMessage[] = []
    const inner: Transport = { start: async () => {}, close: async () => {}, send: async (one) => void sent.push(one) }
    const randomId = vi.fn(() => 'page')
    const transports = [new TaskTransport(inner, { randomId }), new TaskTransport(inner, {})]
    for (const transport of transports)
      for (const method of ['tasks/get', 'tasks/cancel']) void transport.requestWithoutEnvelope(method, { a: 1 }, {})
    expect(sent.map((message) => 'id' in message && message.id)).toEqual([
      ...['taskwire:page:1', 'taskwire:page:2'],
      ...['taskwire::1', 'taskwire::2'],
    ])
    expect(sent[0]).toMatchObject({ method: 'tasks/get', params: { a: 1 } })
    expect(randomId).toHaveBeenCalledOnce()
  })

  it('asks its observer before the SDK client sees what the server sends by itself', () => {
    const { transport, receive, delivered } = setUp()
    const seen: string[] = []
    transport.observe(({ method }) => {
      seen.push(method)
      return method === 'notifications/ours'
    })
    const notes = ['notifications/ours', 'notifications/theirs'].map(
      (method) => ({ jsonrpc: '2.0', method }) as JSONRPCMessage,
    )
    for (const note of notes) receive(note)
    receive(answer(5, {}))
    expect(seen).toEqual(['notifications/ours', 'notifications/theirs'])
    expect(delivered).toEqual([notes[1], answer(5, {})])
  })
})
