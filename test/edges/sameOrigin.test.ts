import type { TaskClient, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  type ScriptedServer,
  snapshot,
  task,
} from '../support/scriptedServer.js'
import { toldRecord } from '../support/toldRecord.js'

const TASK_ID = 'task-secret-1'
const LATER = '2026-07-28T00:01:00Z'
const FORM = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}

let browser: SimulatedBrowser
let server: ScriptedServer

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  server.on('tasks/update', ack)
})

const openTab = (): TaskClient =>
  createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: browser.openPage().environment,
  })

const start = (client: TaskClient) => client.startToolCall({ name: 'report' }, { key: 'k' })

/** The channel of a client, as another script of the origin opens it. */
function channelOf({ id }: TaskClient) {
  const channel = browser.openPage().environment.channel?.(`taskwire:${id}`)
  if (channel === undefined) throw new Error('There is no channel.')
  return channel
}

/** What another tab would tell of the task of this call. */
const told = ({ callId }: ToolCall, changes: Record<string, unknown>) => {
  const now = browser.now()
  const known = { receivedAt: now, snapshotAt: now, answered: [], ...changes }
  return toldRecord({ callId, startedAt: now }, { ...task({ lastUpdatedAt: LATER }), ...known })
}

// These say what is not prevented: whatever runs on the origin is trusted as the page itself is.
describe('another script of the origin', () => {
  it('[EDGE-12] can end a call with a result of its own', async () => {
    const client = openTab()
    const call = start(client)
    await browser.advance(1500)
    const result = { content: [{ type: 'text', text: 'forged' }] }
    channelOf(client).postMessage(told(call, { status: 'completed', result, endedAt: browser.now() }))
    await browser.settle()
    await expect(call.result).resolves.toEqual(result)
  })

  it('[EDGE-12] can put an input request of its own before the user, whose answer goes to the server', async () => {
    const client = openTab()
    const call = start(client)
    await browser.advance(1500)
    channelOf(client).postMessage(told(call, { status: 'input_required', inputRequests: { forged: FORM } }))
    await browser.settle()
    expect(call.getState().inputRequests).toEqual({ forged: FORM })
    await call.respond('forged', { action: 'accept', content: {} })
    expect(server.received('tasks/update').map(({ params }) => params['inputResponses'])).toEqual([
      { forged: { action: 'accept', content: {} } },
    ])
  })

  it('[EDGE-12] can have calls forgotten in all tabs', async () => {
    const [a, b] = [openTab(), openTab()]
    const call = start(a)
    start(b)
    await browser.advance(1500)
    channelOf(a).postMessage({ v: 1, type: 'forgotten', at: browser.now() })
    await browser.settle()
    for (const client of [a, b]) expect(client.getToolCall(call.callId)).toBeUndefined()
  })

  it('[EDGE-12] can read what tabs tell each other, ids and results included', async () => {
    const [a, b] = [openTab(), openTab()]
    const heard: unknown[] = []
    channelOf(a).onMessage((message) => heard.push(message))
    const calls = [start(a), start(b)]
    await browser.advance(1500)
    server.on('tasks/get', completed())
    await browser.advance(1000)
    await Promise.all(calls.map(({ result }) => result))
    const said = JSON.stringify(heard)
    expect(said).toContain(TASK_ID)
    expect(said).toContain('"text":"done"')
  })

  it('[EDGE-26] can have a tool run again by removing the record of its call', async () => {
    start(openTab())
    await browser.advance(1500)
    const { local } = browser.storage
    for (const key of Array.from({ length: local.length }, (_, index) => local.key(index))) local.removeItem(key ?? '')
    start(openTab())
    await browser.advance(1000)
    expect(server.received('tools/call')).toHaveLength(2)
  })
})
