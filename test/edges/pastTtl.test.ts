import type { TaskClient, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  completed,
  created,
  createScriptedServer,
  http,
  type Reply,
  rpcError,
  type ScriptedServer,
  snapshot,
  unreachable,
} from '../support/scriptedServer.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TTL = { ttlMs: 10 * MINUTE }

let browser: SimulatedBrowser
let server: ScriptedServer
let start: number
let page: SimulatedPage
let client: TaskClient
let call: ToolCall

beforeEach(async () => {
  browser = createSimulatedBrowser()
  start = browser.now()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created(TTL))
  server.on('tasks/get', snapshot(TTL))
  await open()
  await browser.advance(5 * SECOND)
})

async function open(): Promise<void> {
  page = browser.openPage()
  client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
  })
  call = client.startToolCall({ name: 'report' }, { key: 'k' })
  call.result.catch(() => {})
  await browser.advance(100)
}

/** The call waits for the server, and has its result as soon as that answers. */
async function expectResultOnceReached(): Promise<void> {
  expect(call.getState()).toMatchObject({ phase: 'working', network: 'retrying' })
  server.on('tasks/get', completed(TTL))
  await browser.advance(MINUTE)
  await expect(call.result).resolves.toBeDefined()
}

const polls = () => server.times('tasks/get', start)
const runs = () => server.received('tools/call').length

describe('a poll past the ttl that brings no word of the server', () => {
  it.each<[string, Reply]>([
    ['there is no network', unreachable],
    ['a proxy answers for the server', http(503)],
    [
      'a page to sign in to the network comes in place of a response',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    ],
  ])('[EDGE-56] leaves the call to the next one where %s', async (_, reply) => {
    server.on('tasks/get', reply)
    await browser.advance(HOUR)
    await expectResultOnceReached()
    expect(runs()).toBe(1)
  })

  it('[EDGE-56] leaves the call to the next one where the machine has slept, and its network comes later than the page', async () => {
    server.on('tasks/get', unreachable)
    browser.sleep(3 * DAY)
    await page.setVisible(true)
    await browser.advance(10 * SECOND)
    await expectResultOnceReached()
  })

  it('[EDGE-56] is repeated with backoff', async () => {
    server.on('tasks/get', unreachable)
    await browser.advance(HOUR)
    const before = polls().length
    await browser.advance(HOUR)
    // Anything between the interval of one second and thirty: one every fifteen seconds.
    expect(polls().length - before).toBeGreaterThan(180)
    expect(polls().length - before).toBeLessThan(320)
  })

  it('[EDGE-56] comes when the server has asked for it', async () => {
    server.on('tasks/get', http(503, { headers: { 'retry-after': '1800' } }))
    await browser.advance(4 * HOUR)
    // One after the ttl, whatever was asked for, and then one in half an hour.
    expect(polls().filter((at) => at > TTL.ttlMs).length).toBeLessThanOrEqual(9)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'retrying' })
  })

  it('[EDGE-56] is the last one a day after the ttl', async () => {
    server.on('tasks/get', unreachable)
    await browser.advance(DAY)
    expect(call.getState().phase).toBe('working')
    await browser.advance(HOUR)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
    const before = polls().length
    await browser.advance(HOUR)
    expect(polls()).toHaveLength(before)
  })

  it('[EDGE-56] leaves the call to the next visit, too', async () => {
    server.on('tasks/get', unreachable)
    await browser.advance(HOUR)
    await page.close()
    await open()
    await browser.advance(MINUTE)
    await expectResultOnceReached()
    expect(runs()).toBe(1)
  })
})

describe('a poll past the ttl that the server answers', () => {
  it.each<[string, Reply]>([
    ['with the task, still at work', snapshot(TTL)],
    ['with an error', rpcError(-32603, 'Internal error')],
  ])('[EDGE-56] %s, ends the call', async (_, reply) => {
    await browser.advance(9 * MINUTE)
    server.on('tasks/get', unreachable)
    await browser.advance(5 * MINUTE)
    expect(call.getState().phase).toBe('working')
    server.on('tasks/get', reply)
    await browser.advance(MINUTE)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
  })
})
