import { TaskInputError } from 'taskwire'
import { expect, it, vi } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

const WORK = { name: 'work', arguments: { seconds: 60 } }

/** A page without a network, which has cancelled a call that runs. */
async function setUp() {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server)
  const first = backend.openPage()
  const { callId } = first.client.startToolCall(WORK, { key: 'k' })
  await server.advance(2500)
  first.network.cut()
  await first.page.setOnline(false)
  const call = first.client.getToolCall(callId)
  call?.cancel().catch(() => {})
  await server.advance(1000)
  await first.page.setOnline(true)
  const storage = first.page.environment.storage('local')
  const cancels = () => backend.requests.flatMap(({ body }) => (body?.action.type === 'cancel' ? [body.id] : []))
  return {
    ...{ server, backend, first, callId, cancels },
    kept: () => Array.from({ length: storage?.length ?? 0 }, (_, at) => String(storage?.key(at))),
    /** Opens a page after that one has crashed. */
    reload: async (...args: Parameters<typeof backend.openPage>) => {
      await first.page.crash()
      const next = backend.openPage(...args)
      void next.client.connect().catch(() => {})
      return next
    },
  }
}

it('a cancellation that the page could not send is shown and sent by the next page, once', async () => {
  const { server, backend, callId, cancels, kept, reload } = await setUp()
  expect(backend.count('cancel')).toBe(0)
  expect(kept()).toEqual([expect.stringMatching(/^taskwire:bridge:/)])
  const { client } = await reload()
  const states: (readonly unknown[])[] = []
  client.subscribeToolCall(callId, () => {
    const { phase, isCancelling } = client.getToolCallState(callId) ?? {}
    states.push([phase, isCancelling])
  })
  await server.advance(5000)
  expect(states[0]).toEqual(['working', true])
  expect(client.getToolCallState(callId)?.phase).toBe('cancelled')
  expect([cancels().length, server.count('tasks/cancel')]).toEqual([1, 1])
  expect(kept()).toEqual([])
})

it('several tabs that find such a cancellation send it under one id, and the task is cancelled once', async () => {
  const { server, backend, cancels, kept, reload } = await setUp()
  const { client } = await reload()
  const other = backend.openPage()
  void other.client.connect()
  await server.advance(6000)
  expect(Object.values(client.store.getState().calls)).toMatchObject([{ phase: 'cancelled' }])
  expect(Object.values(other.client.store.getState().calls)).toMatchObject([{ phase: 'cancelled' }])
  expect([new Set(cancels()).size, server.count('tasks/cancel')]).toEqual([1, 1])
  expect(kept()).toEqual([])
})

it('a tab that stays sends the cancellation of one that was closed', async () => {
  const { server, backend, first, callId, cancels } = await setUp()
  const other = backend.openPage()
  void other.client.connect()
  await first.page.close()
  await server.advance(10_000)
  expect(other.client.getToolCallState(callId)?.phase).toBe('cancelled')
  expect(cancels()).toHaveLength(1)
})

it('a client that is closed leaves its cancellation to the next one', async () => {
  const { server, first, callId, cancels, reload } = await setUp()
  await first.client.close()
  const { client } = await reload()
  await server.advance(6000)
  expect(client.getToolCallState(callId)?.phase).toBe('cancelled')
  expect(cancels()).toHaveLength(1)
})

it.each([
  [
    'forget() of the call',
    (client: { forget(filter?: object): Promise<void> }, callId: string) => client.forget({ callId }),
  ],
  ['forget() of all calls', (client: { forget(filter?: object): Promise<void> }) => client.forget()],
  ['signOut()', (client: { signOut(): Promise<void> }) => client.signOut()],
])('%s removes it', async (_, remove) => {
  const { server, first, callId, cancels, kept, reload } = await setUp()
  void remove(first.client, callId).catch(() => {})
  expect(kept()).toEqual([])
  const { client } = await reload()
  await server.advance(6000)
  expect(client.getToolCallState(callId)?.phase).toBe('working')
  expect(cancels()).toEqual([])
})

it('the page of another user removes it, and cancels nothing', async () => {
  const { server, backend, callId, cancels, kept, reload } = await setUp()
  const { client } = await reload(() => 'eve')
  client.startToolCall(WORK, { key: 'k' }).result.catch(() => {})
  await server.advance(5000)
  expect(client.getToolCallState(callId)).toMatchObject({ phase: 'working', isCancelling: false })
  expect(kept()).toEqual([])
  const back = backend.openPage(() => 'ada', { crossTab: false })
  void back.client.connect()
  await server.advance(5000)
  expect(back.client.getToolCallState(callId)?.phase).toBe('working')
  expect(cancels()).toEqual([])
})

it('a call that was made again meanwhile is not cancelled', async () => {
  const { server, backend, first, callId, cancels, kept } = await setUp()
  await first.page.crash()
  backend
    .clientOf('ada')
    .startToolCall(WORK, { key: 'k', repeat: 'always' })
    .result.catch(() => {})
  await server.advance(1000)
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(5000)
  expect(client.getToolCallState(callId)?.phase).toBe('working')
  expect([cancels(), kept()]).toEqual([[], []])
})

// laptop  cancel() ─ offline ···································· online ─ sent: of the run that has ended
// phone                       run 1 ends ─ tools/call, same key
it('a cancellation that comes when the call was made again does not cancel the new run', async () => {
  const { server, backend, first, callId, cancels } = await setUp()
  await server.advance(70_000)
  const again = backend.clientOf('ada').startToolCall(WORK, { key: 'k', repeat: 'settled' })
  await server.advance(3000)
  first.network.mend()
  await server.advance(40_000)
  expect([cancels().length, server.count('tasks/cancel')]).toEqual([1, 0])
  expect(again.getState()).toMatchObject({ phase: 'working', isCancelling: false })
  expect(first.client.getToolCallState(callId)).toMatchObject({ phase: 'working', isCancelling: false })
})

it('a response that comes when the call was made again is refused, and does not answer what the new run asks', async () => {
  const ASK = { name: 'ask', arguments: { questions: ['Sure?'] } }
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server)
  const { client, network } = backend.openPage()
  const call = client.startToolCall(ASK, { key: 'k' })
  await server.advance(2500)
  const [inputKey = ''] = Object.keys(call.getState().inputRequests)
  network.cut()
  const response = { action: 'accept', content: { ok: true } } as const
  const answered = call.respond(inputKey, response).catch((error: unknown) => error)
  const own = backend.clientOf('ada')
  const first = own.startToolCall(ASK, { key: 'k' })
  void first.respond(inputKey, { action: 'decline' })
  await server.advance(5000)
  expect(first.getState().phase).toBe('completed')
  const again = own.startToolCall(ASK, { key: 'k', repeat: 'settled' })
  await server.advance(5000)
  expect(Object.keys(again.getState().inputRequests)).toEqual([inputKey])
  network.mend()
  await server.advance(40_000)
  expect(await answered).toBeInstanceOf(TaskInputError)
  expect(server.count('tasks/update')).toBe(1)
  expect(again.getState().phase).toBe('input_required')
})

it('a call that was forgotten offline is not forgotten in the run that was made of it since', async () => {
  const { server, backend, first, callId } = await setUp()
  void first.client.forget({ callId }).catch(() => {})
  await server.advance(70_000)
  const again = backend.clientOf('ada').startToolCall(WORK, { key: 'k', repeat: 'settled' })
  await server.advance(3000)
  first.network.mend()
  await server.advance(40_000)
  expect(backend.count('forget')).toBe(1)
  expect(backend.clientOf('ada').getToolCallState(again.callId)?.phase).toBe('working')
  expect(first.client.getToolCallState(callId)?.phase).toBe('working')
})

it('a page of an earlier version, which does not say which run it means, cancels the one that there is', async () => {
  const { server, backend, first } = await setUp()
  first.network.mend()
  await server.advance(70_000)
  const again = backend.clientOf('ada').startToolCall(WORK, { key: 'k', repeat: 'settled' })
  again.result.catch(() => {})
  await server.advance(3000)
  const action = { type: 'cancel', call: { name: 'work', key: 'k' } }
  const headers = { 'content-type': 'application/json' }
  void first.network.send({ method: 'POST', headers, body: JSON.stringify({ v: 1, id: 'old', action }) })
  await server.advance(3000)
  expect(again.getState().phase).toBe('cancelled')
})

it('a call that has ended meanwhile is not cancelled', async () => {
  const { server, backend, first, callId, cancels, kept } = await setUp()
  await first.page.crash()
  await server.advance(70_000)
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(5000)
  expect(client.getToolCallState(callId)?.phase).toBe('completed')
  expect([cancels(), kept()]).toEqual([[], []])
})

it('a page that makes the call again, and joins it by that, cancels it', async () => {
  const { server, callId, cancels, kept, reload } = await setUp()
  const { client } = await reload()
  const call = client.startToolCall(WORK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(6000)
  expect(client.getToolCallState(callId)?.phase).toBe('cancelled')
  expect([cancels().length, kept()]).toEqual([1, []])
})

it.each(['', '{', 'null', '{"id":1}', '[null,1,{"callId":1}]', '[{"id":"x"}]'])(
  'what others have written in its place does no harm: %s',
  async (text) => {
    const { server, first, callId, cancels, kept, reload } = await setUp()
    const [item = ''] = kept()
    first.page.environment.storage('local')?.setItem(item, text)
    const { client } = await reload()
    await server.advance(3000)
    expect([client.getToolCallState(callId)?.phase, cancels()]).toEqual(['working', []])
    client.getToolCall(callId)?.cancel()
    await server.advance(5000)
    expect(client.getToolCallState(callId)?.phase).toBe('cancelled')
    expect(kept()).toEqual([])
  },
)

it.each([
  [
    'throws',
    () => {
      throw new Error('forbidden')
    },
  ],
  ['is not there', () => undefined],
])('a page whose storage %s cancels all the same', async (_, storage) => {
  const { server, callId, cancels, reload } = await setUp()
  const environment = { ...server.browser.openPage().environment, storage }
  const { client } = await reload(() => 'ada', { environment })
  await server.advance(3000)
  expect(cancels()).toEqual([])
  const done = client.getToolCall(callId)?.cancel()
  await server.advance(5000)
  await done
  expect(client.getToolCallState(callId)?.phase).toBe('cancelled')
})

it('a cancellation that the backend does not allow rejects, and may be dropped: onError has the error', async () => {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server, { allow: ({ type }: { readonly type: string }) => type !== 'cancel' })
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const onError = vi.fn()
  const call = backend.openPage(undefined, { onError }).client.startToolCall(WORK, { key: 'k' })
  await server.advance(2500)
  void call.cancel()
  const refused = call.cancel()
  await server.advance(500)
  await new Promise((resolve) => setTimeout(resolve, 0))
  process.off('unhandledRejection', unhandled)

  expect(unhandled).not.toHaveBeenCalled()
  await expect(refused).rejects.toThrow(/`allow` of createTaskBridge/)
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: 'ToolCallRejectedError' }), {
    callId: call.callId,
    operation: 'cancel',
  })
  expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: false })
})
