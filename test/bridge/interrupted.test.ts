import { type TaskClient, TaskExpiredError, ToolCallInterruptedError, ToolCallKeyConflictError } from 'taskwire'
import { expect, it } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

/** A backend that is killed after it has answered the start of a call, and before the MCP server has answered the `tools/call`. */
function setUp(options: Parameters<typeof createWorkServer>[0] = {}) {
  const server = createWorkServer({ browser: { turns: 60 }, ...options })
  const { setTimeout } = server.browser.openPage().environment
  let allowMs = 0
  const allow = async () => {
    if (allowMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, allowMs))
    return true
  }
  const backend = createBridgedBackend(server, { allow })
  const start = (client: TaskClient, seconds = 5) => {
    const call = client.startToolCall({ name: 'work', arguments: { seconds } }, { key: 'k' })
    call.result.catch(() => {})
    return call
  }
  return {
    ...{ server, backend, start },
    /** How long the backend takes from now on to find out whether a page may do something, in ms. */
    takeTime: (ms: number) => {
      allowMs = ms
    },
    interrupt: async () => {
      server.faults.delay(3000, { method: 'tools/call', times: 1 })
      await server.advance(2000)
      expect(server.count('tools/call')).toBe(1)
      await backend.restart()
    },
  }
}

it('a call whose process is gone before its task is known is asked for again by the page that has made it', async () => {
  const { server, backend, start, interrupt } = setUp()
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(500)
  const call = start(client)
  const phases = new Set<string>()
  call.subscribe(({ phase }) => phases.add(phase))
  await interrupt()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(phases).not.toContain('failed')
  expect(backend.count('start')).toBe(2)
})

it('a start whose process is killed before it answers is sent once more, to the next one', async () => {
  const { server, backend, start } = setUp()
  const { client } = backend.openPage()
  // A page that has heard nothing yet is answered when the call has a task.
  server.faults.delay(3000, { method: 'tools/call', times: 1 })
  const call = start(client)
  await server.advance(500)
  await backend.restart()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  const ids = backend.requests.flatMap(({ body }) => (body?.action.type === 'start' ? [body.id] : []))
  expect(ids).toEqual([ids[0], ids[0]])
})

it('such a call ends as interrupted where the server does not know calls by their keys', async () => {
  const { server, backend, start, interrupt } = setUp({ idempotentCalls: false })
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(500)
  const call = start(client)
  await interrupt()
  await server.advance(60_000)
  await expect(call.result).rejects.toBeInstanceOf(ToolCallInterruptedError)
  expect(server.count('tools/call')).toBe(1)
  expect(backend.count('start')).toBe(2)
})

it.each([
  ['that knows calls by their keys', true],
  ['that does not know calls by their keys', false],
])('a call of a tool that only reads is made again by its page, at a server %s', async (_, idempotentCalls) => {
  const { server, backend, interrupt } = setUp({ idempotentCalls })
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall({ name: 'look', arguments: { seconds: 5 } }, { key: 'k' })
  await interrupt()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ content: [{ text: 'seen' }] })
  expect(backend.count('start')).toBe(2)
})

// backend  tools/call ···· callTimeoutMs: interrupted
// page     calling ─────────────────────── failed, and not asked for again
it.each([[true], [false]])(
  'a call that its server does not answer ends after the callTimeoutMs of the backend (the server knows keys: %s)',
  async (idempotentCalls) => {
    const server = createWorkServer({ browser: { turns: 60 }, idempotentCalls })
    const backend = createBridgedBackend(server, {}, { callTimeoutMs: 20_000 })
    const { client } = backend.openPage()
    const ends: string[] = []
    client.onToolCallSettled(({ phase, error }) => ends.push(`${phase} ${error?.name}`))
    void client.connect()
    await server.advance(500)
    server.faults.delay(3_600_000, { method: 'tools/call' })
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k' })
    call.result.catch(() => {})
    await server.advance(19_000)
    expect(call.getState().phase).toBe('calling')
    await server.advance(60_000)
    await expect(call.result).rejects.toThrow(ToolCallInterruptedError)
    expect(ends).toEqual(['failed ToolCallInterruptedError'])
    const sent = server.count('tools/call')
    await server.advance(600_000)
    expect([server.count('tools/call'), backend.count('start')]).toEqual([sent, 1])
  },
)

it('a call that was cancelled is not asked for again', async () => {
  const { server, backend, start } = setUp()
  const { client, network } = backend.openPage()
  void client.connect()
  await server.advance(500)
  const call = start(client)
  server.faults.delay(3000, { method: 'tools/call', times: 1 })
  await server.advance(2000)
  network.cut()
  void call.cancel()
  await backend.restart()
  network.mend()
  await server.advance(60_000)
  expect(backend.count('start')).toBe(1)
  expect(['failed', 'cancelled']).toContain(call.getState().phase)
})

it('a call that was cancelled before its response came stays so in the next process, which knows of no task', async () => {
  const { server, backend, start } = setUp()
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(500)
  server.faults.delay(30_000, { method: 'tools/call', times: 1 })
  const call = start(client)
  call.subscribe(() => {})
  await server.advance(2000)
  const cancelled = call.cancel()
  await server.advance(1000)
  await cancelled
  expect(call.getState().phase).toBe('cancelled')
  await backend.restart()
  await server.advance(10_000)
  const [known] = Object.values(backend.clientOf('ada').store.getState().calls)
  expect([known, call.getState()].map((state) => state?.phase)).toEqual(['cancelled', 'cancelled'])
})

it('a page that comes later is shown it as interrupted, and gets its outcome when the app makes the call again', async () => {
  const { server, backend, start, interrupt } = setUp()
  const first = backend.openPage()
  void first.client.connect()
  await server.advance(500)
  start(first.client)
  await interrupt()
  await first.page.crash()
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(5000)
  const [found] = Object.values(client.store.getState().calls)
  expect(found?.error).toBeInstanceOf(ToolCallInterruptedError)
  const call = start(client)
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('every page shows that an interrupted call runs again', async () => {
  const { server, backend, start, interrupt } = setUp()
  const pages = [backend.openPage(), backend.openPage()] as const
  for (const { client } of pages) void client.connect()
  await server.advance(500)
  start(pages[0].client, 20)
  await interrupt()
  await server.advance(12_000)
  const phases = pages.map(({ client }) => Object.values(client.store.getState().calls).map(({ phase }) => phase))
  expect(phases).toEqual([['working'], ['working']])
})

/** What a page shows of its only call, one after the other. */
function statesOf({ store }: TaskClient): string[] {
  const states: string[] = []
  store.subscribe(({ calls }) => {
    const [call] = Object.values(calls)
    const state = `${call?.phase} ${call?.network}`
    if (states.at(-1) !== state) states.push(state)
  })
  return states
}

it.each([
  ['work', 'is there', 0],
  ['work', 'comes back after 15 seconds', 15_000],
  ['look', 'is there', 0],
  ['look', 'comes back after 15 seconds', 15_000],
])('a page that watches a call of %s shows no end while the page that has made it %s', async (name, _, awayMs) => {
  const { server, backend, interrupt } = setUp()
  const [maker, watcher] = [backend.openPage(), backend.openPage()]
  for (const { client } of [maker, watcher]) void client.connect()
  await server.advance(500)
  const call = maker.client.startToolCall({ name, arguments: { seconds: 5 } }, { key: 'k' })
  const states = statesOf(watcher.client)
  maker.network.dropStreams()
  await interrupt()
  if (awayMs > 0) maker.network.cut()
  await server.advance(awayMs)
  maker.network.mend()
  await server.advance(60_000)
  expect(await call.result).toBeDefined()
  expect(states).toContain('calling retrying')
  expect(states.filter((state) => !/^(calling|working)/.test(state))).toEqual(['completed ok'])
})

it.each([
  ['work', 'ToolCallInterruptedError'],
  ['look', 'TaskExpiredError'],
])(
  'a page that watches a call of %s shows its end half a minute after the page that has made it was closed',
  async (name, error) => {
    const { server, backend, interrupt } = setUp()
    const [maker, watcher] = [backend.openPage(), backend.openPage()]
    for (const { client } of [maker, watcher]) void client.connect()
    await server.advance(500)
    maker.client.startToolCall({ name, arguments: { seconds: 5 } }, { key: 'k' }).result.catch(() => {})
    const states = statesOf(watcher.client)
    await interrupt()
    await maker.page.crash()
    await server.advance(25_000)
    expect(states.at(-1)).toBe('calling retrying')
    await server.advance(10_000)
    expect(states.at(-1)).toBe('failed ok')
    expect(Object.values(watcher.client.store.getState().calls)).toMatchObject([{ error: { name: error } }])
  },
)

it('a page that only watches makes such a call again at once where its app asks for it', async () => {
  const { server, backend, start, interrupt } = setUp()
  const [maker, watcher] = [backend.openPage(), backend.openPage()]
  for (const { client } of [maker, watcher]) void client.connect()
  await server.advance(500)
  start(maker.client)
  await interrupt()
  await maker.page.crash()
  await server.advance(5000)
  const call = start(watcher.client)
  await server.advance(8000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('a page that only watches such a call, and asks for another one under its key, watches on', async () => {
  const { server, backend, start, interrupt } = setUp()
  const [maker, watcher] = [backend.openPage(), backend.openPage()]
  for (const { client } of [maker, watcher]) void client.connect()
  await server.advance(500)
  const { callId } = start(maker.client)
  await interrupt()
  const watched = watcher.client.getToolCall(callId)
  await maker.page.crash()
  await server.advance(5000)
  const other = start(watcher.client, 9)
  await server.advance(1000)
  await expect(other.result).rejects.toBeInstanceOf(ToolCallKeyConflictError)
  expect(watched?.getState()).toMatchObject({ phase: 'calling', network: 'retrying' })
  start(watcher.client)
  await server.advance(8000)
  expect(await watched?.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('a page does not show the next user such a call of the one before, about which it had asked', async () => {
  const { server, backend, start, interrupt } = setUp()
  const session = { user: 'ada' }
  const maker = backend.openPage(() => 'ada', { crossTab: false })
  const { setTimeout } = server.browser.openPage().environment
  let asked = 0
  const opened: ReturnType<typeof backend.openPage> = backend.openPage(() => session.user, {
    crossTab: false,
    fetch: async (_, init = {}) => {
      const isLate = String(init.body).includes('"resume"') && ++asked === 1
      // Another process answers than the one whose news the page reads.
      if (isLate) await backend.restart()
      const answer = await opened.network.send(init)
      if (isLate) await new Promise<void>((resolve) => setTimeout(resolve, 8000))
      return answer
    },
  })
  const { client, network } = opened
  for (const each of [maker.client, client]) void each.connect()
  await server.advance(500)
  start(maker.client)
  await interrupt()
  await maker.page.crash()
  await server.advance(3000)
  expect(asked).toBe(1)
  session.user = 'eve'
  network.dropStreams()
  await server.advance(20_000)
  expect(client.store.getState().connection.status).toBe('connected')
  expect(client.store.getState().calls).toEqual({})
})

it('news that are older than the answer to its start do not end a call', async () => {
  const { server, backend, start, interrupt, takeTime } = setUp()
  const [watcher, maker] = [backend.openPage(), backend.openPage()]
  for (const { client } of [watcher, maker]) void client.connect()
  await server.advance(500)
  start(maker.client, 20)
  await interrupt()
  await maker.page.crash()
  takeTime(3000)
  const { client, page } = backend.openPage()
  const call = start(client, 20)
  await server.advance(20)
  // Its answer comes; the news that the other tab passes on, that the call was interrupted, wait until it thaws.
  page.freeze()
  await server.advance(15_000)
  await page.thaw()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 20 } })
})

it('a call is not over because the answer of its process comes after the next process has found it interrupted', async () => {
  const { server, backend, start } = setUp()
  const { client, network } = backend.openPage()
  void client.connect()
  await server.advance(500)
  server.faults.delay(3000, { method: 'tools/call', times: 1 })
  network.delayAnswers(1, 8000)
  const call = start(client)
  await server.advance(2000)
  await backend.restart()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('a call that is made again is not over because a process that did not know it says so later', async () => {
  const { server, backend, interrupt } = setUp()
  const [maker, watcher] = [backend.openPage(), backend.openPage()]
  for (const { client } of [maker, watcher]) void client.connect()
  await server.advance(500)
  const call = maker.client.startToolCall({ name: 'look', arguments: { seconds: 5 } }, { key: 'k' })
  const states = statesOf(watcher.client)
  watcher.network.delayAnswers(1, 8000)
  await interrupt()
  await server.advance(60_000)
  expect(await call.result).toBeDefined()
  expect(states.filter((state) => /failed/.test(state))).toEqual([])
})

it('a tool is not called again for a page that has heard its result, and not the answer to its start', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  void client.connect()
  await server.advance(500)
  network.loseAnswers(3)
  const call = client.startToolCall({ name: 'echo', arguments: { text: 'x' } }, { key: 'k' })
  call.subscribe(() => {})
  await server.advance(100)
  expect(await call.result).toMatchObject({ content: [{ text: 'x' }] })
  await backend.restart()
  await server.advance(60_000)
  expect(server.count('tools/call')).toBe(1)
  expect(call.getState().phase).toBe('completed')
})

// page       start ─────────────────────────── ▪ start ── answer
// process A        tools/call ─ result ─ killed
// process B                                          tools/call
it('a tool that answers at once is called again where its process is killed before it has answered the page', async () => {
  const { server, backend } = setUp()
  const { client, network } = backend.openPage()
  void client.connect()
  await server.advance(500)
  network.loseAnswers(1)
  network.dropStreams()
  const call = client.startToolCall({ name: 'echo', arguments: { text: 'x' } }, { key: 'k' })
  await server.advance(20)
  expect(server.count('tools/call')).toBe(1)
  await backend.restart()
  await server.advance(10_000)
  expect(await call.result).toMatchObject({ content: [{ text: 'x' }] })
  expect(server.count('tools/call')).toBe(2)
})

// laptop     start ─ task ─ offline ································ online ─ no process knows the call
// phone                               forget()
// process A        tools/call ─ result ─ record removed ─ restarted
it('a call that was forgotten elsewhere is not made again by a page that comes back to another life of the backend', async () => {
  const { server, backend } = setUp()
  const laptop = backend.openPage()
  const call = laptop.client.startToolCall({ name: 'look', arguments: { seconds: 3 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(1500)
  expect(call.getState().phase).toBe('working')
  laptop.network.cut()
  await server.advance(10_000)
  const phone = backend.openPage(() => 'ada', { crossTab: false })
  await Promise.all([phone.client.forget(), server.advance(2000)])
  await backend.restart()
  laptop.network.mend()
  await server.advance(120_000)
  expect(server.count('tools/call')).toBe(1)
  await expect(call.result).rejects.toBeInstanceOf(TaskExpiredError)
})

it('a start that is refused for what a killed process has left of another one ends no stream', async () => {
  const { server, backend, start } = setUp()
  const { client, page } = backend.openPage()
  server.faults.delay(3000, { method: 'tools/call', times: 1 })
  start(client)
  await server.advance(500)
  await page.crash()
  await backend.restart()
  const watching = backend.openPage(() => 'ada', { crossTab: false })
  const starting = backend.openPage(() => 'ada', { crossTab: false })
  for (const each of [watching, starting]) void each.client.connect()
  await server.advance(5000)
  const streams = () => backend.requests.filter(({ method }) => method === 'GET').length
  const before = streams()
  const refused = start(starting.client, 6)
  await server.advance(20_000)
  await expect(refused.result).rejects.toBeInstanceOf(ToolCallKeyConflictError)
  expect(streams()).toBe(before)
})
