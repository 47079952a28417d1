import type { TaskClient } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  completed,
  created,
  createScriptedServer,
  held,
  http,
  result,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

let browser: SimulatedBrowser
let server: ScriptedServer

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tasks/get', snapshot())
})

function open(page: SimulatedPage = browser.openPage()): TaskClient {
  return createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
  })
}

/** A tab that is opened now, and looks for the calls of others. */
async function openLater(): Promise<TaskClient> {
  const client = open()
  client.resumeToolCalls().catch(() => {})
  await browser.advance(1000)
  return client
}

const shownIn = (client: TaskClient) => Object.values(client.store.getState().calls)

describe('a call without a key that waits for its answer', () => {
  it('[EDGE-57] is not said to be interrupted in a tab that is opened meanwhile, which follows its task then', async () => {
    const answer = held(created())
    server.on('tools/call', answer)
    const call = open().startToolCall({ name: 'report' })
    await browser.advance(1000)
    const other = await openLater()
    expect(shownIn(other)).toEqual([])
    answer.release()
    await browser.advance(500)
    expect(shownIn(other)).toMatchObject([{ callId: call.callId, phase: 'working' }])
    server.on('tasks/get', completed())
    await browser.advance(5000)
    expect(shownIn(other)).toMatchObject([{ phase: 'completed' }])
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('[EDGE-57] is not listed there where it is answered at once', async () => {
    const answer = held(result({ content: [] }))
    server.on('tools/call', answer)
    const call = open().startToolCall({ name: 'report' })
    await browser.advance(1000)
    const other = await openLater()
    answer.release()
    await browser.advance(5000)
    expect(call.getState().phase).toBe('completed')
    expect(shownIn(other)).toEqual([])
  })

  it('[EDGE-57] that another tab has only listed is shown there by what this one has told, without a poll', async () => {
    server.on('tools/call', created({ status: 'completed' }))
    server.on('tasks/get', http(429, { headers: { 'retry-after': '3600' } }), completed())
    const page = browser.openPage()
    const call = open(page).startToolCall({ name: 'report' })
    await browser.advance(1000)
    const other = await openLater()
    expect(shownIn(other)).toMatchObject([{ callId: call.callId, phase: 'ended' }])
    // The tab that tells knows that there is another one.
    other.resumeTask('another').result.catch(() => {})
    await browser.advance(3_600_000)
    expect(call.getState().phase).toBe('completed')
    await page.close()
    const before = server.received('tasks/get').length
    other.getToolCall(call.callId)?.result.catch(() => {})
    await browser.advance(5000)
    expect(other.getToolCallState(call.callId)).toMatchObject({
      phase: 'completed',
      result: { content: [{ text: 'done' }] },
    })
    expect(server.received('tasks/get')).toHaveLength(before)
  })

  it('[EDGE-57] is listed as interrupted as soon as its tab has crashed', async () => {
    server.on('tools/call', held(created()))
    const page = browser.openPage()
    const call = open(page).startToolCall({ name: 'report' })
    await browser.advance(1000)
    const other = await openLater()
    expect(shownIn(other)).toEqual([])
    await page.crash()
    await browser.advance(1000)
    expect(shownIn(other)).toMatchObject([
      { callId: call.callId, phase: 'failed', error: { name: 'ToolCallInterruptedError' } },
    ])
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('[EDGE-57] is sent though no lock is granted, and leaves none behind', async () => {
    server.on('tools/call', result({ content: [] }))
    const page = browser.openPage()
    const { environment } = page
    const never = { request: <T>() => new Promise<T>(() => {}) }
    const client = createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: server.fetch },
      environment: { ...environment, locks: never },
      push: false,
    })
    const waiting = client.startToolCall({ name: 'report' })
    const call = open(page).startToolCall({ name: 'report' })
    await browser.advance(1000)
    await expect(waiting.result).resolves.toEqual({ content: [] })
    await expect(call.result).resolves.toEqual({ content: [] })
    expect(page.locks()).toBe(0)
  })
})
