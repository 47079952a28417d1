import type { TaskClient, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  completed,
  created,
  createScriptedServer,
  rpcError,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const TTL = { ttlMs: 10 * MINUTE }

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
  server.on('tools/call', created(TTL))
  server.on('tasks/get', snapshot(TTL))
})

async function openTab(): Promise<Tab> {
  const page = browser.openPage()
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
  })
  const call = client.startToolCall({ name: 'report' }, { key: 'k' })
  call.result.catch(() => {})
  await browser.advance(100)
  return { page, client, call }
}

const calls = () => server.received('tools/call').length
const polls = () => server.times('tasks/get', start)

describe('a clock that is set forward past the ttl of a task', () => {
  it('[EDGE-37] does not end the call where the server says that the task is at work', async () => {
    const { call } = await openTab()
    await browser.advance(5 * SECOND)
    browser.setClock(HOUR)
    await browser.advance(2 * SECOND)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
    server.on('tasks/get', completed(TTL))
    await browser.advance(2 * SECOND)
    await expect(call.result).resolves.toBeDefined()
  })

  it('[EDGE-37] does not make polls come earlier than the server asked for', async () => {
    const { call } = await openTab()
    await browser.advance(5 * SECOND)
    browser.setClock(HOUR)
    const before = polls().length
    await browser.advance(MINUTE)
    expect(call.getState().phase).toBe('working')
    // The one that looked due, and one each second.
    expect(polls().length - before).toBeLessThanOrEqual(61)
    expect(polls().length - before).toBeGreaterThanOrEqual(59)
  })

  it('[EDGE-37] does not end the call where it is set forward again and again', async () => {
    const { call } = await openTab()
    for (let time = 0; time < 5; time++) {
      browser.setClock(HOUR)
      await browser.advance(5 * SECOND)
      expect(call.getState().phase).toBe('working')
    }
  })

  it('[EDGE-37] does not end the call in the tabs that are told', async () => {
    const [a, b] = [await openTab(), await openTab()]
    await browser.advance(5 * SECOND)
    browser.setClock(HOUR)
    await browser.advance(5 * SECOND)
    expect(a.call.getState().phase).toBe('working')
    expect(b.call.getState().phase).toBe('working')
    await a.page.crash()
    await browser.advance(5 * SECOND)
    expect(b.call.getState().phase).toBe('working')
  })

  it('[EDGE-37] between two visits leads the second one to the task, too', async () => {
    const { page } = await openTab()
    await browser.advance(5 * SECOND)
    await page.close()
    browser.setClock(HOUR)
    const { call } = await openTab()
    await browser.advance(5 * SECOND)
    expect(call.getState().phase).toBe('working')
    server.on('tasks/get', completed(TTL))
    await browser.advance(2 * SECOND)
    await expect(call.result).resolves.toBeDefined()
    expect(calls()).toBe(1)
  })

  it('[EDGE-37] does not block the key: a later visit follows the task', async () => {
    const { page } = await openTab()
    await browser.advance(5 * SECOND)
    browser.setClock(HOUR)
    await browser.advance(5 * SECOND)
    await page.close()
    browser.setClock(-HOUR)
    server.on('tasks/get', completed(TTL))
    const { call } = await openTab()
    await browser.advance(5 * SECOND)
    await expect(call.result).resolves.toBeDefined()
    expect(calls()).toBe(1)
  })

  it('[EDGE-37] ends the call where the server does not know the task', async () => {
    const { call } = await openTab()
    await browser.advance(5 * SECOND)
    browser.setClock(HOUR)
    server.on('tasks/get', rpcError(-32602, 'Unknown task'))
    await browser.advance(2 * SECOND)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
  })
})

describe('a task past its ttl', () => {
  it('[EDGE-37] that the server still shows after the machine has slept is followed', async () => {
    const { page, call } = await openTab()
    await browser.advance(5 * SECOND)
    browser.sleep(HOUR)
    await page.setVisible(true)
    await browser.advance(5 * SECOND)
    expect(call.getState().phase).toBe('working')
  })

  it('[EDGE-37] that the server still shows after an hour without network is followed', async () => {
    const { page, call } = await openTab()
    await browser.advance(5 * SECOND)
    await page.setOnline(false)
    await browser.advance(HOUR)
    await page.setOnline(true)
    await browser.advance(5 * SECOND)
    expect(call.getState().phase).toBe('working')
  })

  it('[EDGE-37] is given up where its time has passed in this page, and the server shows it at work', async () => {
    const { call } = await openTab()
    await browser.advance(9 * MINUTE)
    expect(call.getState().phase).toBe('working')
    await browser.advance(2 * MINUTE)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
  })
})
