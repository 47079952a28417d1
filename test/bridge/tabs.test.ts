import { expect, it, vi } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

const WORK = { name: 'work', arguments: { seconds: 8 } }

function setUp() {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server)
  return { server, backend }
}

it('the tabs of a browser share one stream, and all see the same', async () => {
  const { server, backend } = setUp()
  const tabs = [backend.openPage(), backend.openPage(), backend.openPage()]
  for (const { client } of tabs) void client.connect()
  await server.advance(500)
  const call = tabs[2]?.client.startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  expect(backend.openStreams()).toBe(1)
  // One of each page that was loaded.
  expect(backend.requests.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(tabs.length)
  const shown = tabs.map(({ client }) => client.getToolCallState(call?.callId ?? ''))
  expect(shown).toMatchObject([1, 2, 3].map(() => ({ phase: 'working', task: { statusMessage: 'step 1' } })))
  await server.advance(10_000)
  expect(await call?.result).toMatchObject({ structuredContent: { seconds: 8 } })
  expect(tabs.map(({ client }) => client.getToolCallState(call?.callId ?? '')?.phase)).toEqual([
    'completed',
    'completed',
    'completed',
  ])
})

it('a tab that is opened later sees what runs, without a stream of its own', async () => {
  const { server, backend } = setUp()
  const call = backend.openPage().client.startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  const late = backend.openPage().client
  const [found] = await Promise.all([late.resumeToolCalls(), server.advance(200)])
  expect(found.map(({ callId }) => callId)).toEqual([call.callId])
  expect(backend.openStreams()).toBe(1)
})

it.each(['close', 'crash'] as const)(
  'when the tab with the stream is gone (%s), another goes on where it was',
  async (how) => {
    const { server, backend } = setUp()
    const first = backend.openPage()
    const call = first.client.startToolCall(WORK, { key: 'k' })
    await server.advance(500)
    const second = backend.openPage()
    void second.client.connect()
    await server.advance(1500)
    await first.page[how]()
    first.network.cut()
    await server.advance(2500)
    expect(second.client.getToolCallState(call.callId)).toMatchObject({
      task: { statusMessage: 'step 4' },
      network: 'ok',
    })
    expect(backend.openStreams()).toBe(1)
    expect(
      backend.requests.at(-1)?.lastEventId ?? backend.requests.findLast(({ method }) => method === 'GET')?.lastEventId,
    ).toMatch(/:\d+$/)
  },
)

it('when the tab with the stream is frozen, another takes its place', async () => {
  const { server, backend } = setUp()
  const first = backend.openPage()
  const call = first.client.startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
  await server.advance(500)
  const second = backend.openPage()
  void second.client.connect()
  await server.advance(1000)
  first.page.freeze()
  await server.advance(50_000)
  expect(second.client.getToolCallState(call.callId)).toMatchObject({ task: { statusMessage: 'step 51' } })
})

it('a tab that comes back from the back-forward cache sees what has happened meanwhile', async () => {
  const { server, backend } = setUp()
  const { client, page } = backend.openPage()
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  await page.hidePage()
  expect(page.locks()).toBe(0)
  await server.advance(20_000)
  expect(call.getState().phase).toBe('working')
  await page.showPage()
  await server.advance(500)
  expect(call.getState().phase).toBe('completed')
})

it('forget() in one tab takes the call from every tab, and a call that is started after it stays', async () => {
  const { server, backend } = setUp()
  const [one, other] = [backend.openPage().client, backend.openPage().client]
  const call = one.startToolCall(WORK, { key: 'k' })
  void other.connect()
  await server.advance(1500)
  const forgotten = vi.fn()
  other.onForgotten((isForgotten) => forgotten(isForgotten(call.callId)))
  const [, again] = [one.forget({ callId: call.callId }), one.startToolCall(WORK, { key: 'k' })]
  await server.advance(1500)
  expect(forgotten).toHaveBeenCalledWith(true)
  expect(other.getToolCallState(again.callId)).toMatchObject({ phase: 'working' })
  expect(again.getState()).toMatchObject({ phase: 'working' })
  await server.advance(10_000)
  expect(again.getState().phase).toBe('completed')
})

it('all tabs show that the user is signed out, and one that signs in again brings them all back', async () => {
  const { server, backend } = setUp()
  let user: string | undefined = 'ada'
  const tabs = [backend.openPage(() => user), backend.openPage(() => user)]
  for (const { client } of tabs) void client.connect()
  await server.advance(500)
  user = undefined
  for (const { network } of tabs) network.dropStreams()
  await server.advance(2000)
  const statuses = () => tabs.map(({ client }) => client.store.getState().connection.status)
  expect(statuses()).toEqual(['unauthorized', 'unauthorized'])
  user = 'ada'
  await Promise.all([tabs[1]?.client.connect(), server.advance(1000)])
  expect(statuses()).toEqual(['connected', 'connected'])
})

it('a tab that signs in again while the tab with the stream is frozen takes its place', async () => {
  const { server, backend } = setUp()
  let user: string | undefined = 'ada'
  const [first, second] = [backend.openPage(() => user), backend.openPage(() => user)]
  for (const { client } of [first, second]) void client.connect()
  await server.advance(500)
  user = undefined
  for (const { network } of [first, second]) network.dropStreams()
  await server.advance(2000)
  first.page.freeze()
  user = 'ada'
  void second.client.connect()
  await server.advance(60_000)
  expect(second.client.store.getState().connection.status).toBe('connected')
})

it('without Web Locks each tab has a stream of its own', async () => {
  const { server, backend } = setUp()
  const tabs = [1, 2].map(() => backend.openPage(undefined, { crossTab: false }).client)
  for (const client of tabs) void client.connect()
  await server.advance(500)
  expect(backend.openStreams()).toBe(2)
})

it('a tab that is opened while another one was refused knows it', async () => {
  const { server, backend } = setUp()
  const session: { user: string | undefined } = { user: undefined }
  const first = backend.openPage(() => session.user)
  first.client.connect().catch(() => {})
  await server.advance(1000)
  const second = backend.openPage(() => session.user)
  const refused = vi.fn()
  second.client.connect().catch(refused)
  await server.advance(3000)
  expect(refused).toHaveBeenCalled()
  session.user = 'ada'
  const known = vi.fn()
  void second.client.connect().then(known)
  await server.advance(3000)
  expect(known).toHaveBeenCalled()
})
