import type { TaskClient } from 'taskwire'
import { describe, expect, it, vi } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

const LONG = { name: 'work', arguments: { seconds: 300 } }

/** A browser whose session is that of `session.user`, and a backend that sees who has sent a request, and no later sign-out. */
function setUp(options: Parameters<typeof createBridgedBackend>[1] = {}) {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server, options)
  const session: { user: string | undefined } = { user: 'ada' }
  return { server, backend, session, openPage: () => backend.openPage(() => session.user) }
}

const keysOf = ({ store }: TaskClient) => Object.values(store.getState().calls).map(({ key }) => key)
const statusOf = ({ store }: TaskClient) => store.getState().connection.status

describe('a page that is loaded after another user has signed in', () => {
  // tab A  of Ada: reads the stream ─────────────────── opens it again: of Eve
  // tab B                      Eve signs in ▪ loaded ─ asks ▪ hears of Eve's calls alone
  it('shows nothing of what an older tab knows, and does what its user asks for', async () => {
    const { server, backend, session, openPage } = setUp()
    const old = openPage().client
    old.startToolCall(LONG, { key: 'of Ada' }).result.catch(() => {})
    await server.advance(2000)
    session.user = 'eve'
    const { client } = openPage()
    const shown: unknown[] = []
    client.store.subscribe(() => shown.push(...keysOf(client)))
    void client.connect()
    await server.advance(3000)
    const own = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'of Eve' })
    await server.advance(10_000)
    expect(await own.result).toMatchObject({ structuredContent: { seconds: 1 } })
    expect(new Set(shown)).toEqual(new Set(['of Eve']))
    expect([client, old].map(keysOf)).toEqual([['of Eve'], ['of Eve']])
    expect(backend.openStreams()).toBe(1)
  })

  it('shows nothing of what a frozen tab passes on when it wakes', async () => {
    const { server, session, openPage } = setUp()
    const old = openPage()
    old.client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'of Ada' }).result.catch(() => {})
    await server.advance(2000)
    old.page.freeze()
    session.user = 'eve'
    const { client } = openPage()
    const shown: unknown[] = []
    client.store.subscribe(() => shown.push(...keysOf(client)))
    void client.connect()
    await server.advance(5000)
    await old.page.thaw()
    await server.advance(10_000)
    expect(shown).toEqual([])
    expect(statusOf(client)).toBe('connected')
  })
})

it('a page whose action is refused since another user has signed in shows the calls of that one', async () => {
  const { server, backend, session, openPage } = setUp()
  const { client } = openPage()
  client.startToolCall(LONG, { key: 'of Ada' }).result.catch(() => {})
  await server.advance(2000)
  session.user = 'eve'
  const refused = vi.fn()
  client.startToolCall(LONG, { key: 'too late' }).result.catch(refused)
  await server.advance(2000)
  expect(refused).toHaveBeenCalled()
  backend.clientOf('eve').startToolCall(LONG, { key: 'of Eve' })
  await server.advance(2000)
  expect(keysOf(client)).toEqual(['of Eve'])
})

describe.each([15_000, Number.POSITIVE_INFINITY])(
  'a page that was refused an action, with heartbeats of %s ms',
  (heartbeatMs) => {
    it('shows that nobody is signed in for as long as nobody is, and connects again after the sign-in', async () => {
      const { server, backend, session, openPage } = setUp({ heartbeatMs })
      const pages = [openPage().client, openPage().client]
      for (const client of pages) void client.connect()
      await server.advance(1000)
      session.user = undefined
      await Promise.all([pages[1]?.listTools().catch(() => {}), server.advance(500)])
      expect(pages.map(statusOf)).toEqual(['unauthorized', 'unauthorized'])
      const opened = () => backend.requests.filter(({ method }) => method === 'GET').length
      const before = opened()
      await server.advance(600_000)
      expect(pages.map(statusOf)).toEqual(['unauthorized', 'unauthorized'])
      expect(opened()).toBe(before)
      session.user = 'ada'
      await Promise.all([pages[1]?.connect(), server.advance(1000)])
      expect(pages.map(statusOf)).toEqual(['connected', 'connected'])
    })
  },
)

it('a page that is loaded after the sign-in is not told that an older tab was refused', async () => {
  const { server, session, openPage } = setUp()
  session.user = undefined
  const old = openPage().client
  old.connect().catch(() => {})
  await server.advance(1000)
  session.user = 'ada'
  const { client } = openPage()
  const refused = vi.fn()
  client.connect().catch(refused)
  await server.advance(3000)
  expect(refused).not.toHaveBeenCalled()
  expect([client, old].map(statusOf)).toEqual(['connected', 'connected'])
})
