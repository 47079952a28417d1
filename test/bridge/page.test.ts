import {
  TaskCancelledError,
  TaskConfigurationError,
  TaskError,
  TaskFailedError,
  TaskInputError,
  ToolCallKeyConflictError,
} from 'taskwire'
import { createTaskClient } from 'taskwire/bridge'
import { defineTool } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

const WORK = { name: 'work', arguments: { seconds: 2 } }
const ASK = { name: 'ask', arguments: { questions: ['Sure?'] } }
const YES = { action: 'accept', content: { ok: true } }

function setUp(options: Parameters<typeof createBridgedBackend>[1] = {}) {
  const server = createWorkServer({ browser: { turns: 60 } })
  return { server, backend: createBridgedBackend(server, options) }
}

it('a page starts a call at its backend, sees its progress and has its result', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall(WORK, { key: 'weekly' })
  expect(call.getState()).toMatchObject({ phase: 'calling', name: 'work', key: 'weekly', network: 'ok' })
  await server.advance(1500)
  expect(call.getState()).toMatchObject({ phase: 'working', task: { statusMessage: 'step 1' } })
  await server.advance(3000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 2 } })
  expect(client.store.getState().calls[call.callId]?.phase).toBe('completed')
  expect(server.count('tools/call')).toBe(1)
})

it('a page that had the client itself keeps the options that belong to the backend now, and no others', async () => {
  const { server, backend } = setUp()
  const kept = { capabilities: { elicitation: { form: {} } }, toolsHash: 'of its types' }
  const { client } = backend.openPage(undefined, kept)
  const call = client.startToolCall(ASK)
  await server.advance(2500)
  expect(call.getState().phase).toBe('input_required')
  const options = { ...kept, headers: { authorization: 'Bearer' } }
  expect(() => backend.openPage(undefined, options)).toThrow('There is no option headers.')
})

it.each([
  ['no URL', ''],
  ['a URL that is not of HTTP', 'ftp://localhost/api/calls'],
  ['text that is no URL', 'http://'],
])('with %s the page is told what to pass', (_, url) => {
  const { backend } = setUp()
  expect(() => backend.openPage(undefined, { url })).toThrow(TaskConfigurationError)
  expect(() => backend.openPage(undefined, { url })).toThrow("pass { url: '/api/calls' }")
})

it('a client with a relative URL can be made on a server, where it cannot connect', async () => {
  const client = createTaskClient({ url: '/api/calls', environment: { baseUrl: () => undefined } })
  expect(client.store.getState().connection).toEqual({ status: 'idle' })
  await expect(client.listTools()).rejects.toThrow('the whole URL where there is no page')
  await client.close()
})

it('the page never has the id of a task, nor arguments that it has not sent itself', async () => {
  const { server, backend } = setUp()
  const [one, other] = [backend.openPage(), backend.openPage()]
  const sent = vi.spyOn(backend.bridge, 'fetch')
  one.client.startToolCall({ name: 'work', arguments: { seconds: 60, secret: 'blue' } as never }, { key: 'k' })
  void other.client.connect()
  await server.advance(2500)
  const taskId = Object.values(backend.clientOf('ada').store.getState().calls)[0]?.task?.taskId ?? ''
  expect(taskId).not.toBe('')
  const [state] = Object.values(other.client.store.getState().calls)
  expect(state).toMatchObject({ phase: 'working', name: 'work', key: 'k' })
  expect(state?.arguments).toBeUndefined()
  expect(sent).toHaveBeenCalled()
  const shown = JSON.stringify([one.client.store.getState(), other.client.store.getState().calls])
  expect(shown).not.toContain(taskId)
  expect(JSON.stringify(other.client.store.getState())).not.toContain('blue')
})

it('errors arrive as the classes that they were', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 0, outcome: 'failure' } })
  await server.advance(3000)
  await expect(call.result).rejects.toBeInstanceOf(TaskFailedError)
  const { error } = call.getState()
  expect(error).toBeInstanceOf(TaskError)
  expect(error).toMatchObject({ callId: call.callId, code: expect.any(Number) })
})

it('a page that the server sends to an address shows it, and says that the user has gone there', async () => {
  const visit = {
    mode: 'url',
    message: 'Pay for it.',
    url: 'https://pay.example/42',
    elicitationId: 'visit-42',
  } as const
  const pay = defineTool({
    name: 'pay',
    taskSupport: 'required',
    inputSchema: z.object({}),
    handler: async (_, { elicit }) => {
      const { action } = await elicit(visit)
      return { content: [{ type: 'text', text: action }] }
    },
  })
  const server = createTestServer({ tools: [pay], browser: { turns: 60 } })
  const backend = createBridgedBackend(server)
  const [one, other] = [backend.openPage(), backend.openPage()]
  const call = one.client.startToolCall({ name: 'pay' }, { key: 'order-42' })
  void other.client.connect()
  await server.advance(2500)
  const shown = Object.values(other.client.store.getState().calls)[0]
  for (const { inputRequests } of [call.getState(), shown ?? call.getState()])
    expect(Object.values(inputRequests)).toMatchObject([{ method: 'elicitation/create', params: visit }])
  const [inputKey = ''] = Object.keys(shown?.inputRequests ?? {})
  await Promise.all([
    other.client.getToolCall(call.callId)?.respond(inputKey, { action: 'accept' }),
    server.advance(3000),
  ])
  expect(await call.result).toMatchObject({ content: [{ text: 'accept' }] })
})

it('an answer that does not fit is refused by field, and the input request stays open', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall(ASK)
  await server.advance(2500)
  const [inputKey = ''] = Object.keys(call.getState().inputRequests)
  const wrong = call.respond(inputKey, { action: 'accept', content: { ok: 'perhaps' } })
  expect(call.getState().inputResponses[inputKey]).toEqual({ status: 'sending', isRetrying: false })
  const [error] = await Promise.all([wrong.catch((thrown: unknown) => thrown), server.advance(500)])
  expect(error).toBeInstanceOf(TaskInputError)
  expect(error).toMatchObject({ issues: [{ path: 'ok' }] })
  expect(call.getState().inputResponses[inputKey]).toMatchObject({ status: 'rejected' })
  await Promise.all([call.respond(inputKey, YES), server.advance(3000)])
  expect(await call.result).toMatchObject({ content: [{ text: JSON.stringify([YES]) }] })
  expect(server.count('tasks/update')).toBe(1)
})

it('cancel() shows at once that it is being sent, and then what the server says', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
  await server.advance(1500)
  const cancelled = call.cancel()
  expect(call.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'sending' })
  await Promise.all([cancelled, server.advance(2000)])
  expect(call.getState().phase).toBe('cancelled')
  expect(server.count('tasks/cancel')).toBe(1)
})

it('a call that is cancelled in the turn of its start is not made', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
  void call.cancel()
  await server.advance(3000)
  await expect(call.result).rejects.toBeInstanceOf(TaskCancelledError)
  expect(call.getState().phase).toBe('cancelled')
  const asked = backend.requests.flatMap(({ body }) => (body ? [body.action.type] : []))
  expect(asked).toEqual(['cancel'])
  expect(server.count('tools/call')).toBe(0)
})

it('what a page starts with other arguments under a known key is refused, as with a client of its own', async () => {
  const { server, backend } = setUp()
  const [one, other] = [backend.openPage(), backend.openPage()]
  one.client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  await server.advance(1500)
  const unknown = other.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  const known = one.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  await server.advance(500)
  await expect(unknown.result).rejects.toBeInstanceOf(ToolCallKeyConflictError)
  await expect(known.result).rejects.toBeInstanceOf(ToolCallKeyConflictError)
  expect(other.client.store.getState().calls[unknown.callId]).toMatchObject({ phase: 'working' })
  expect(server.count('tools/call')).toBe(1)
})

it('select() says what of a result is sent, and shows() which calls are', async () => {
  const { server, backend } = setUp({
    select: ({ result }) => ({ content: [], structuredContent: result.structuredContent }) as never,
    shows: ({ key }) => key !== 'hidden',
  })
  const { client } = backend.openPage()
  const call = client.startToolCall(WORK, { key: 'shown' })
  backend.clientOf('ada').startToolCall(WORK, { key: 'hidden' })
  await server.advance(4000)
  expect(await call.result).toEqual({ content: [], structuredContent: { seconds: 2 } })
  expect(Object.values(client.store.getState().calls).map(({ key }) => key)).toEqual(['shown'])
})

it('onToolCallSettled is called for what ends while the page is open, and for nothing that had ended', async () => {
  const { server, backend } = setUp()
  const first = backend.openPage()
  first.client.startToolCall(WORK, { key: 'earlier' })
  await server.advance(4000)
  const { client } = backend.openPage()
  const settled = vi.fn()
  client.onToolCallSettled(settled)
  void client.connect()
  await server.advance(500)
  first.client.startToolCall(WORK, { key: 'later' })
  await server.advance(4000)
  expect(settled.mock.calls).toMatchObject([[{ key: 'later', phase: 'completed' }]])
})

it('what the app notes with a call is there in every page, and a group finds the calls by it', async () => {
  const { server, backend } = setUp()
  const [one, other] = [backend.openPage().client, backend.openPage().client]
  const call = one.startToolCall(WORK, { key: 'k', meta: { batch: 'monday' } })
  expect(call.getState().meta).toEqual({ batch: 'monday' })
  void other.connect()
  await server.advance(4000)
  expect(other.getToolCallState(call.callId)?.meta).toEqual({ batch: 'monday' })
  expect(other.toolCalls({ filter: ({ meta }) => meta?.['batch'] === 'monday' }).getState()).toMatchObject({
    completed: 1,
  })
})

it('what is for the backend alone says so', async () => {
  const { backend } = setUp()
  const { client } = backend.openPage()
  for (const asked of [client.tasks.get('a'), client.tasks.cancel('a'), client.authorize(), client.callToolRaw(WORK)])
    await expect(asked).rejects.toThrow(/Do it in the backend/)
})

it('a call with keepResult is not made, and the page is told where results are kept', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const advice = 'keepResult is not for a page with a backend: results stay there'
  expect(() => client.startToolCall(WORK, { keepResult: true })).toThrow(advice)
  await expect(client.callTool(WORK, { keepResult: { maxBytes: 50 } })).rejects.toThrow(TaskConfigurationError)
  const { result } = client.startToolCall(WORK, { keepResult: false })
  await server.advance(5000)
  expect(await result).toMatchObject({ structuredContent: { seconds: 2 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a closed client rejects what waits, and its calls leave the store', async () => {
  const { server, backend } = setUp()
  const { client, page } = backend.openPage()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
  await server.advance(1500)
  await client.close()
  await expect(call.result).rejects.toThrow(/closed/)
  await expect(client.startToolCall(WORK).result).rejects.toThrow(/closed/)
  expect(client.store.getState()).toEqual({ connection: { status: 'closed' }, calls: {} })
  await server.advance(1000)
  expect([page.timers(), page.listeners(), page.locks(), page.channels()]).toEqual([0, 0, 0, 0])
})

it('a handle on a call that was started again does not cancel the new one', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2000)
  const again = client.startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k', repeat: 'always' })
  await server.advance(2000)
  call.cancel().catch(() => {})
  await server.advance(2000)
  expect(again.getState()).toMatchObject({ phase: 'working', isCancelling: false })
})

it('a call that a page joins while it runs is not made again where it has ended meanwhile', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  void client.connect()
  backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
  await server.advance(1500)
  network.cut()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k', repeat: 'settled' })
  await server.advance(10_000)
  network.mend()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 3 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a call that pages see no longer ends in them', async () => {
  const { server, backend } = setUp({ shows: ({ phase }) => phase !== 'completed' })
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(30_000)
  expect(call.getState().phase).toBe('failed')
})

it('a call that a page forgets before the first news is forgotten', async () => {
  const { server, backend } = setUp()
  const own = backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
  own.result.catch(() => {})
  await server.advance(2000)
  const { client } = backend.openPage()
  await Promise.all([client.forget({ callId: client.toolCallId('work', 'k') }), server.advance(3000)])
  expect(backend.clientOf('ada').store.getState().calls).toEqual({})
})

it('a handle on a call that was started again does not answer the new one', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall(ASK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2500)
  const [inputKey = ''] = Object.keys(call.getState().inputRequests)
  const again = client.startToolCall(ASK, { key: 'k', repeat: 'always' })
  await server.advance(2500)
  await expect(call.respond(inputKey, YES)).rejects.toThrow(/started again/)
  await server.advance(2500)
  expect(again.getState().phase).toBe('input_required')
  expect(backend.count('respond')).toBe(0)
})
