import { expect, it, vi } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

/** A backend whose process ends as it does at a SIGTERM: it closes its clients, and then the next one begins. */
function setUp() {
  const server = createWorkServer({ browser: { turns: 60 } })
  const { setTimeout } = server.browser.openPage().environment
  let allowMs = 0
  const allow = async ({ tool }: { readonly tool?: string | undefined }) => {
    if (allowMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, allowMs))
    return tool !== 'look'
  }
  const backend = createBridgedBackend(server, { allow })
  return {
    ...{ server, backend, ...backend.openPage() },
    /** How long the backend takes from now on to find out whether a page may do something, in ms. */
    takeTime: (ms: number) => {
      allowMs = ms
    },
    /** `afterMs`: how long the process lasts after it has closed its clients. */
    shutDown: async (afterMs = 100) => {
      await Promise.all([backend.clientOf('ada').close(), server.advance(afterMs)])
      allowMs = 0
      await backend.restart()
    },
  }
}

it('a cancellation that is under way while its backend is shut down is sent by the next process', async () => {
  const { server, client, shutDown } = setUp()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2500)
  server.faults.drop({ method: 'tasks/cancel' })
  const refused = vi.fn()
  call.cancel().catch(refused)
  await server.advance(500)
  await shutDown()
  server.faults.clear()
  expect(call.getState().isCancelling).toBe(true)
  await server.advance(30_000)
  expect(refused).not.toHaveBeenCalled()
  expect(call.getState().phase).toBe('cancelled')
})

it('a cancellation whose right is being looked up while its backend is shut down is sent by the next process', async () => {
  const { server, client, takeTime, shutDown } = setUp()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2500)
  takeTime(2000)
  const refused = vi.fn()
  call.cancel().catch(refused)
  await server.advance(500)
  await shutDown(3000)
  await server.advance(30_000)
  expect(refused).not.toHaveBeenCalled()
  expect(call.getState().phase).toBe('cancelled')
})

it('a start that is cancelled, and looked up while its backend is shut down, is cancelled by the next process', async () => {
  const { server, client, network, takeTime, shutDown } = setUp()
  network.loseAnswers(1)
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(100)
  takeTime(4000)
  call.cancel().catch(() => {})
  await server.advance(2500)
  await shutDown(5000)
  await server.advance(30_000)
  expect(call.getState().phase).toBe('cancelled')
  expect([server.count('tools/call'), server.count('tasks/cancel')]).toEqual([1, 1])
})

// page       respond ──────── 503 ── respond, again ················ answer
// process A           tasks/update ─ lost ▪
// process B                         finds the call ─ its first poll ─ knows what is asked
it.each(['shut down', 'killed'])(
  'a response that is under way while its backend is %s is sent by the next process',
  async (how) => {
    const { server, backend, client, shutDown } = setUp()
    const call = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'k' })
    await server.advance(2500)
    server.faults.drop({ method: 'tasks/update', times: 1 })
    const [inputKey = ''] = Object.keys(call.getState().inputRequests)
    const refused = vi.fn()
    call.respond(inputKey, { action: 'accept', content: { ok: true } }).catch(refused)
    await server.advance(20)
    await (how === 'killed' ? backend.restart() : shutDown())
    expect(call.getState().inputResponses[inputKey]?.status).toBe('sending')
    await server.advance(30_000)
    expect(refused).not.toHaveBeenCalled()
    expect(call.getState().phase).toBe('completed')
  },
)

it('a start whose right is being looked up while its backend is shut down is made by the next process', async () => {
  const { server, client, takeTime, shutDown } = setUp()
  takeTime(2000)
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k' })
  await server.advance(500)
  await shutDown(3000)
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a start whose response is under way while its backend is shut down is gone on with by the next process', async () => {
  const { server, client, shutDown } = setUp()
  server.faults.delay(3000, { method: 'tools/call', times: 1 })
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k' })
  await server.advance(500)
  await shutDown()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('what a page forgets while the clients of its backend are closed is forgotten by the next process', async () => {
  const { server, backend, client, network, shutDown } = setUp()
  client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  await server.advance(5000)
  network.dropStreams()
  await backend.clientOf('ada').close()
  const forgotten = client.forget()
  await server.advance(500)
  await shutDown()
  await Promise.all([forgotten, server.advance(30_000)])
  const later = backend.openPage(() => 'ada', { crossTab: false })
  await Promise.all([later.client.connect(), server.advance(1000)])
  expect(Object.keys(later.client.store.getState().calls)).toEqual([])
})

it('a failure of an action is final as long as the clients of the backend are open', async () => {
  const { server, backend, client } = setUp()
  const call = client.startToolCall({ name: 'look', arguments: { seconds: 1 } })
  call.result.catch(() => {})
  await server.advance(10_000)
  expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallRejectedError' } })
  expect(backend.count('start')).toBe(1)
})
