import { ConnectionFailedError, ToolCallRejectedError } from 'taskwire'
import { createTaskBridge } from 'taskwire/bridge/server'
import { expect, it, vi } from 'vitest'
import { BRIDGE_URL, createBridgedBackend, USER_HEADER } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

const WORK = { name: 'work', arguments: { seconds: 5 } }

function setUp(options: Parameters<typeof createBridgedBackend>[1] = {}) {
  const server = createWorkServer({ browser: { turns: 60 } })
  return { server, backend: createBridgedBackend(server, options) }
}

type Backend = ReturnType<typeof setUp>['backend']

/** A request that no page of ours sends. */
function post(backend: Backend, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return backend.bridge.fetch(
    new Request(BRIDGE_URL, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', [USER_HEADER]: 'mallory', ...headers },
    }),
  )
}

let ids = 0
const asking = (action: object, more: object = {}) => ({ v: 1, id: `id-${++ids}`, action, ...more })

async function firstNews(backend: Backend, headers: Record<string, string>): Promise<string> {
  const response = await backend.bridge.fetch(new Request(BRIDGE_URL, { headers }))
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

it('two users see nothing of each other', async () => {
  const { server, backend } = setUp()
  const [ada, eve] = [backend.openPage(() => 'ada'), backend.openPage(() => 'eve', { crossTab: false })]
  ada.client.startToolCall(WORK, { key: 'k' })
  void eve.client.connect()
  await server.advance(1500)
  expect(eve.client.store.getState().calls).toEqual({})
  const own = eve.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  await server.advance(10_000)
  expect(await own.result).toMatchObject({ structuredContent: { seconds: 1 } })
  expect(Object.keys(ada.client.store.getState().calls)).toHaveLength(1)
  expect(server.count('tools/call')).toBe(2)
})

it('a page cannot cancel, answer, forget or look at the call of another user by its id or its key', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage(() => 'ada')
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  await server.advance(1500)
  const [theirs] = Object.keys(backend.clientOf('ada').store.getState().calls)
  for (const ref of [{ id: theirs }, { name: 'work', key: 'k' }, { id: call.callId }]) {
    for (const action of [
      { type: 'cancel', call: ref },
      { type: 'respond', call: ref, inputKey: 'a', response: { action: 'decline' } },
      { type: 'resume', call: ref },
    ]) {
      const response = await post(backend, asking(action))
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({ error: { name: 'TaskExpiredError' } })
    }
    expect((await post(backend, asking({ type: 'forget', call: ref }))).status).toBe(200)
  }
  expect((await post(backend, asking({ type: 'forget' }))).status).toBe(200)
  await server.advance(500)
  expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: false })
})

it("another user's sequence numbers, and forged ones, bring one's own calls and no others", async () => {
  const { server, backend } = setUp()
  backend.openPage(() => 'ada').client.startToolCall(WORK, { key: 'secret-plan' })
  await server.advance(1500)
  const adas = await firstNews(backend, { [USER_HEADER]: 'ada' })
  expect(adas).toContain('secret-plan')
  const id = /id: (.*)\n/.exec(adas)?.[1] ?? ''
  for (const forged of [id, id.replace(/\d+$/, '0'), '0:0', ':', `${id}9`, '-1']) {
    const news = await firstNews(backend, { [USER_HEADER]: 'mallory', 'last-event-id': forged })
    expect(news).toMatch(/^id: .*"user":/s)
    expect(news).not.toContain('"calls"')
    expect(news).not.toContain('secret-plan')
  }
})

it('what is not allowed is refused, in words that say what to change', async () => {
  const { server, backend } = setUp({ allow: { tools: ['echo'] } })
  const { client } = backend.openPage()
  const refused = client.startToolCall(WORK)
  const taken = client.startToolCall({ name: 'echo', arguments: { text: 'x' } })
  backend.clientOf('ada').startToolCall(WORK, { key: 'of the backend' })
  await server.advance(1500)
  await expect(refused.result).rejects.toBeInstanceOf(ToolCallRejectedError)
  await expect(refused.result).rejects.toThrow(/`allow` of createTaskBridge/)
  expect(await taken.result).toMatchObject({ content: [{ text: 'x' }] })
  const shown = Object.values(client.store.getState().calls).map(({ name, phase }) => `${name} ${phase}`)
  expect(shown.sort()).toEqual(['echo completed', 'work failed'])
  const [tools] = await Promise.all([client.listTools(), server.advance(100)])
  expect(tools.map(({ name }) => name)).toEqual(['echo'])
})

it('allow as a function is asked with every action, and what it does not answer with true is refused', async () => {
  const asked: unknown[] = []
  const { server, backend } = setUp({
    allow: (action) => {
      asked.push(action)
      return (action.type !== 'cancel' && 'yes') as never
    },
  })
  const { client } = backend.openPage()
  const refused = client.startToolCall(WORK)
  await server.advance(500)
  await expect(refused.result).rejects.toBeInstanceOf(ToolCallRejectedError)
  expect(asked).toEqual([{ type: 'start', tool: 'work', arguments: { seconds: 5 } }])
  expect(() => createTaskBridge(undefined as never)).toThrow(/clientOf is undefined; it must be a function/)
  expect(() => createTaskBridge({ clientOf: () => undefined } as never)).toThrow(/needs to know what pages may do/)
})

it('who is not signed in gets words and sees nothing, and what is asked fails without being sent later', async () => {
  const { server, backend } = setUp({ signInMessage: 'Please sign in first.' })
  let user: string | undefined
  const { client, page } = backend.openPage(() => user)
  const connected = client.connect().catch((error: unknown) => error)
  await server.advance(500)
  expect(await connected).toBeInstanceOf(ConnectionFailedError)
  expect(client.store.getState().connection).toMatchObject({
    status: 'unauthorized',
    error: { message: 'Please sign in first.' },
  })
  const call = client.startToolCall(WORK)
  await server.advance(500)
  await expect(call.result).rejects.toThrow('Please sign in first.')
  user = 'ada'
  await page.setVisible(false)
  await page.setVisible(true)
  await server.advance(500)
  expect(client.store.getState().connection.status).toBe('connected')
  expect(server.count('tools/call')).toBe(0)
})

/** A backend that finds the user by a session, which the header of the tests names. */
function setUpSessions(more: { onError?: (error: Error) => void } = {}) {
  const sessions = new Map([['s1', 'ada']])
  let isDown = false
  const { server, backend } = setUp({
    ...more,
    clientOf: ({ headers }) => {
      if (isDown) throw new Error('the database of sessions is down')
      const user = sessions.get(headers.get(USER_HEADER) ?? '')
      return user === undefined ? undefined : backend.clientOf(user)
    },
  })
  const { client, page } = backend.openPage(() => 's1')
  const streams = () => backend.requests.filter(({ method }) => method === 'GET').length
  return { server, backend, sessions, client, page, streams, setDown: (value: boolean) => (isDown = value) }
}

it('an open page whose session has ended sees nothing that happens more than a minute later', async () => {
  const { server, backend, sessions, client, page } = setUpSessions()
  void client.connect()
  await server.advance(1000)
  sessions.delete('s1')
  await server.advance(60_000)
  expect(client.store.getState().connection.status).toBe('unauthorized')
  const { callId } = backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
  await server.advance(60_000)
  expect(client.store.getState().calls).toEqual({})
  sessions.set('s1', 'ada')
  await page.setVisible(false)
  await page.setVisible(true)
  await server.advance(1000)
  const [shown] = Object.values(client.store.getState().calls)
  expect(shown).toMatchObject({
    phase: 'working',
    startedAt: backend.clientOf('ada').getToolCallState(callId)?.startedAt,
  })
})

it('an open page whose session is of another user now shows the calls of that one within a minute', async () => {
  const { server, backend, sessions, client } = setUpSessions()
  client.startToolCall({ name: 'work', arguments: { seconds: 300 } }, { key: 'of Ada' })
  await server.advance(1500)
  backend.clientOf('eve').startToolCall({ name: 'work', arguments: { seconds: 300 } }, { key: 'of Eve' })
  sessions.set('s1', 'eve')
  await server.advance(60_000)
  expect(Object.values(client.store.getState().calls).map(({ key }) => key)).toEqual(['of Eve'])
})

it('an open page stays while the backend cannot find out who is signed in', async () => {
  const onError = vi.fn()
  const { server, client, streams, setDown } = setUpSessions({ onError })
  const { result } = client.startToolCall({ name: 'work', arguments: { seconds: 150 } }, { key: 'k' })
  await server.advance(1500)
  setDown(true)
  await Promise.all([result, server.advance(180_000)])
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'the database of sessions is down' }))
  expect(streams()).toBe(1)
})

it('when another user signs in, the page forgets the calls of the one before, and does nothing in their name', async () => {
  const { server, backend } = setUp()
  let user = 'ada'
  const { client, network, page } = backend.openPage(() => user)
  const forgotten = vi.fn()
  client.onForgotten((isForgotten) => forgotten(isForgotten(callId)))
  const { callId, result } = client.startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  network.cut()
  const late = client.startToolCall({ name: 'work', arguments: { seconds: 1 } })
  user = 'eve'
  await server.advance(500)
  network.mend()
  await page.setOnline(true)
  await server.advance(5000)
  await expect(late.result).rejects.toThrow(/Another user has signed in/)
  await expect(result).rejects.toThrow(/forgotten/)
  expect(client.getToolCallState(callId)).toBeUndefined()
  expect(forgotten).toHaveBeenCalledWith(true)
  expect(backend.clientOf('eve').store.getState().calls).toEqual({})
})

it('a page shows the next user nothing of what the one before has asked for and not got an answer to', async () => {
  const { server, backend } = setUp()
  let user = 'ada'
  const { client, network } = backend.openPage(() => user)
  void client.connect()
  await server.advance(500)
  network.cut()
  const unsent = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'unsent' })
  const cancelled = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'cancelled' })
  cancelled.result.catch(() => {})
  cancelled.cancel().catch(() => {})
  user = 'eve'
  network.mend()
  await server.advance(40_000)
  expect(client.store.getState().connection.status).toBe('connected')
  expect(client.store.getState().calls).toEqual({})
  await expect(unsent.result).rejects.toThrow(/Another user has signed in/)
  await expect(cancelled.result).rejects.toThrow(/Another user has signed in/)
  expect(server.count('tools/call')).toBe(0)
})

/** A page of Ada's whose actions are lost while `isBlocked`, and whose session becomes Eve's. */
async function setUpSwitch() {
  const { server, backend } = setUp()
  const session = { user: 'ada', isBlocked: false }
  const opened: ReturnType<typeof backend.openPage> = backend.openPage(() => session.user, {
    crossTab: false,
    fetch: async (_: string | URL, init: RequestInit = {}) => {
      if (session.isBlocked && init.method === 'POST') throw new TypeError('fetch failed')
      return opened.network.send(init)
    },
  })
  const eve = backend.clientOf('eve')
  const theirs = eve.startToolCall({ name: 'work', arguments: { seconds: 300 } }, { key: 'k' })
  void opened.client.connect()
  await server.advance(1500)
  const switchUser = async () => {
    session.user = 'eve'
    opened.network.dropStreams()
    await server.advance(3000)
    session.isBlocked = false
    await server.advance(60_000)
  }
  return { server, backend, session, ...opened, eve, theirs, switchUser }
}

it('what a page forgets twice without a network is not forgotten of the next user', async () => {
  const { client, session, theirs, switchUser } = await setUpSwitch()
  session.isBlocked = true
  client.forget().catch(() => {})
  client.forget().catch(() => {})
  await switchUser()
  expect(theirs.getState().phase).toBe('working')
  expect(Object.values(client.store.getState().calls)).toMatchObject([{ key: 'k', phase: 'working' }])
})

it('what a page starts after forgetting without a network is not started for the next user', async () => {
  const { client, eve, session, switchUser } = await setUpSwitch()
  session.isBlocked = true
  client.forget().catch(() => {})
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'other' })
  call.result.catch(() => {})
  await switchUser()
  expect(Object.values(eve.store.getState().calls)).toMatchObject([{ key: 'k' }])
  await expect(call.result).rejects.toThrow(/Another user/)
})

it('what a page cancels while its start is under way is not cancelled of the next user', async () => {
  const { client, session, theirs, switchUser } = await setUpSwitch()
  session.isBlocked = true
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  call.result.catch(() => {})
  call.cancel().catch(() => {})
  await switchUser()
  expect(theirs.getState()).toMatchObject({ phase: 'working', isCancelling: false })
})

it('a handle of the user before does not cancel the call of the next one', async () => {
  const { server, client, theirs, switchUser } = await setUpSwitch()
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2000)
  await switchUser()
  call.cancel().catch(() => {})
  await server.advance(2000)
  expect(theirs.getState()).toMatchObject({ phase: 'working', isCancelling: false })
})

it('an outcome that is asked for while another user is signed in is asked for seldom, and comes when the session is back', async () => {
  const { server, backend } = setUp()
  const session = { user: 'ada', isElsewhere: false }
  const opened: ReturnType<typeof backend.openPage> = backend.openPage(() => session.user, {
    fetch: async (_, init = {}) => {
      if (session.isElsewhere && String(init.body).includes('"resume"')) session.user = 'eve'
      const answer = opened.network.send(init)
      session.user = 'ada'
      return answer
    },
  })
  const { client, network } = opened
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
  await server.advance(1500)
  network.cut()
  await server.advance(5000)
  await backend.restart()
  session.isElsewhere = true
  network.mend()
  await server.advance(10 * 60_000)
  expect(call.getState().phase).toBe('ended')
  expect(backend.count('resume')).toBeLessThanOrEqual(23)
  session.isElsewhere = false
  await server.advance(60_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 3 } })
})

/** A page of Ada's that starts a call before it has heard who is signed in, which is Eve then. `late`: the answer or the news, by so many ms. */
async function startBeforeNews(late: { readonly answer: number; readonly news: number }) {
  const { server } = setUp()
  // Server-sent events: a request for news can be held up.
  const backend = createBridgedBackend(server, {}, {}, false)
  const session = { user: 'ada' }
  const clock = server.browser.openPage().environment
  const opened: ReturnType<typeof backend.openPage> = backend.openPage(() => session.user, {
    fetch: async (_, init = {}) => {
      if (init.method !== 'POST') await new Promise<void>((resolve) => clock.setTimeout(resolve, late.news))
      return opened.network.send(init)
    },
  })
  opened.network.delayAnswers(1, late.answer)
  const call = opened.client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
  const outcome = vi.fn()
  call.result.then(outcome, outcome)
  await server.advance(100)
  session.user = 'eve'
  await server.advance(60_000)
  return { server, ...opened, outcome }
}

it.each([
  ['before the first news', { answer: 0, news: 5000 }],
  ['after the first news', { answer: 5000, news: 500 }],
])('a call that was made for the user before, and is answered %s, is not shown to the next one', async (_, late) => {
  const { server, client, outcome } = await startBeforeNews(late)
  expect(client.store.getState().connection.status).toBe('connected')
  expect(client.store.getState().calls).toEqual({})
  expect(outcome).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: 'AbortError' }))
  expect(server.count('tools/call')).toBe(1)
})

it.each([
  ['of another origin', { origin: 'https://evil.example' }, 403],
  ['of another origin that looks like ours', { origin: 'http://localhost.evil.example' }, 403],
  ['of a sandboxed frame', { origin: 'null' }, 403],
  ['of another site without an origin', { 'sec-fetch-site': 'cross-site' }, 403],
  ['of another subdomain', { 'sec-fetch-site': 'same-site' }, 403],
  ['of a form', { 'content-type': 'text/plain' }, 415],
  ['of our own', { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }, 200],
])('a request %s is answered as it should be', async (_, headers, status) => {
  const { backend, server } = setUp()
  const response = await post(backend, asking({ type: 'start', name: 'echo', key: 'k', repeat: 'never' }), headers)
  expect(response.status).toBe(status)
  await server.advance(500)
  expect(server.count('tools/call')).toBe(status === 200 ? 1 : 0)
})

it('a page behind a proxy is let in by the name of its origin', async () => {
  const { backend } = setUp({ origins: ['https://app.example'] })
  const action = asking({ type: 'forget' })
  expect((await post(backend, action, { origin: 'https://app.example' })).status).toBe(200)
  expect((await post(backend, action, { origin: 'https://other.example' })).status).toBe(403)
})

it.each([
  ['no JSON', '{'],
  ['another version', asking({ type: 'forget' }, { v: 2 })],
  ['no action', { v: 1, id: 'a' }],
  ['an unknown action', asking({ type: 'eval', code: '1' })],
  ['a start without a key', asking({ type: 'start', name: 'work', repeat: 'never' })],
  ['an id that is too long', { ...asking({ type: 'forget' }), id: 'x'.repeat(1000) }],
  ['arguments that are no object', asking({ type: 'start', name: 'work', key: 'k', repeat: 'never', arguments: [] })],
  ['JSON that is nested too deep', `${'['.repeat(5000)}${']'.repeat(5000)}`],
])('a body with %s is refused', async (_, body) => {
  const { backend, server } = setUp()
  expect((await post(backend, body)).status).toBe(400)
  await server.advance(500)
  expect(server.requests).toEqual([])
})

it('a body of 10 MB is refused without being read to its end', async () => {
  const { backend } = setUp()
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      sent += 1024 * 1024
      controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20))
      if (sent >= 10 * 1024 * 1024) controller.close()
    },
  })
  const headers = { 'content-type': 'application/json', [USER_HEADER]: 'mallory' }
  const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
  expect((await backend.bridge.fetch(new Request(BRIDGE_URL, init))).status).toBe(413)
  expect(sent).toBeLessThan(4 * 1024 * 1024)
  const announced = await post(backend, 'x', { 'content-length': String(10 * 1024 * 1024) })
  expect([413, 400]).toContain(announced.status)
})

it('a flood of actions and of streams is turned away, and other users do not notice', async () => {
  const { server, backend } = setUp({ maxActions: 3, maxStreams: 2 })
  server.faults.delay(60_000, { method: 'tasks/cancel' })
  const client = backend.clientOf('mallory')
  for (let at = 0; at < 6; at++) client.startToolCall({ name: 'work', arguments: { seconds: 600 } }, { key: `${at}` })
  await server.advance(1500)
  const cancels = [0, 1, 2, 3, 4, 5].map((at) =>
    post(backend, asking({ type: 'cancel', call: { name: 'work', key: `${at}` } })),
  )
  await server.advance(25_000)
  expect((await Promise.all(cancels)).map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429, 429])
  const open = () => backend.bridge.fetch(new Request(BRIDGE_URL, { headers: { [USER_HEADER]: 'mallory' } }))
  expect([(await open()).status, (await open()).status, (await open()).status]).toEqual([200, 200, 429])
  const ada = backend.openPage(() => 'ada').client.startToolCall({ name: 'echo', arguments: { text: 'x' } })
  await server.advance(1000)
  expect(ada.getState().phase).toBe('completed')
})

it('an error of the app shows nothing of itself to the page', async () => {
  const onError = vi.fn()
  const { backend } = setUp({
    clientOf: () => {
      throw new Error('password of the database')
    },
    onError,
  })
  const response = await post(backend, asking({ type: 'forget' }))
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('password')
  expect(onError).toHaveBeenCalledOnce()
})

it('where the MCP server is, and why it cannot be reached, no page learns', async () => {
  const { server, backend } = setUp({})
  server.faults.drop()
  const { client, network } = backend.openPage()
  const call = client.startToolCall(WORK)
  await server.advance(5000)
  expect(call.getState().phase).toBe('calling')
  const response = await network.send({ method: 'GET', headers: {} })
  const { value } = (await response.body?.getReader().read()) ?? {}
  expect(new TextDecoder().decode(value)).not.toContain('localhost')
})

it('a call that the backend does not forget is shown again, and its key makes the same call', async () => {
  const { server, backend } = setUp({ allow: ({ type }) => type !== 'forget' })
  const { client } = backend.openPage()
  const first = client.startToolCall({ name: 'work', arguments: { seconds: 20 } }, { key: 'k' })
  await server.advance(2500)
  const forgotten = client.forget({ callId: first.callId })
  expect(client.store.getState().calls).toEqual({})
  await Promise.all([expect(forgotten).rejects.toThrow(ToolCallRejectedError), server.advance(1000)])
  expect(client.getToolCallState(first.callId)).toMatchObject({ phase: 'working', key: 'k' })
  client.forget({ callId: first.callId }).catch(() => {})
  const again = client.startToolCall({ name: 'work', arguments: { seconds: 20 } }, { key: 'k' })
  await server.advance(30_000)
  expect(await again.result).toMatchObject({ structuredContent: { seconds: 20 } })
  expect(server.count('tools/call')).toBe(1)
  client.forget({ callId: first.callId }).catch(() => {})
  const later = client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k', repeat: 'settled' })
  await server.advance(10_000)
  expect(await later.result).toMatchObject({ structuredContent: { seconds: 1 } })
})

it('forget() of everything leaves the calls on the page that the backend does not forget', async () => {
  const { server, backend } = setUp({ allow: ({ type, tool }) => type !== 'forget' || tool === 'echo' })
  const { client } = backend.openPage()
  const kept = client.startToolCall({ name: 'work', arguments: { seconds: 20 } }, { key: 'k' })
  const echoed = client.startToolCall({ name: 'echo', arguments: { text: 'hi' } }, { key: 'k' })
  await Promise.all([echoed.result, server.advance(2500)])
  await Promise.all([client.forget(), server.advance(1000)])
  expect(Object.keys(client.store.getState().calls)).toEqual([kept.callId])
  await server.advance(30_000)
  expect(client.getToolCallState(kept.callId)).toMatchObject({ phase: 'completed' })
})

it('a call that is forgotten before the first news, which the backend refuses, is shown', async () => {
  const { server, backend } = setUp({ allow: ({ type }) => type !== 'forget' })
  const isBlocked = { news: true }
  const opened: ReturnType<typeof backend.openPage> = backend.openPage(() => 'ada', {
    crossTab: false,
    fetch: async (_: string | URL, init: RequestInit = {}) => {
      if (isBlocked.news && init.method !== 'POST') throw new TypeError('fetch failed')
      return opened.network.send(init)
    },
  })
  const { client } = opened
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2000)
  client.forget({ callId: call.callId }).catch(() => {})
  await server.advance(2000)
  isBlocked.news = false
  await server.advance(10_000)
  expect(client.store.getState().calls).toMatchObject({ [call.callId]: { phase: 'working' } })
})

it('a call is cancelled although as many starts as may run at once wait for the server', async () => {
  const { server, backend } = setUp({ maxActions: 3 })
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(500)
  server.faults.drop()
  await backend.restart()
  const calls = ['a', 'b', 'c', 'd'].map((key) =>
    client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key }),
  )
  for (const { result } of calls) result.catch(() => {})
  await server.advance(10_000)
  void calls[0]?.cancel()
  await server.advance(60_000)
  expect(calls.map((call) => call.getState().phase)).toEqual(['cancelled', 'calling', 'calling', 'calling'])
})

it('pages see no call for which `shows` returns something else than true, such as a promise', async () => {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server, { shows: (async () => false) as never })
  backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'hidden' })
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(3000)
  expect(client.store.getState().calls).toEqual({})
})

it.each(['select', 'shows'] as const)('%s that returns a promise shows nothing, and ends no process', async (name) => {
  const onError = vi.fn()
  const later = () => Promise.reject(new Error('no database'))
  const { server, backend } = setUp({ [name]: later as never, onError })
  const { client } = backend.openPage()
  void client.connect()
  backend.clientOf('ada').startToolCall({ name: 'echo', arguments: { text: 'secret' } }, { key: 'k' })
  await server.advance(3000)
  const [call] = Object.values(client.store.getState().calls)
  expect(JSON.stringify(call?.result) ?? '').not.toContain('secret')
  const told = onError.mock.calls.map(([error]) => error.message)
  expect(told).toContain('no database')
  expect(told).toContain(`${name} of createTaskBridge has to return its value, and no promise.`)
})

it('onError that throws ends no process', async () => {
  const { server, backend } = setUp({
    clientOf: () => {
      throw new Error('no session')
    },
    onError: (error) => {
      throw error
    },
  })
  const response = await backend.bridge.fetch(new Request(BRIDGE_URL))
  expect(response.status).toBe(500)
  await server.advance(1000)
})

it('a body that breaks off is no failure of the app', async () => {
  const onError = vi.fn()
  const { backend } = setUp({ onError })
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"v":1,')),
    pull: (controller) => controller.error(new Error('aborted')),
  })
  const headers = { 'content-type': 'application/json', [USER_HEADER]: 'ada' }
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const response = await backend.bridge.fetch(new Request(BRIDGE_URL, init as RequestInit))
  expect(response.status).toBe(400)
  expect(onError).not.toHaveBeenCalled()
})
