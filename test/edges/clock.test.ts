import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type TaskClient, type ToolCall, withTasks } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  held,
  pushStream,
  type Reply,
  type ScriptedServer,
  snapshot,
  task,
} from '../support/scriptedServer.js'
import { toldRecord } from '../support/toldRecord.js'

let browser: SimulatedBrowser
let server: ScriptedServer
let start: number

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  start = browser.now()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
})

function openTab(page: SimulatedPage = browser.openPage()): Tab {
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
  return { page, client }
}

const FUTURE = '2099-01-01T00:00:00Z'
const at = (second: number) => `2026-07-28T00:00:0${second}Z`
const polls = () => server.times('tasks/get', start)
const question = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
}
const asking = { status: 'input_required', inputRequests: { name: question } }
const wrong = snapshot({ lastUpdatedAt: FUTURE, statusMessage: 'wrong' })
const report = { name: 'report' }
const shown = (call: ToolCall) => call.getState().task?.statusMessage
const asked = (call: ToolCall) => Object.keys(call.getState().inputRequests)

/** Opens streams on which the test pushes. */
function pushing(): (changes: Record<string, unknown>) => Promise<void> {
  const stream = pushStream()
  server.on('subscriptions/listen', stream)
  return async (changes) => {
    stream.push(changes)
    await browser.settle()
  }
}

describe('a snapshot stamped in the future', () => {
  // poll 1 ── stamped 2099
  // poll 2 ─────────── stamped earlier: maybe a replica that lags
  // poll 3 ──────────────────── not before poll 2: the server means it
  it('[EDGE-09] does not hide the input request that the server sends after it', async () => {
    server.on('tasks/get', wrong, snapshot({ ...asking, lastUpdatedAt: at(2) }))
    const call = openTab().client.startToolCall(report)
    await browser.advance(3000)
    expect(call.getState().phase).toBe('input_required')
    expect(asked(call)).toEqual(['name'])
  })

  it('[EDGE-09] does not hide what comes after the response that was believed', async () => {
    const progress = [2, 3, 4, 5].map((second) => snapshot({ lastUpdatedAt: at(second), statusMessage: `${second}` }))
    server.on('tasks/get', wrong, ...progress)
    const call = openTab().client.startToolCall(report)
    const seen: unknown[] = []
    for (let second = 0; second < 5; second++) {
      await browser.advance(1000)
      seen.push(shown(call))
    }
    expect(seen).toEqual(['wrong', 'wrong', '3', '4', '5'])
  })

  it('[EDGE-09] does not decide on the interval of polls that fail after it', async () => {
    const pollIntervalMs = 5000
    const down: Reply = () => Promise.reject(new TypeError('fetch failed'))
    server.on('tasks/get', wrong, snapshot({ pollIntervalMs }), snapshot({ pollIntervalMs }), down, snapshot())
    openTab().client.startToolCall(report)
    await browser.advance(20_000)
    expect(polls().slice(0, 5)).toEqual([1000, 2000, 7000, 12_000, 17_000])
  })

  it('[EDGE-09] in the response to the call hides nothing either', async () => {
    server.on('tools/call', created({ lastUpdatedAt: FUTURE }))
    server.on('tasks/get', snapshot({ ...asking, lastUpdatedAt: at(2) }))
    const call = openTab().client.startToolCall(report)
    await browser.advance(2000)
    expect(asked(call)).toEqual(['name'])
  })

  it('[EDGE-09] hides nothing from the tabs that are told of the responses', async () => {
    server.on('tasks/get', wrong, snapshot({ ...asking, lastUpdatedAt: at(2) }))
    const [a, b] = [openTab(), openTab()]
    const calls = [a, b].map(({ client }) => client.startToolCall(report, { key: 'k' }))
    await browser.advance(3000)
    expect(polls()).toEqual([1000, 2000, 3000])
    for (const call of calls) expect(asked(call)).toEqual(['name'])
  })

  it('[EDGE-09] that is pushed hides later pushes for two intervals at most', async () => {
    const push = pushing()
    server.on('tasks/get', snapshot({ lastUpdatedAt: at(1) }))
    const call = openTab().client.startToolCall(report)
    await browser.advance(1000)
    await push({ lastUpdatedAt: FUTURE, statusMessage: 'wrong' })
    await browser.advance(100)
    await push({ ...asking, lastUpdatedAt: at(2) })
    server.on('tasks/get', snapshot({ ...asking, lastUpdatedAt: at(2) }))
    await browser.advance(3000)
    expect(asked(call)).toEqual(['name'])
  })

  it('[EDGE-09] does not outlive a reload in place of what came after it', async () => {
    server.on('tasks/get', wrong, snapshot({ lastUpdatedAt: at(2), ttlMs: 90_000 }))
    const { page, client } = openTab()
    const { callId } = client.startToolCall(report, { key: 'k' })
    // The record is written while the wrong snapshot is all that is known, and again later.
    await browser.advance(1500)
    await page.hidePage()
    await page.showPage()
    await browser.advance(3000)
    await page.close()
    const after = openTab()
    await Promise.all([after.client.resumeToolCalls(), browser.settle()])
    expect(after.client.getToolCall(callId)?.getState().task).toMatchObject({ lastUpdatedAt: at(2), ttlMs: 90_000 })
  })

  it('[EDGE-09] does not keep a task from its end', async () => {
    server.on('tasks/get', wrong, completed({ lastUpdatedAt: at(2) }))
    const call = openTab().client.startToolCall(report)
    await browser.advance(2000)
    await expect(call.result).resolves.toBeDefined()
  })

  it('[EDGE-09] hides no input request from the handlers of a client over withTasks alone', async () => {
    server.on('tasks/get', wrong, snapshot({ ...asking, lastUpdatedAt: at(2) }))
    server.on('tasks/update', ack)
    const { environment } = browser.openPage()
    const http = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
    const client = new Client(
      { name: 'app', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: {} } },
    )
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }))
    await client.connect(withTasks(http, { environment }))
    const result = client.callTool(report, { timeout: 600_000 })
    await browser.advance(4000)
    expect(server.received('tasks/update')).toHaveLength(1)
    server.on('tasks/get', completed())
    await browser.advance(1000)
    await expect(result).resolves.toBeDefined()
  })
})

describe('an older snapshot', () => {
  it('[EDGE-09] of a replica that lags is not shown', async () => {
    const answers = [2, 1, 3, 2, 4].map((second) =>
      snapshot({ lastUpdatedAt: at(second), statusMessage: String(second) }),
    )
    server.on('tasks/get', answers[0] as Reply, ...answers.slice(1))
    const call = openTab().client.startToolCall(report)
    const seen: unknown[] = []
    for (let second = 0; second < 5; second++) {
      await browser.advance(1000)
      seen.push(shown(call))
    }
    expect(seen).toEqual(['2', '2', '3', '3', '4'])
  })

  // poll ─────────────────── late response: from before the push
  //        push 1 ─ push 2
  it('[EDGE-09] in a response that was overtaken by a push is not shown, however often', async () => {
    const push = pushing()
    const late = held(snapshot({ lastUpdatedAt: at(1), statusMessage: 'late' }))
    server.on('tasks/get', snapshot({ lastUpdatedAt: at(1) }), late, snapshot({ lastUpdatedAt: at(1) }))
    const client = createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: server.fetch },
      environment: browser.openPage().environment,
      poll: { safetyIntervalMs: 1000 },
    })
    const call = client.startToolCall(report)
    await browser.advance(2000)
    await push({ lastUpdatedAt: at(5), statusMessage: 'pushed' })
    late.release()
    await browser.advance(500)
    expect(shown(call)).toBe('pushed')
    // And one older answer after it is the first, not the second.
    await browser.advance(600)
    expect(shown(call)).toBe('pushed')
  })

  it('[EDGE-09] that is pushed late is not shown, however often', async () => {
    const push = pushing()
    server.on('tasks/get', snapshot({ lastUpdatedAt: at(5), statusMessage: 'polled' }))
    const client = openTab().client
    const call = client.startToolCall(report)
    await browser.advance(1000)
    await push({ lastUpdatedAt: at(6), statusMessage: 'pushed' })
    for (const second of [2, 3, 4]) await push({ lastUpdatedAt: at(second), statusMessage: 'old' })
    expect(shown(call)).toBe('pushed')
    // The next poll says which of them counts.
    server.on('tasks/get', snapshot({ lastUpdatedAt: at(6), statusMessage: 'pushed' }))
    await browser.advance(2000)
    expect(shown(call)).toBe('pushed')
  })

  // tab A  frozen ················· wakes ─ polls ── answer 9 ─ hears 2, 3, 4
  // tab B         polls ── 2, 3, 4 ─ gone
  it('[EDGE-09] that a tab is told of when it wakes up does not replace what it has asked for itself', async () => {
    server.on('tasks/get', snapshot({ lastUpdatedAt: at(1) }))
    const [a, b] = [openTab(), openTab()]
    const call = a.client.startToolCall(report, { key: 'k' })
    b.client.startToolCall(report, { key: 'k' })
    await browser.advance(1500)
    const channel = browser.openPage().environment.channel?.(`taskwire:${a.client.id}`)
    server.on('tasks/get', snapshot({ lastUpdatedAt: at(9), statusMessage: 'newest' }))
    await browser.advance(1000)
    const now = browser.now()
    for (const second of [2, 3, 4]) {
      const old = task({ lastUpdatedAt: at(second), statusMessage: 'old' })
      const heardAt = now - 5000 + second
      const known = { receivedAt: now - 5000, notedAt: heardAt, heardAt, snapshotAt: heardAt, nextPollAt: now }
      channel?.postMessage(toldRecord(call, { ...old, ...known }))
      await browser.settle()
    }
    expect(shown(call)).toBe('newest')
  })

  it('[EDGE-09] that is at work never follows a terminal one, however new and however often', async () => {
    server.on('tools/call', created({ status: 'completed' }))
    const working = snapshot({ lastUpdatedAt: FUTURE })
    server.on('tasks/get', working, working, working, completed())
    const call = openTab().client.startToolCall(report)
    for (let second = 0; second < 3; second++) {
      await browser.advance(900)
      expect(call.getState().task?.status).toBe('completed')
    }
    await browser.advance(2000)
    await expect(call.result).resolves.toBeDefined()
  })
})
