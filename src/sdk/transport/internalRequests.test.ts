import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../core/protocol/json.js'
import { InternalRequests } from './internalRequests.js'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

const note = (method: string, params: JsonObject = {}): JSONRPCMessage => ({ jsonrpc: '2.0', method, params })
const named = (id: string) => note('notifications/message', { _meta: { [SUBSCRIPTION]: id } })
const answer = (id: string | number, result = {}): JSONRPCMessage => ({ jsonrpc: '2.0', id, result })

function setUp() {
  const sent: { message: JSONRPCMessage; options: TransportSendOptions | undefined }[] = []
  const requests = new InternalRequests(async (message, options) => void sent.push({ message, options }))
  /** Opens a stream, and shows what it brings. */
  function listen() {
    const heard: string[] = []
    const controller = new AbortController()
    const over = requests.listen({ a: 1 }, ({ method }) => heard.push(method), controller.signal)
    return { heard, controller, over }
  }
  return { sent, requests, listen }
}

describe('a request of ours', () => {
  it('goes out under an id of its own, which a tag may be part of', async () => {
    const { sent, requests } = setUp()
    const first = requests.request('tasks/get', { taskId: 't' })
    void requests.requestWithoutEnvelope('tasks/get', {}, {}, 'page:')
    expect(sent.map(({ message }) => message)).toEqual([
      { jsonrpc: '2.0', id: 'taskwire:1', method: 'tasks/get', params: { taskId: 't' } },
      { jsonrpc: '2.0', id: 'taskwire:page:2', method: 'tasks/get', params: {} },
    ])
    expect(requests.receive(answer('taskwire:1', { done: true }))).toBe(true)
    expect(await first).toEqual({ done: true })
  })

  it.each([
    [{}, {}],
    [{ headers: { session: 's' } }, { headers: { session: 's' } }],
  ])('goes out with %j', (options, expected) => {
    const { sent, requests } = setUp()
    void requests.requestWithoutEnvelope('tasks/get', {}, options)
    expect(sent[0]?.options).toEqual({ onRequestStreamEnd: expect.any(Function), ...expected })
  })

  it('says when it is given up, after it was sent, and its late response is nobody else’s', async () => {
    const { requests, sent } = setUp()
    const controller = new AbortController()
    const onAbort = vi.fn()
    const request = requests.requestWithoutEnvelope('tasks/get', {}, { signal: controller.signal, onAbort })
    expect(sent[0]?.options).toMatchObject({ requestSignal: controller.signal })
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(request).rejects.toBe(reason)
    expect(onAbort).toHaveBeenCalledExactlyOnceWith('taskwire:1')
    expect(requests.receive(answer('taskwire:1'))).toBe(true)
  })

  it('listens to its signal no more once it has its response', async () => {
    const { requests } = setUp()
    const controller = new AbortController()
    const onAbort = vi.fn()
    const request = requests.requestWithoutEnvelope('tasks/get', {}, { signal: controller.signal, onAbort })
    requests.receive(answer('taskwire:1'))
    await request
    controller.abort()
    expect(onAbort).not.toHaveBeenCalled()
  })
})

describe('a stream of notifications', () => {
  it('is asked for, and ends with its request', async () => {
    const { sent, requests, listen } = setUp()
    const { over, controller, heard } = listen()
    expect(sent).toMatchObject([
      { message: { method: 'subscriptions/listen', params: { a: 1 } }, options: { requestSignal: controller.signal } },
    ])
    sent[0]?.options?.onRequestStreamEnd?.()
    expect(await over).toBeUndefined()
    expect(requests.receive(named('taskwire:1'))).toBe(false)
    expect(heard).toEqual([])
  })

  it('ends with the reason of its signal', async () => {
    const { listen } = setUp()
    const { over, controller } = listen()
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(over).rejects.toBe(reason)
  })

  it('gets what names it', () => {
    const { requests, listen } = setUp()
    const [one, two] = [listen(), listen()]
    expect(requests.receive(named('taskwire:1'))).toBe(true)
    expect([one.heard, two.heard]).toEqual([['notifications/message'], []])
  })

  it.each([
    ['a task', note('notifications/tasks', { taskId: 't' })],
    [
      'the tasks that are acknowledged',
      note('notifications/subscriptions/acknowledged', { notifications: { taskIds: [] } }),
    ],
  ])('gets what is about %s and names no stream, if it is the newest', (_, message) => {
    const { requests, listen } = setUp()
    expect(requests.receive(message)).toBe(false)
    const streams = [listen(), listen(), listen()]
    expect(requests.receive(message)).toBe(true)
    expect(streams.map(({ heard }) => heard.length)).toEqual([0, 0, 1])
  })

  it.each([
    ['names another stream', named('other')],
    ['names none, and is not about tasks', note('notifications/message')],
    ['acknowledges no tasks', note('notifications/subscriptions/acknowledged', { notifications: { tools: true } })],
    ['acknowledges nothing', note('notifications/subscriptions/acknowledged', { notifications: 'all' })],
    ['has no params', { jsonrpc: '2.0', method: 'notifications/message' } as JSONRPCMessage],
    ['is a request', { ...named('taskwire:1'), id: 7 } as JSONRPCMessage],
    ['is the response to a request of somebody else', answer(7)],
  ])('does not get what %s', (_, message) => {
    const { requests, listen } = setUp()
    const { heard } = listen()
    expect(requests.receive(message)).toBe(false)
    expect(heard).toEqual([])
  })
})
