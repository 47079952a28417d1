import type { Environment, TaskClient, TaskClientOptions, TaskStorage, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { createTaskClient } from '../support/anyClient.js'
import { createClientOf } from '../support/createClientOf.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  held,
  legacyResult,
  pushStream,
  rpcError,
  type ScriptedServer,
  snapshot,
  speakLegacy,
  unreachable,
} from '../support/scriptedServer.js'

const FIRST = '2026-07-28T00:00:00Z'
const SECOND = '2026-07-28T00:10:00Z'
const LOST = { name: 'TaskExpiredError', reason: 'unknown-task' }

let browser: SimulatedBrowser
let server: ScriptedServer

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created({ taskId: '1', createdAt: FIRST }))
  server.on('tasks/get', snapshot({ taskId: '1', createdAt: FIRST }))
})

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
  readonly call: ToolCall
}

async function openTab(page: SimulatedPage = browser.openPage()): Promise<Tab> {
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
  })
  const call = client.startToolCall({ name: 'report' }, { key: 'k' })
  call.result.catch(() => {})
  await browser.advance(1500)
  return { page, client, call }
}

/** The server has started again, and counts its tasks from 1 again. */
const reused = { taskId: '1', createdAt: SECOND, lastUpdatedAt: SECOND }

describe('a task id that the server uses again after a restart', () => {
  it.each([
    ['has ended', completed(reused)],
    ['is at work', snapshot(reused)],
  ])('[EDGE-31] counts as lost where the other task %s', async (_, reply) => {
    const [a, b] = [await openTab(), await openTab()]
    server.on('tasks/get', reply)
    await browser.advance(2000)
    for (const { call } of [a, b]) await expect(call.result).rejects.toMatchObject(LOST)
    await expect(a.call.result).rejects.toThrow(/another one/)
    const polled = server.received('tasks/get').length
    await browser.advance(10_000)
    expect(server.received('tasks/get')).toHaveLength(polled)
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it.each([
    ['a response', 'tasks/update', (call: ToolCall) => call.respond('size', { action: 'decline' })],
    ['a cancellation', 'tasks/cancel', (call: ToolCall) => call.cancel()],
  ])('[EDGE-31] does not bring the other task %s that was on its way for the lost one', async (_, method, send) => {
    const requestedSchema = { type: 'object', properties: {} }
    const size = { method: 'elicitation/create', params: { mode: 'form', message: 'Which size?', requestedSchema } }
    server.on(
      'tasks/get',
      snapshot({ taskId: '1', createdAt: FIRST, status: 'input_required', inputRequests: { size } }),
    )
    const { client, call } = await openTab()
    server.on(method, unreachable)
    const sending = send(call).catch((error: unknown) => error)
    await browser.advance(1000)
    const tried = server.received(method).length
    expect(tried).toBeGreaterThan(0)
    // The other call of the page gets the id.
    server.on('tools/call', created({ taskId: '1', createdAt: SECOND, lastUpdatedAt: SECOND }))
    server.on('tasks/get', snapshot(reused))
    const other = client.startToolCall({ name: 'report' }, { key: 'other' })
    await browser.advance(200)
    server.on(method, ack)
    const sent = server.received(method).length
    await browser.advance(60_000)
    expect(server.received(method)).toHaveLength(sent)
    expect(await sending).toMatchObject({ name: 'TaskExpiredError' })
    expect(other.getState().phase).toBe('working')
  })

  it('[EDGE-31] counts as lost after a reload, and nothing is called', async () => {
    const { page } = await openTab()
    const next = await page.reload()
    server.on('tasks/get', completed(reused))
    const { call } = await openTab(next)
    await browser.advance(2000)
    await expect(call.result).rejects.toMatchObject(LOST)
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('[EDGE-31] counts as lost where the outcome of a task that has ended is fetched again', async () => {
    const { page, call: first } = await openTab()
    server.on('tasks/get', completed({ taskId: '1', createdAt: FIRST }))
    await browser.advance(1000)
    await expect(first.result).resolves.toBeDefined()
    const next = await page.reload()
    server.on('tasks/get', completed(reused))
    const { call } = await openTab(next)
    await expect(call.result).rejects.toMatchObject(LOST)
  })

  it('[EDGE-31] counts as lost where the same page is given the id for another call, which goes on', async () => {
    const { client, call } = await openTab()
    server.on('tools/call', created(reused))
    const next = client.startToolCall({ name: 'report' }, { key: 'next' })
    next.result.catch(() => {})
    await browser.advance(500)
    await expect(call.result).rejects.toMatchObject(LOST)
    server.on('tasks/get', completed(reused))
    await browser.advance(2000)
    await expect(next.result).resolves.toBeDefined()
    expect(client.getToolCall(call.callId)?.getState().phase).toBe('failed')
  })

  it('[EDGE-31] counts as lost where the page that finds its record follows the other task', async () => {
    const { page } = await openTab()
    await page.crash()
    server.on('tools/call', created(reused))
    server.on('tasks/get', snapshot(reused))
    const { environment } = browser.openPage()
    const transportOptions = { fetch: server.fetch }
    const client = createTaskClient({ url: 'https://tasks.example/mcp', transportOptions, environment, resume: 'lazy' })
    const next = client.startToolCall({ name: 'report' }, { key: 'next' })
    await browser.advance(500)
    const lost = client.startToolCall({ name: 'report' }, { key: 'k' })
    lost.result.catch(() => {})
    await browser.advance(100)
    await expect(lost.result).rejects.toMatchObject(LOST)
    server.on('tasks/get', completed(reused))
    await browser.advance(2000)
    await expect(next.result).resolves.toBeDefined()
    expect(server.received('tools/call')).toHaveLength(2)
  })

  it('[EDGE-31] is lost in a tab that had the call before, and not in one that has made it anew', async () => {
    const { call } = await openTab()
    server.on('tools/call', created(reused))
    server.on('tasks/get', snapshot(reused))
    const { environment } = browser.openPage()
    const transportOptions = { fetch: server.fetch }
    const client = createTaskClient({ url: 'https://tasks.example/mcp', transportOptions, environment, push: false })
    const anew = client.startToolCall({ name: 'report' }, { key: 'k', repeat: 'always' })
    await browser.advance(2000)
    await expect(call.result).rejects.toMatchObject(LOST)
    server.on('tasks/get', completed(reused))
    await browser.advance(2000)
    await expect(anew.result).resolves.toBeDefined()
    const next = await openTab()
    await expect(next.call.result).resolves.toBeDefined()
    expect(server.received('tools/call')).toHaveLength(2)
  })
})

describe('a task that the app has named, and that was gone when another one got its id', () => {
  const unknown = rpcError(-32602, 'Unknown task')
  const MADE = created({ taskId: '1', createdAt: SECOND, lastUpdatedAt: SECOND })

  function openClient(options: Partial<TaskClientOptions> = {}): TaskClient {
    return createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: server.fetch },
      environment: browser.openPage().environment,
      push: false,
      ...options,
    })
  }

  it.each([
    ['this tab', (client: TaskClient) => client],
    ['another tab', () => openClient()],
  ])('[EDGE-31] does not take the other one with it that %s has made meanwhile', async (_, clientOf) => {
    const asked = held(unknown)
    server.on('tasks/get', asked)
    server.on('tools/call', MADE)
    const client = openClient()
    const named = client.resumeTask('1')
    named.result.catch(() => {})
    await browser.advance(500)
    expect(server.received('tasks/get')).toHaveLength(1)
    const made = clientOf(client).startToolCall({ name: 'report' }, { key: 'k' })
    made.result.catch(() => {})
    await browser.advance(500)
    server.on('tasks/get', completed(reused))
    asked.release()
    await browser.advance(60_000)
    expect(made.getState()).toMatchObject({ phase: 'completed' })
    expect(named.getState()).toMatchObject({ phase: 'completed' })
  })

  it('[EDGE-31] does not take the other one with it that is made while a slow storage notes the loss', async () => {
    const { environment } = browser.openPage()
    const items = memoryStorage()
    const storage: TaskStorage = {
      ...items,
      removeItem: (key) =>
        new Promise<void>((resolve) => environment.setTimeout(() => resolve(items.removeItem(key)), 1000)),
    }
    const calling = held(MADE)
    server.on('tools/call', calling)
    server.on('tasks/get', unknown)
    const client = openClient({ environment, storage })
    const made = client.startToolCall({ name: 'report' }, { key: 'k' })
    made.result.catch(() => {})
    const named = client.resumeTask('1')
    named.result.catch(() => {})
    await browser.advance(500)
    expect(server.received('tasks/get')).toHaveLength(1)
    server.on('tasks/get', completed(reused))
    calling.release()
    await browser.advance(60_000)
    expect(named.getState()).toMatchObject({ phase: 'failed', error: LOST })
    expect(made.getState()).toMatchObject({ phase: 'completed' })
  })

  it('[EDGE-31] is that one where the server has pushed it while a poll was on its way', async () => {
    const { setTimeout } = browser.openPage().environment
    const stream = pushStream(({ push }) => setTimeout(() => push(reused), 100))
    server.on('subscriptions/listen', stream)
    const asked = held(unknown)
    server.on('tasks/get', asked, completed(reused))
    const named = openClient({ push: true }).resumeTask('1')
    named.result.catch(() => {})
    await browser.advance(500)
    expect(named.getState().task).toMatchObject({ createdAt: SECOND })
    asked.release()
    await browser.advance(120_000)
    expect(named.getState()).toMatchObject({ phase: 'completed' })
    expect(server.received('tasks/get')).toHaveLength(2)
  })

  it('[EDGE-31] does not take it with it where the tab that has named it has not heard of the other one', async () => {
    const { environment } = browser.openPage()
    let isDeaf = false
    const channel: Environment['channel'] = (name) => {
      const opened = environment.channel?.(name) as ReturnType<NonNullable<Environment['channel']>>
      return { ...opened, onMessage: (listener) => opened.onMessage((message) => isDeaf || listener(message)) }
    }
    const [one, other] = [openClient({ environment: { ...environment, channel } }), openClient()]
    server.on('tools/call', created({ taskId: '0', createdAt: FIRST }))
    other.startToolCall({ name: 'report' }, { key: 'before' }).result.catch(() => {})
    const asked = held(unknown)
    server.on('tasks/get', ({ params, ...request }) =>
      (params['taskId'] === '1' ? asked : snapshot({ taskId: '0', createdAt: FIRST }))({ params, ...request }),
    )
    const named = one.resumeTask('1')
    named.result.catch(() => {})
    await browser.advance(500)
    isDeaf = true
    server.on('tools/call', MADE)
    const made = other.startToolCall({ name: 'report' }, { key: 'k' })
    made.result.catch(() => {})
    await browser.advance(500)
    server.on('tasks/get', completed(reused))
    asked.release()
    await browser.advance(60_000)
    expect(named.getState()).toMatchObject({ phase: 'failed', error: LOST })
    expect(made.getState()).toMatchObject({ phase: 'completed' })
  })
})

// one    follows task 1: tasks/get ────────── unknown ▪ notes it slowly ··· told: task 1
// other                        tools/call ─ task 1 ────────────────────────────┘
it('[EDGE-31] a task of which another tab tells late is not lost with the one that the app has named', async () => {
  const { environment } = browser.openPage()
  const items = memoryStorage()
  const storage: TaskStorage = {
    ...items,
    removeItem: (key) =>
      new Promise<void>((resolve) => environment.setTimeout(() => resolve(items.removeItem(key)), 1000)),
  }
  let isLate = false
  const late: (() => void)[] = []
  const channel: Environment['channel'] = (name) => {
    const opened = environment.channel?.(name) as ReturnType<NonNullable<Environment['channel']>>
    return {
      ...opened,
      onMessage: (listener) =>
        opened.onMessage((message) => void (isLate ? late.push(() => listener(message)) : listener(message))),
    }
  }
  const options = { url: 'https://tasks.example/mcp', transportOptions: { fetch: server.fetch }, storage, push: false }
  const one = createTaskClient({ ...options, environment: { ...environment, channel } })
  const other = createTaskClient({ ...options, environment: browser.openPage().environment })
  const asked = held(rpcError(-32602, 'Unknown task'))
  server.on('tasks/get', asked)
  const named = one.resumeTask('1')
  named.result.catch(() => {})
  await browser.advance(500)
  expect(server.received('tasks/get')).toHaveLength(1)
  isLate = true
  server.on('tools/call', created(reused))
  const made = other.startToolCall({ name: 'report' }, { key: 'k' })
  made.result.catch(() => {})
  await browser.advance(500)
  server.on('tasks/get', snapshot(reused))
  asked.release()
  await browser.advance(500)
  for (const tell of late) tell()
  isLate = false
  await browser.advance(5000)
  server.on('tasks/get', completed(reused))
  await browser.advance(60_000)
  expect(named.getState()).toMatchObject({ phase: 'failed', error: LOST })
  for (const client of [one, other]) expect(client.getToolCallState(made.callId)).toMatchObject({ phase: 'completed' })
})

// a    call k ─ task 1 ─ its end ▪ closed
// b         server starts again: follows the other task 1 ─ tasks/get ───── its end, noted ▪ closed
// c                              hears of that ─ finds task 1 of k                          leads: reads the note of the other
it('[EDGE-31] a task whose record a page has found is not taken for the other one, of which it reads a note', async () => {
  const a = await openTab()
  server.on('tasks/get', completed({ taskId: '1', createdAt: FIRST }))
  await browser.advance(2000)
  expect(a.call.getState()).toMatchObject({ phase: 'completed' })
  await a.page.close()
  const [pageB, pageC] = [browser.openPage(), browser.openPage()]
  const options = { url: 'https://tasks.example/mcp', transportOptions: { fetch: server.fetch }, push: false }
  const b = createTaskClient({ ...options, environment: pageB.environment })
  const c = createTaskClient({ ...options, environment: pageC.environment })
  await Promise.all([c.resumeToolCalls(), b.connect(), c.connect(), browser.advance(1000)])
  const asked = held(snapshot(reused))
  server.on('tasks/get', asked)
  b.resumeTask('1').result.catch(() => {})
  await browser.advance(100)
  const found = c.startToolCall({ name: 'report' }, { key: 'k' })
  found.result.catch(() => {})
  await browser.advance(100)
  const other = { content: [{ type: 'text', text: 'of the other' }] }
  server.on('tasks/get', completed({ ...reused, result: other }))
  asked.release()
  await browser.advance(5000)
  await pageB.close()
  await browser.advance(60_000)
  expect(found.getState()).toMatchObject({ phase: 'failed', error: LOST })
})

describe('a task whose time of creation', () => {
  it('[EDGE-31] is written in another way is the same task', async () => {
    const { call } = await openTab()
    server.on('tasks/get', completed({ taskId: '1', createdAt: '2026-07-28T02:00:00.000+02:00' }))
    await browser.advance(1000)
    await expect(call.result).resolves.toBeDefined()
  })

  it('[EDGE-31] was not known, since the app has named it, is followed', async () => {
    const { client } = await openTab()
    const call = client.resumeTask('2')
    server.on('tasks/get', (request) =>
      (request.params['taskId'] === '2' ? completed({ ...reused, taskId: '2' }) : snapshot({ taskId: '1' }))(request),
    )
    await browser.advance(2000)
    await expect(call.result).resolves.toBeDefined()
  })

  it('[EDGE-31] is said with other decimals by another replica is the same task', async () => {
    const { call } = await openTab()
    server.on('tasks/get', completed({ taskId: '1', createdAt: '2026-07-27T23:59:59.998Z' }))
    await browser.advance(1000)
    await expect(call.result).resolves.toBeDefined()
  })
})

describe('a task of a server of 2025-11-25 that stamps each response with another time of creation', () => {
  // Loaded where a server turns out to be one of 2025-11-25, which takes real time the first time.
  beforeAll(() => import('../../src/sdk/legacy/tasksOverTransport.js'))

  it('[EDGE-31] is followed to its end where the app has named it', async () => {
    speakLegacy(server, { tools: {}, tasks: { requests: { tools: { call: {} } } } })
    const startedAt = browser.now()
    server.on('tasks/get', (request) => {
      const at = new Date(browser.now()).toISOString()
      const status = browser.now() < startedAt + 5000 ? 'working' : 'completed'
      const times = { createdAt: at, lastUpdatedAt: at, ttl: null, pollInterval: 1000 }
      return legacyResult({ taskId: '1', status, ...times })(request)
    })
    server.on('tasks/result', legacyResult({ content: [{ type: 'text', text: 'done' }] }))
    const { environment } = browser.openPage()
    const transportOptions = { fetch: server.fetch }
    const client = createClientOf('full', { url: 'https://tasks.example/mcp', transportOptions, environment })
    const call = client.resumeTask('1')
    await browser.advance(10_000)
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })
})
