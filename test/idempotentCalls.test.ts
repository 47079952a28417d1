import { inputRequired } from '@modelcontextprotocol/server'
import type { TaskClient } from 'taskwire'
import { createTestServer, type SimulatedPage, scriptTask, type TestServerOptions } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../src/server.js'
import { createTaskClient } from './support/anyClient.js'
import { created, http, snapshot, unreachable } from './support/scriptedServer.js'
import { createVisits, knowsKeys, startReport } from './support/visits.js'

const KEY_META = 'dev.taskwire/idempotencyKey'
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
const CALL = { name: 'pay', arguments: { amount: 7 } }

/** A server whose tool must not run twice for one call, and as many pages as a test opens. */
function setUp(taskSupport: 'optional' | 'forbidden' = 'optional', options: Partial<TestServerOptions> = {}) {
  const runs = vi.fn()
  const pay = defineTool({
    name: 'pay',
    inputSchema: z.object({ amount: z.number() }),
    taskSupport,
    async handler({ amount }, { sleep }) {
      runs()
      await sleep(2000)
      return text(`paid ${amount}`)
    },
  })
  const server = createTestServer({ tools: [pay], ...options })
  const open = (page: SimulatedPage = server.browser.openPage()) => ({
    page,
    client: createTaskClient({ url: server.url, environment: page.environment }),
  })
  const loseAnswers = (times: number) => server.faults.drop({ method: 'tools/call', lose: 'response', times })
  const start = (client: TaskClient, call: { name: string; arguments: object } = CALL) => {
    const started = client.startToolCall(call as typeof CALL, { key: 'invoice-1' })
    started.result.catch(() => {})
    return started
  }
  const keys = () => {
    const calls = server.requests.filter(({ method }) => method === 'tools/call')
    return calls.map(({ params }) => (params['_meta'] as Record<string, unknown>)[KEY_META])
  }
  return { server, runs, open, loseAnswers, start, keys, advance: server.advance }
}

describe.each([
  ['becomes a task', 'optional'],
  ['is answered directly', 'forbidden'],
] as const)('a call whose response is lost, of a tool whose call %s', (_, taskSupport) => {
  it('[DUR-31] is sent again under its key, and the tool runs once', async () => {
    const { runs, open, loseAnswers, start, keys, advance } = setUp(taskSupport)
    loseAnswers(3)
    const call = start(open().client)
    await advance(taskSupport === 'optional' ? 100 : 2100)
    expect(call.getState()).toMatchObject({ network: 'retrying', phase: 'calling' })
    await advance(20_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', network: 'ok', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
    expect(keys()).toHaveLength(4)
    expect(new Set(keys())).toEqual(new Set([expect.stringMatching(/^.{16,}$/)]))
    expect(keys()[0]).not.toContain('invoice-1')
  })

  it('[DUR-26] is sent again by the page after a reload that makes the call of its key again', async () => {
    const { server, runs, open, start, advance, keys } = setUp(taskSupport)
    const before = open()
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call' })
    start(before.client)
    await advance(100)
    server.faults.clear()
    const { client } = open(await before.page.reload())
    const call = start(client)
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
    expect(new Set(keys()).size).toBe(1)
  })

  it('[DUR-32] is made by one of four tabs, and all get what became of it', async () => {
    const { runs, open, loseAnswers, start, advance } = setUp(taskSupport)
    loseAnswers(2)
    const calls = [open(), open(), open(), open()].map(({ client }) => start(client))
    await advance(20_000)
    for (const call of calls) expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('[DUR-27] is made by another tab where the one that made it is closed in the middle', async () => {
    const { server, runs, open, start, advance } = setUp(taskSupport)
    const first = open()
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
    start(first.client)
    const others = [open(), open(), open()].map(({ client }) => start(client))
    await advance(100)
    expect(server.count('tools/call')).toBe(1)
    await first.page.crash()
    await advance(10_000)
    for (const call of others) expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it.each([202, 500, 503])('[DUR-33] is sent again after HTTP %i, which says nothing of it', async (status) => {
    const { server, runs, open, start, advance } = setUp(taskSupport)
    server.faults.status(status, { method: 'tools/call', times: 2 })
    const call = start(open().client)
    await advance(20_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('[DUR-91] is left alone for as long as Retry-After says', async () => {
    const { server, runs, open, start, advance } = setUp(taskSupport)
    server.faults.status(503, { method: 'tools/call', times: 1, retryAfter: 20 })
    server.faults.status(429, { method: 'tools/call', times: 1, retryAfter: 10 })
    const call = start(open().client)
    await advance(19_900)
    expect(server.count('tools/call')).toBe(1)
    await advance(9900)
    expect(server.count('tools/call')).toBe(2)
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('ends as before where the server does not take keys', async () => {
    const { runs, open, loseAnswers, start, keys, advance } = setUp(taskSupport, { idempotentCalls: false })
    loseAnswers(1)
    const call = start(open().client)
    await advance(20_000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
    expect(keys()).toEqual([undefined])
    expect(runs).toHaveBeenCalledTimes(1)
  })
})

describe('after a reload in the middle', () => {
  async function reloaded() {
    const set = setUp()
    const before = set.open()
    set.server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call' })
    set.start(before.client)
    await set.advance(100)
    set.server.faults.clear()
    return { ...set, ...set.open(await before.page.reload()) }
  }

  it('[DUR-67] a call is interrupted for those who do not know its arguments, until it is made with them', async () => {
    const { client, start, runs, advance } = await reloaded()
    await client.connect()
    await advance(1000)
    const [listed] = Object.values(client.store.getState().calls)
    expect(listed).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
    const call = start(client)
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('a tab that shows it as interrupted shows what becomes of it in the tab that makes it again', async () => {
    const { client, open, start, advance } = await reloaded()
    const other = open().client
    for (const each of [client, other]) await each.connect()
    await advance(1000)
    const shown = () => Object.values(other.store.getState().calls).map(({ phase }) => phase)
    expect(shown()).toEqual(['failed'])
    start(client)
    await advance(10_000)
    expect(shown()).toEqual(['completed'])
  })

  it('[DUR-68] a call with other arguments is refused, and the first one is still to be had', async () => {
    const { client, page, open, start, runs, advance } = await reloaded()
    const other = start(client, { name: 'pay', arguments: { amount: 9 } })
    await advance(10_000)
    await expect(other.result).rejects.toMatchObject({
      name: 'ToolCallKeyConflictError',
      message: expect.stringContaining('belongs to a call with other arguments'),
    })
    const call = start(client)
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    const later = start(open(await page.reload()).client)
    await advance(10_000)
    expect(later.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('retry() of a call, too, asks for what became of it', async () => {
    const { client, runs, advance } = await reloaded()
    const call = client.startToolCall(CALL, { key: 'invoice-1', repeat: 'settled' })
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed' })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it("[DUR-69] a call with repeat: 'always' is another one", async () => {
    const { client, runs, advance } = await reloaded()
    const call = client.startToolCall(CALL, { key: 'invoice-1', repeat: 'always' })
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed' })
    expect(runs).toHaveBeenCalledTimes(2)
  })
})

describe('a call whose response never came, of a page before, of which the server has forgotten the key', () => {
  /** The page after a reload, two minutes later. The server remembers calls for one. */
  async function later(annotations?: { readOnlyHint: boolean }) {
    const runs = vi.fn(() => text('paid 7'))
    const inputSchema = z.object({ amount: z.number() })
    const pay = defineTool({
      name: 'pay',
      inputSchema,
      taskSupport: 'optional',
      handler: runs,
      ...(annotations && { annotations }),
    })
    const set = setUp('optional', { tools: [pay], defaultTtlMs: 60_000 })
    const { server, open, start, advance } = set
    const before = open()
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call' })
    start(before.client)
    await advance(100)
    server.faults.clear()
    const page = await before.page.reload()
    await advance(120_000)
    return { ...set, ...open(page), runs }
  }

  it('is not sent again, and retry() makes it under another key', async () => {
    const { client, runs, start, keys, advance } = await later()
    const call = start(client)
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
    expect(keys()).toHaveLength(1)
    expect(runs).toHaveBeenCalledTimes(1)
    // What retry() of a hook does.
    const again = client.startToolCall(CALL, { key: 'invoice-1', repeat: 'settled' })
    await advance(10_000)
    expect(again.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(2)
    expect(new Set(keys()).size).toBe(2)
    expect(again.getState().startedAt).toBeGreaterThan(120_000)
  })

  it('is made again where the tool only reads', async () => {
    const { client, runs, start, keys, advance } = await later({ readOnlyHint: true })
    const call = start(client)
    await advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid 7') })
    expect(runs).toHaveBeenCalledTimes(2)
    expect(new Set(keys()).size).toBe(2)
  })
})

it('a call without a key of the app is sent again, too, and two of them are two calls', async () => {
  const { runs, open, loseAnswers, keys, advance } = setUp()
  loseAnswers(1)
  const { client } = open()
  const calls = [client.startToolCall(CALL), client.startToolCall(CALL)]
  await advance(20_000)
  for (const call of calls) expect(call.getState()).toMatchObject({ phase: 'completed' })
  expect(runs).toHaveBeenCalledTimes(2)
  expect(new Set(keys()).size).toBe(2)
})

it('all rounds of a call that asks before there is a task have its key', async () => {
  const runs = vi.fn()
  const tool = defineTool({
    name: 'pay',
    inputSchema: z.object({ amount: z.number() }),
    taskSupport: 'optional',
    prepare: (_, { inputResponses }) =>
      'roots' in inputResponses ? undefined : inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }),
    handler: () => {
      runs()
      return text('paid')
    },
  })
  const { open, server, keys, advance } = setUp('optional', { tools: [tool] })
  const { page } = open()
  const roots = vi.fn(() => ({ roots: [] }))
  const client = createTaskClient({
    url: server.url,
    environment: page.environment,
    capabilities: { roots: {} },
    input: { handlers: { roots } },
  })
  const call = client.startToolCall(CALL)
  await advance(1000)
  expect(call.getState()).toMatchObject({ phase: 'completed', result: text('paid') })
  expect(keys()).toHaveLength(2)
  expect(new Set(keys()).size).toBe(1)
  expect(runs).toHaveBeenCalledTimes(1)
})

it('a scripted task is the same one where its call comes again', async () => {
  const script = scriptTask([{ status: 'completed', result: text('done') }], { name: 'pay' })
  const { open, loseAnswers, start, server, advance } = setUp('optional', { tools: [script] })
  loseAnswers(1)
  const call = start(open().client)
  await advance(20_000)
  expect(call.getState()).toMatchObject({ phase: 'completed' })
  expect(server.count('tools/call')).toBe(2)
})

it('a task whose record found no room is polled no earlier because another tab has made the call again', async () => {
  const { server, runs, loseAnswers, start, advance } = setUp('optional', { push: false })
  let isFull = false
  const open = () => {
    const { environment } = server.browser.openPage()
    const { local } = server.browser.storage
    const storage = () => ({
      length: local.length,
      key: (index: number) => local.key(index),
      getItem: (key: string) => local.getItem(key),
      removeItem: (key: string) => local.removeItem(key),
      setItem(key: string, value: string) {
        if (isFull) throw new Error('The quota has been exceeded.')
        local.setItem(key, value)
      },
    })
    return createTaskClient({ url: server.url, environment: { ...environment, storage }, onError: () => {} })
  }
  loseAnswers(1)
  start(open())
  await advance(50)
  isFull = true
  await advance(700)
  const { length: before } = server.requests
  start(open())
  await advance(2000)
  const since = server.requests.slice(before).filter(({ method }) => method === 'tools/call' || method === 'tasks/get')
  expect(since.map(({ method }) => method).slice(0, 2)).toEqual(['tools/call', 'tasks/get'])
  expect(Number(since[1]?.at) - Number(since[0]?.at)).toBeGreaterThanOrEqual(1000)
  expect(runs).toHaveBeenCalledTimes(1)
})

it('a call that waited for the network longer than the server knows keys is sent again all the same', async () => {
  const { browser, server, open, callKeys } = createVisits(createTaskClient, knowsKeys(3_600_000))
  server.on('tools/call', unreachable, created())
  server.on('tasks/get', snapshot())
  const visit = open()
  await Promise.all([visit.client.connect(), browser.advance(1000)])
  visit.page.setOnline(false)
  const call = startReport(visit)
  await browser.advance(2 * 3_600_000)
  visit.page.setOnline(true)
  await browser.advance(60_000)
  expect(call.getState().phase).toBe('working')
  expect(callKeys()).toEqual([expect.any(String), callKeys()[0]])
})

describe('how long the server knows a key, where the clock is set back meanwhile', () => {
  const MINUTES = 60_000

  /** A call that is not answered, of a server that knows keys for an hour. */
  async function unanswered() {
    const { browser, server, open, callKeys } = createVisits(createTaskClient, knowsKeys(60 * MINUTES))
    server.on('tools/call', http(503))
    server.on('tasks/get', snapshot())
    const call = startReport(open({ callTimeoutMs: 180 * MINUTES }))
    call.result.catch(() => {})
    await browser.advance(MINUTES)
    return { browser, server, call, callKeys }
  }

  it('is no shorter: the call is sent again', async () => {
    const { browser, server, call, callKeys } = await unanswered()
    browser.setClock(-120 * MINUTES)
    server.on('tools/call', created())
    await browser.advance(MINUTES)
    expect(call.getState().phase).toBe('working')
    expect(new Set(callKeys()).size).toBe(1)
  })

  it('is no longer: a call that the server may have forgotten is not sent again', async () => {
    const { browser, call, callKeys } = await unanswered()
    await browser.advance(49 * MINUTES)
    browser.setClock(-30 * MINUTES)
    await browser.advance(9 * MINUTES)
    expect(call.getState().phase).toBe('calling')
    const { length } = callKeys()
    await browser.advance(3 * MINUTES)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
    expect(callKeys().length - length).toBeLessThan(8)
  })
})
