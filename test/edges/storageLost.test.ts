import type { TaskClient, TaskClientUrlOptions, ToolCallOptions } from 'taskwire'
import type { SimulatedPage } from 'taskwire/testing'
import { createSimulatedBrowser } from 'taskwire/testing'
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
const DAY = 24 * 60 * 60 * SECOND

let browser: ReturnType<typeof createSimulatedBrowser>
let server: ScriptedServer

beforeEach(() => {
  browser = createSimulatedBrowser({ fetch: (url, init) => server.fetch(url, init) })
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', rpcError(-32602, 'Unknown task'))
})

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

function openTab(options: Partial<TaskClientUrlOptions> = {}): Tab {
  const page = browser.openPage()
  const client = createTaskClient({
    url: 'http://localhost/mcp',
    environment: page.environment,
    push: false,
    ...options,
  })
  return { page, client }
}

async function visit(options?: Partial<TaskClientUrlOptions>): Promise<TaskClient> {
  const { client } = openTab(options)
  await Promise.all([client.connect(), browser.advance(SECOND)])
  return client
}

const keys = () =>
  Array.from({ length: browser.storage.local.length }, (_, index) => browser.storage.local.key(index) ?? '')
const count = (method: string) => server.received(method).length
const start = (client: TaskClient, options: Pick<ToolCallOptions, 'key' | 'repeat'> = {}) => {
  const call = client.startToolCall({ name: 'report' }, { key: 'weekly', ...options })
  call.result.catch(() => {})
  return call
}

/** A visit at whose end the server has lost the task of a call with a key, which has no ttl. */
async function lose(): Promise<void> {
  const { page, client } = openTab()
  const call = start(client)
  await browser.advance(5 * SECOND)
  expect(call.getState().error).toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
  await page.close()
}

describe('a call with a key whose task the server has lost', () => {
  it('[EDGE-07] is polled by no later page, however many there are', async () => {
    await lose()
    const polled = count('tasks/get')
    for (let day = 0; day < 5; day++) {
      await visit()
      await browser.advance(DAY)
    }
    expect(count('tasks/get')).toBe(polled)
  })

  it('[EDGE-07] is polled by no later page that asks for it: the loss is told again, and nothing is called', async () => {
    await lose()
    const polled = count('tasks/get')
    const call = start(await visit())
    await browser.advance(SECOND)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
    expect(call.getState()).toMatchObject({ phase: 'failed', task: { taskId: 'task-secret-1' } })
    expect(count('tasks/get')).toBe(polled)
    expect(count('tools/call')).toBe(1)
  })

  it('[EDGE-07] keeps the record of the loss for a week', async () => {
    await lose()
    await browser.advance(7 * DAY - 20 * SECOND)
    await visit()
    expect(keys()).toHaveLength(1)
    await browser.advance(30 * SECOND)
    await visit()
    expect(keys()).toEqual([])
  })

  it('[EDGE-07] is called anew only when the app says so', async () => {
    await lose()
    const call = start(await visit(), { repeat: 'settled' })
    server.on('tasks/get', completed())
    await browser.advance(5 * SECOND)
    await expect(call.result).resolves.toBeDefined()
    expect(count('tools/call')).toBe(2)
    const next = start(await visit())
    await browser.advance(5 * SECOND)
    await expect(next.result).resolves.toBeDefined()
    expect(count('tools/call')).toBe(2)
  })

  it('[EDGE-07] stays lost where another tab writes what it knew of it', async () => {
    const [a, b] = [openTab(), openTab()]
    server.on('tasks/get', snapshot())
    start(a.client)
    await browser.advance(SECOND)
    await b.client.resumeToolCalls()
    b.page.freeze()
    server.on('tasks/get', rpcError(-32602, 'Unknown task'))
    await browser.advance(5 * SECOND)
    await b.page.thaw()
    await b.page.close()
    await a.page.close()
    const polled = count('tasks/get')
    await visit()
    expect(count('tasks/get')).toBe(polled)
  })

  it('[EDGE-07] is followed again where the app names its task', async () => {
    await lose()
    server.on('tasks/get', snapshot(), completed())
    const client = await visit()
    const call = client.resumeTask({ taskId: 'task-secret-1', name: 'report' }, { key: 'weekly' })
    await browser.advance(SECOND / 2)
    await (await visit()).resumeToolCalls()
    await browser.advance(5 * SECOND)
    await expect(call.result).resolves.toBeDefined()
    const next = start(await visit())
    await browser.advance(5 * SECOND)
    await expect(next.result).resolves.toBeDefined()
    expect(count('tools/call')).toBe(1)
  })

  it('[EDGE-07] says that it ran past its ttl where that is how it was lost', async () => {
    server.on('tools/call', created({ ttlMs: 3000 }))
    server.on('tasks/get', snapshot({ ttlMs: 3000 }))
    const { page, client } = openTab()
    const call = start(client)
    await browser.advance(10 * SECOND)
    expect(call.getState().error).toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
    await page.close()
    const polled = count('tasks/get')
    const again = start(await visit())
    await browser.advance(SECOND)
    await expect(again.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
    expect(count('tasks/get')).toBe(polled)
    expect(count('tools/call')).toBe(1)
  })

  it("[EDGE-07] is shown as lost with resume: 'lazy' and without tabs, too", async () => {
    await lose()
    const polled = count('tasks/get')
    const { client } = openTab({ resume: 'lazy', crossTab: false })
    const call = start(client)
    await browser.advance(SECOND)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError' })
    expect(count('tasks/get')).toBe(polled)
  })
})
