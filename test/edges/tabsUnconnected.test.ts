import type { TaskClient, TaskClientUrlOptions, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { completed, created, createScriptedServer, type ScriptedServer, snapshot } from '../support/scriptedServer.js'
import { toldRecord } from '../support/toldRecord.js'

const SECOND = 1000
const MINUTE = 60 * SECOND

let browser: SimulatedBrowser
let server: ScriptedServer
let start: number

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
  readonly call: ToolCall
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  start = browser.now()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
})

type Headers = TaskClientUrlOptions['headers']

function openClient(page: SimulatedPage, headers?: Headers, maxAttempts?: number): TaskClient {
  return createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
    ...(headers && { headers }),
    ...(maxAttempts && { retry: { maxAttempts } }),
  })
}

/** A tab that follows the call which an earlier page has made. The first one that is opened leads. */
async function openTab(headers?: Headers): Promise<Tab> {
  const page = browser.openPage()
  const client = openClient(page, headers)
  const call = client.startToolCall({ name: 'report' }, { key: 'k' })
  call.result.catch(() => {})
  await browser.advance(100)
  return { page, client, call }
}

/** The record of a running task, and no page that follows it. */
async function leaveTask(): Promise<void> {
  const { page } = await openTab()
  await browser.advance(SECOND)
  await page.crash()
}

const polls = () => server.times('tasks/get', start)
const never = () => new Promise<never>(() => {})

/** Headers that come with each request until the test says otherwise. */
function headersUntil(): { headers: () => Promise<HeadersInit>; fail: (how: () => Promise<HeadersInit>) => void } {
  let next: () => Promise<HeadersInit> = async () => ({})
  return {
    headers: () => next(),
    fail: (how) => {
      next = how
    },
  }
}

describe('a tab that leads and whose headers never come', () => {
  it('[EDGE-35] keeps no healthy tab from polling: the other one takes over as from a tab that is gone', async () => {
    await leaveTask()
    const leader = await openTab(never)
    const healthy = await openTab()
    server.on('tasks/get', completed())
    // The interval, and the second after which a tab that has not polled counts as gone.
    await browser.advance(3 * SECOND)
    expect(healthy.call.getState().phase).toBe('completed')
    // What the healthy tab has received, the other one shows.
    expect(leader.call.getState().phase).toBe('completed')
  })

  it('[EDGE-35] does not take the lead back from a tab that polls', async () => {
    await leaveTask()
    await openTab(never)
    const healthy = await openTab()
    await browser.advance(10 * SECOND)
    const before = polls().length
    await browser.advance(5 * MINUTE)
    expect(healthy.call.getState().network).toBe('ok')
    expect(polls().length - before).toBeGreaterThanOrEqual(290)
  })

  it('[EDGE-35] after it has connected gives the lead away when the first poll has failed', async () => {
    const { headers, fail } = headersUntil()
    const leader = await openTab(headers)
    const healthy = await openTab()
    await browser.advance(5 * SECOND)
    expect(leader.call.getState().network).toBe('ok')
    fail(never)
    const before = polls().length
    await browser.advance(MINUTE)
    expect(polls().length - before).toBeGreaterThanOrEqual(20)
    expect(healthy.call.getState().network).toBe('ok')
  })

  it('[EDGE-35] gives it away, too, where they fail once it has connected', async () => {
    const { headers, fail } = headersUntil()
    await openTab(headers)
    const healthy = await openTab()
    await browser.advance(5 * SECOND)
    fail(() => Promise.reject(new Error('No token.')))
    const before = polls().length
    await browser.advance(MINUTE)
    expect(polls().length - before).toBeGreaterThanOrEqual(50)
    expect(healthy.call.getState().network).toBe('ok')
  })

  it('[EDGE-35] says after 20 s that it has none, and polls as soon as they come', async () => {
    await leaveTask()
    const { headers, fail } = headersUntil()
    fail(never)
    const { call } = await openTab(headers)
    await browser.advance(25 * SECOND)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'paused', lastError: { kind: 'auth' } })
    fail(async () => ({}))
    server.on('tasks/get', completed())
    await browser.advance(MINUTE)
    expect(call.getState().phase).toBe('completed')
  })
})

it('[EDGE-35] a tab that leads and whose headers always fail gives the lead away', async () => {
  await leaveTask()
  await openTab(() => Promise.reject(new Error('No token.')))
  const healthy = await openTab()
  const before = polls().length
  await browser.advance(5 * MINUTE)
  expect(healthy.call.getState().network).toBe('ok')
  expect(polls().length - before).toBeGreaterThanOrEqual(250)
})

it('[EDGE-35] tabs of which none can connect do not ask more often than one would', async () => {
  await leaveTask()
  let attempts = 0
  const failing = () => {
    attempts += 1
    return Promise.reject(new Error('No token.'))
  }
  await openTab(failing)
  await openTab(failing)
  await browser.advance(MINUTE)
  const first = attempts
  await browser.advance(10 * MINUTE)
  // Half of the longest backoff is the mean: one attempt in 15 s, in whichever tab.
  expect(attempts - first).toBeLessThanOrEqual(45)
})

it('[EDGE-35] nor do they where one of them has connected before', async () => {
  let attempts = 0
  const { headers, fail } = headersUntil()
  await openTab(headers)
  await openTab(headers)
  await browser.advance(5 * SECOND)
  fail(() => {
    attempts += 1
    return Promise.reject(new Error('No token.'))
  })
  await browser.advance(MINUTE)
  const first = attempts
  await browser.advance(10 * MINUTE)
  expect(attempts - first).toBeLessThanOrEqual(45)
})

it('[EDGE-35] a page that has no headers after a reload waits for them, whatever retry.maxAttempts is', async () => {
  await leaveTask()
  const { headers, fail } = headersUntil()
  fail(() => Promise.reject(new Error('No token.')))
  const call = openClient(browser.openPage(), headers, 3).startToolCall({ name: 'report' }, { key: 'k' })
  call.result.catch(() => {})
  await browser.advance(10 * MINUTE)
  expect(call.getState()).toMatchObject({ phase: 'working', network: 'paused', lastError: { kind: 'auth' } })
  fail(async () => ({}))
  server.on('tasks/get', completed())
  await browser.advance(MINUTE)
  expect(call.getState().phase).toBe('completed')
})

/** What a tab tells while its poll is under way. */
function polling({ callId }: ToolCall) {
  const now = browser.now()
  return toldRecord(
    { callId, startedAt: start },
    { notedAt: now, sentAt: now, triedAt: now, pollingUntil: now + 5 * SECOND },
  )
}

describe('a script of the origin that says every four seconds that it polls', () => {
  it.each(['leads', 'is led'])('[EDGE-35] does not stop the polls of a tab that %s for good', async (role) => {
    await leaveTask()
    const first = await openTab()
    const { call, client } = role === 'leads' ? first : await openTab()
    await browser.advance(2 * SECOND)
    if (role === 'is led') first.page.freeze()
    const channel = browser.openPage().environment.channel?.(`taskwire:${client.id}`)
    const before = polls().length
    for (let second = 0; second < 600; second += 4) {
      channel?.postMessage(polling(call))
      await browser.advance(4 * SECOND)
    }
    // A poll that has brought nothing in the 30 s after which it has failed is not believed any longer.
    expect(polls().length - before).toBeGreaterThanOrEqual(12)
    server.on('tasks/get', completed())
    for (let second = 0; second < 60; second += 4) {
      channel?.postMessage(polling(call))
      await browser.advance(4 * SECOND)
    }
    expect(call.getState().phase).toBe('completed')
  })
})
