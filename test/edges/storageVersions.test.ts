import { PageOutdatedError, type TaskClient, type TaskClientUrlOptions } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { asynchronous } from '../support/asynchronousStorage.js'
import { createWorkServer } from '../support/workServer.js'

const SECOND = 1000
const WORK = { name: 'work', arguments: { seconds: 60, quiet: true } }

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

function openTab(options: Partial<TaskClientUrlOptions> = {}): { page: SimulatedPage; client: TaskClient } {
  const page = server.browser.openPage()
  return { page, client: createTaskClient({ url: server.url, environment: page.environment, ...options }) }
}

const items = () => {
  const { local } = server.browser.storage
  return Array.from({ length: local.length }, (_, index) => {
    const key = local.key(index) ?? ''
    return [key, local.getItem(key) ?? ''] as const
  })
}

/** Leaves the record of a call with the key `k` as a later version may have written it. Returns that text. */
async function recordNewer(change: (record: Record<string, unknown>) => object = (record) => record): Promise<string> {
  const { page, client } = openTab()
  client.startToolCall(WORK, { key: 'k' })
  await server.advance(SECOND)
  await page.close()
  const [[key, text]] = items() as [readonly [string, string]]
  const newer = JSON.stringify(change({ ...JSON.parse(text), v: 2, novelty: true }))
  server.browser.storage.local.setItem(key, newer)
  return newer
}

const later: readonly (readonly [string, (record: Record<string, unknown>) => object])[] = [
  ['in the form of today', (record) => record],
  ['with a task in another form', (record) => ({ ...record, task: ['t', 1] })],
  ['with nothing that is known but its call', ({ callId }) => ({ v: 17, callId })],
]

describe('a record of a later version', () => {
  it.each(later)('[EDGE-10] %s means that the call was made: the tool is not run again', async (_, change) => {
    const text = await recordNewer(change)
    const { client } = openTab()
    const call = client.startToolCall(WORK, { key: 'k' })
    await server.advance(5 * SECOND)
    await expect(call.result).rejects.toBeInstanceOf(PageOutdatedError)
    await expect(call.result).rejects.toMatchObject({
      name: 'PageOutdatedError',
      toolName: 'work',
      message: expect.stringContaining('Reload the page'),
    })
    expect(call.getState().phase).toBe('failed')
    expect(server.count('tools/call')).toBe(1)
    expect(items().map(([, left]) => left)).toEqual([text])
  })

  it.each(['always', 'settled'] as const)('[EDGE-10] holds back a call with repeat: %j, too', async (repeat) => {
    const text = await recordNewer()
    const { client } = openTab()
    const call = client.startToolCall(WORK, { key: 'k', repeat })
    await server.advance(5 * SECOND)
    await expect(call.result).rejects.toMatchObject({ name: 'PageOutdatedError' })
    expect(server.count('tools/call')).toBe(1)
    expect(items().map(([, left]) => left)).toEqual([text])
  })

  it('[EDGE-10] holds back a tool that may be called twice', async () => {
    const { client } = openTab()
    const { callId } = client.startToolCall({ name: 'look', arguments: { seconds: 60 } }, { key: 'k' })
    await server.advance(SECOND)
    await client.close()
    const [[key, text]] = items() as [readonly [string, string]]
    const { task: _, ...intent } = JSON.parse(text)
    server.browser.storage.local.setItem(key, JSON.stringify({ ...intent, v: 2 }))
    const next = openTab().client
    const [resumed] = await Promise.all([next.resumeToolCalls({ callId }), server.advance(SECOND)])
    expect(resumed).toEqual([])
    const call = next.startToolCall({ name: 'look', arguments: { seconds: 60 } }, { key: 'k' })
    await server.advance(SECOND)
    await expect(call.result).rejects.toMatchObject({ name: 'PageOutdatedError' })
    expect(server.count('tools/call')).toBe(1)
  })

  it('[EDGE-10] holds the call back in a storage that answers by promises', async () => {
    const text = await recordNewer()
    const { local } = server.browser.storage
    const storage = asynchronous({
      getItem: (key) => local.getItem(key),
      setItem: (key, value) => local.setItem(key, value),
      removeItem: (key) => local.removeItem(key),
      keys: () => items().map(([key]) => key),
    })
    const call = openTab({ storage }).client.startToolCall(WORK, { key: 'k' })
    await server.advance(5 * SECOND)
    await expect(call.result).rejects.toMatchObject({ name: 'PageOutdatedError' })
    expect(server.count('tools/call')).toBe(1)
    expect(items().map(([, left]) => left)).toEqual([text])
  })

  it('[EDGE-10] is left alone by the tab that follows the task', async () => {
    const { page, client } = openTab()
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k' })
    await server.advance(SECOND)
    const [[key, text]] = items() as [readonly [string, string]]
    const newer = JSON.stringify({ ...JSON.parse(text), v: 2, novelty: true })
    server.browser.storage.local.setItem(key, newer)
    await call.cancel()
    call.result.catch(() => {})
    await server.advance(10 * SECOND)
    expect(call.getState().phase).toBe('cancelled')
    await page.close()
    expect(items()).toEqual([[key, newer]])
  })

  it('[EDGE-10] is not removed with the call of a tab that follows a task without a key', async () => {
    const { client } = openTab()
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 3 } })
    await server.advance(SECOND)
    const [[key, text]] = items() as [readonly [string, string]]
    const newer = JSON.stringify({ ...JSON.parse(text), v: 2 })
    server.browser.storage.local.setItem(key, newer)
    await server.advance(5 * SECOND)
    await call.result
    expect(items()).toEqual([[key, newer]])
  })

  it('[EDGE-10] is not swept, whatever its age', async () => {
    const text = await recordNewer((record) => ({ ...record, startedAt: 0, task: undefined }))
    const { client } = openTab()
    await Promise.all([client.resumeToolCalls(), server.advance(SECOND)])
    client.startToolCall({ name: 'echo', arguments: { text: 'hi' } })
    await server.advance(SECOND)
    expect(items().map(([, left]) => left)).toEqual([text])
  })

  it('[EDGE-10] is not written over by a task that the page resumes under its key', async () => {
    const text = await recordNewer()
    const { client } = openTab()
    const [raw] = await Promise.all([client.callToolRaw(WORK), server.advance(0)])
    if (raw.type !== 'task') throw new Error('expected a task')
    client.resumeTask({ taskId: raw.task.taskId, name: 'work' }, { key: 'k' })
    await server.advance(5 * SECOND)
    expect(items().map(([, left]) => left)).toEqual([text])
  })

  it.each(['a call', 'every call'] as const)(
    '[EDGE-10] goes where the app forgets %s, and the key is free',
    async (how) => {
      await recordNewer()
      const { client } = openTab()
      if (how === 'a call') await client.forget({ callId: client.toolCallId('work', 'k') })
      else await client.forget()
      expect(items()).toEqual([])
      client.startToolCall(WORK, { key: 'k' })
      await server.advance(SECOND)
      expect(server.count('tools/call')).toBe(2)
    },
  )

  it('[EDGE-10] gives way once it is gone: the same page makes the call', async () => {
    await recordNewer()
    const { client } = openTab()
    const held = client.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    await expect(held.result).rejects.toMatchObject({ name: 'PageOutdatedError' })
    await openTab().client.forget()
    await server.advance(SECOND)
    const call = client.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    expect(call.getState().phase).toBe('working')
  })

  it.each([
    ['another call', (record: Record<string, unknown>) => ({ ...record, callId: 'other' })],
    ['no version', ({ v: _, ...record }: Record<string, unknown>) => record],
    ['a version before the first', (record: Record<string, unknown>) => ({ ...record, v: 0 })],
  ])('[EDGE-10] is only what says so: %s is no record', async (_, change) => {
    await recordNewer(change)
    const { client } = openTab()
    client.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    expect(server.count('tools/call')).toBe(2)
  })

  it('[EDGE-10] holds the call back in two tabs that start it at the same moment', async () => {
    await recordNewer()
    const [a, b] = [openTab(), openTab()]
    const [first, second] = [a, b].map(({ client }) => client.startToolCall(WORK, { key: 'k' }))
    await server.advance(SECOND)
    for (const call of [first, second]) await expect(call?.result).rejects.toMatchObject({ name: 'PageOutdatedError' })
    expect(server.count('tools/call')).toBe(1)
  })
})

describe('messages of a later version between tabs', () => {
  it('[EDGE-10] are ignored, whatever is in them, and harm no call', async () => {
    const names = new Set<string>()
    const page = server.browser.openPage()
    const channel = (name: string) => {
      names.add(name)
      return page.environment.channel?.(name) as never
    }
    const client = createTaskClient({ url: server.url, environment: { ...page.environment, channel } })
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 5, quiet: true } }, { key: 'k' })
    await server.advance(1500)
    const { callId } = call
    const taskId = call.getState().task?.taskId
    const [[, text]] = items() as [readonly [string, string]]
    const known = JSON.parse(text)
    const newer = { ...known, v: 2, task: { ...known.task, taskId: 'other' } }
    const ended = {
      ...known,
      task: { ...known.task, endedAt: server.browser.now(), endError: { name: 'TaskExpiredError', message: 'gone' } },
    }
    const cancelled = { ...known, task: { ...known.task, isCancelling: true, cancelNotedAt: server.browser.now() } }
    const [name = ''] = names
    const other = server.browser.openPage().environment.channel?.(name)
    for (const message of [
      { v: 2, type: 'forgotten', at: server.browser.now() + 1000 },
      { v: 2, type: 'record', record: ended },
      { v: 2, type: 'record', record: cancelled },
      { v: 2, type: 'record', record: { ...newer, callId: 'c2' } },
      { v: 1, type: 'record', record: newer },
      { v: 1, type: 'record', record: { ...ended, v: 2 } },
      { v: 1, type: 'recorded', record: ended },
      { v: 1, type: 'surprise', taskId },
      { v: 2 },
      { v: '1', type: 'forgotten', at: server.browser.now() + 1000 },
    ])
      other?.postMessage(message)
    await server.advance(100)
    expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: false, task: { taskId } })
    expect(Object.keys(client.store.getState().calls)).toEqual([callId])
    await server.advance(10 * SECOND)
    await expect(call.result).resolves.toBeDefined()
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000, 4000, 5000])
  })
})
