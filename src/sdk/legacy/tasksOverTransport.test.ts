import type { Client, JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { RELATED_TASK_META } from '../../core/protocol/legacyTask.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { SdkErrorCode, SdkHttpError } from '../sdk.js'
import { TaskTransport } from '../transport/taskTransport.js'
import { legacyTasksOverTransport } from './tasksOverTransport.js'

const AT = '2025-11-25T10:00:00Z'
const TASK = { taskId: 't1', createdAt: AT, lastUpdatedAt: AT, ttl: null }

function setUp(addressesSessions = true) {
  const { environment } = createSimulatedEnvironment()
  const sent: {
    message: JSONRPCMessage & { id?: string; method?: string }
    options?: TransportSendOptions | undefined
  }[] = []
  let failure: Error | undefined
  const inner: Transport = {
    sessionId: 's1',
    start: async () => {},
    close: async () => {},
    send: async (message, options) => {
      sent.push({ message: message as JSONRPCMessage & { id?: string }, options })
      if (failure) throw failure
    },
  }
  const transport = new TaskTransport(inner, { randomId: () => 'page' })
  const client = {
    listTools: vi.fn(async () => ({ tools: [{ name: 'report', execution: { taskSupport: 'required' } }] })),
    close: vi.fn(async () => {}),
  }
  const tasks = legacyTasksOverTransport({
    transport,
    client: client as unknown as Client,
    capabilities: undefined,
    declared: undefined,
    listTools: async () => (await client.listTools()).tools,
    missingCapability: () => undefined,
    onIssue: () => {},
    legacy: { mode: 'auto', ttlMs: undefined, environment, addressesSessions },
  })
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** The server answers the last request of a method. */
  function answer(method: string, result: object) {
    const id = sent.findLast(({ message }) => message.method === method)?.message.id
    inner.onmessage?.({ jsonrpc: '2.0', id, result } as JSONRPCMessage)
  }
  /** A task that waits for input, and what the server asks for it. */
  async function ask() {
    const poll = tasks.getTask('session:s1 t1', undefined)
    answer('tasks/get', { ...TASK, status: 'input_required' })
    await poll
    const _meta = { [RELATED_TASK_META]: { taskId: 't1' } }
    const params = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} }, _meta }
    inner.onmessage?.({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params } as JSONRPCMessage)
  }
  return { tasks, client, sent, answer, ask, settle, fail: (error: Error) => (failure = error) }
}

describe('tasks of 2025-11-25 over an SDK v2 client', () => {
  it('are asked for where its list of tools says so, by a token of ours', async () => {
    const { tasks, client } = setUp()
    const optIn = await tasks.optIn?.('report', () => {})
    expect(optIn).toMatchObject({ params: { task: {} }, meta: { progressToken: expect.stringMatching(/^taskwire:/) } })
    expect(client.listTools).toHaveBeenCalledOnce()
  })

  it.each([
    [true, 'session:s1 t1'],
    [false, 't1'],
  ])('are addressed by their session where that can be named (%s)', async (addressesSessions, id) => {
    const { tasks } = setUp(addressesSessions)
    const optIn = await tasks.optIn?.('report')
    expect(optIn?.parse({ task: { ...TASK, status: 'working' } }).taskId).toBe(id)
  })

  it('are polled in their session, under an id of the page', async () => {
    const { tasks, sent, answer } = setUp()
    const { signal } = new AbortController()
    const poll = tasks.getTask('session:s2 t1', signal)
    answer('tasks/get', { ...TASK, status: 'working' })
    expect(await poll).toMatchObject({ taskId: 'session:s2 t1', status: 'working' })
    expect(sent).toMatchObject([
      {
        message: { id: 'taskwire:page:1', method: 'tasks/get', params: { taskId: 't1' } },
        options: { requestSignal: signal, headers: { 'taskwire-session': 's2' } },
      },
    ])
  })

  it('ask, and are answered in their session', async () => {
    const { tasks, sent, ask } = setUp()
    await ask()
    await tasks.updateTask('session:s1 t1', { '5': { action: 'decline' } }, undefined)
    expect(sent.at(-1)).toEqual({
      message: { jsonrpc: '2.0', id: 5, result: { action: 'decline' } },
      options: { headers: { 'taskwire-session': 's1' } },
    })
  })

  it('have the request that is kept open for what they ask cancelled at the server', async () => {
    const { tasks, sent, ask, settle } = setUp()
    await ask()
    const kept = sent.find(({ message }) => message.method === 'tasks/result')
    tasks.release('session:s1 t1')
    await settle()
    expect(kept?.options?.requestSignal?.aborted).toBe(true)
    expect(sent.at(-1)).toEqual({
      message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: kept?.message.id } },
      options: { headers: { 'taskwire-session': 's1' } },
    })
  })

  it('have no poll cancelled at the server', async () => {
    const { tasks, sent, settle } = setUp()
    const controller = new AbortController()
    const poll = tasks.getTask('session:s1 t1', controller.signal)
    controller.abort(new Error('enough'))
    await expect(poll).rejects.toThrow('enough')
    await settle()
    expect(sent.map(({ message }) => message.method)).toEqual(['tasks/get'])
  })

  it('close their client where the server has ended its session', async () => {
    const { tasks, client, fail } = setUp()
    fail(new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Not Found', { status: 404 }))
    await expect(tasks.getTask('session:s1 t1', undefined)).rejects.toThrow('ended the session')
    expect(client.close).toHaveBeenCalledOnce()
  })
})
