import type { Environment, TaskStorage } from 'taskwire'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { ack, completed, created, snapshot } from '../support/scriptedServer.js'
import { createVisits, startReport } from '../support/visits.js'
import { createWorkServer } from '../support/workServer.js'

describe('a storage that throws on every call', () => {
  it('[DUR-66] harms nothing but the memory of a reload', async () => {
    const throwing = (): never => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    const storage: TaskStorage = { getItem: throwing, setItem: throwing, removeItem: throwing, keys: throwing }
    const errors: string[] = []
    const onError = (error: Error) => void errors.push(error.name)
    const visits = createVisits(createTaskClient)
    const { server, browser } = visits
    const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
    const inputRequests = { q1: { method: 'elicitation/create', params } }
    server.on('tools/call', created())
    server.on('tasks/get', snapshot({ status: 'input_required', inputRequests }), snapshot(), completed())
    server.on('tasks/update', ack)
    server.on('tasks/cancel', ack)
    const { page, client } = visits.open({ storage, onError })
    const call = startReport({ page, client })
    await browser.advance(1500)
    await call.respond('q1', { action: 'decline' })
    await call.cancel()
    await page.hidePage()
    await page.showPage()
    await browser.advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: { content: [{ text: 'done' }] } })
    // The other tabs are asked first, where nothing can be read and again where nothing can be written, and there are none.
    expect(visits.times('tasks/get')).toEqual([1200, 2200, 3200])
    expect(errors.length).toBeGreaterThan(3)
    expect(new Set(errors)).toEqual(new Set(['TaskStorageError']))
    startReport(visits.open({ storage, onError }, await page.reload()))
    await browser.advance(1000)
    expect(visits.count('tools/call')).toBe(2)
  })
})

describe('what stands under a key of ours', () => {
  const texts: [string, (record: Record<string, unknown>) => string][] = [
    ['is nonsense', () => '{'],
    ['is empty', () => ''],
    ['is a record of another call', (record) => JSON.stringify({ ...record, callId: 'another' })],
    [
      'is a record of another endpoint',
      (record) => JSON.stringify({ ...record, endpoint: 'https://evil.example/mcp' }),
    ],
    ['is a record of another scope', (record) => JSON.stringify({ ...record, scope: 'bob' })],
    ['is a record of another version', (record) => JSON.stringify({ ...record, v: 2 })],
  ]
  it.each(texts)('[DUR-65] and %s, is no record and hides none', async (_, text) => {
    const visits = createVisits(createTaskClient)
    const { browser, server } = visits
    const { local } = browser.storage
    server.on('tools/call', created())
    server.on('tasks/get', snapshot())
    const first = visits.open()
    const { callId } = startReport(first)
    await browser.advance(500)
    const page = await first.page.reload()
    const [key = ''] = visits.keys()
    local.setItem(key.replace(callId, 'bad'), text({ ...visits.records()[0], callId: 'bad' }))
    const errors: Error[] = []
    const { client } = visits.open({ onError: (error) => errors.push(error) }, page)
    const [calls] = await Promise.all([client.resumeToolCalls(), browser.advance(5000)])
    expect(calls.map((call) => call.callId)).toEqual([callId])
    expect(Object.keys(client.store.getState().calls)).toEqual([callId])
    expect(visits.count('tasks/get')).toBeGreaterThan(1)
    expect(errors).toEqual([])
  })
})

describe('a storage that answers late', () => {
  const LONG = { name: 'work', arguments: { seconds: 600, quiet: true } }
  const items = new Map<string, string>()
  beforeEach(() => items.clear())

  /** What it has not done when its page goes away, it never does. */
  function lateStorage({ setTimeout }: Pick<Environment, 'setTimeout'>): TaskStorage {
    const late = <T>(value: () => T) => new Promise<T>((resolve) => setTimeout(() => resolve(value()), 10))
    return {
      getItem: (key) => late(() => items.get(key) ?? null),
      setItem: (key, value) => late(() => void items.set(key, value)),
      removeItem: (key) => late(() => void items.delete(key)),
      keys: () => late(() => [...items.keys()]),
    }
  }

  /** A server, and pages that each make the call of one key. */
  function setUp(options: { idempotentCalls?: boolean } = {}) {
    const server = createWorkServer(options)
    const open = () => {
      const page = server.browser.openPage()
      const { environment } = page
      const client = createTaskClient({ url: server.url, environment, storage: lateStorage(environment) })
      return { page, client, call: client.startToolCall(LONG, { key: 'k' }) }
    }
    return { server, open }
  }

  it('[DUR-86] may miss the last poll of a page, so that the next page polls early, once', async () => {
    const { server, open } = setUp()
    const { page } = open()
    await server.advance(1500)
    await page.close()
    open()
    await server.advance(2000)
    const [first = 0, early = 0, next = 0] = server.times('tasks/get')
    expect(early - first).toBeLessThan(1000)
    expect(next - early).toBeGreaterThanOrEqual(1000)
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-87] leaves a call interrupted, not repeated, where the page goes away before the task is noted', async () => {
    const { server, open } = setUp({ idempotentCalls: false })
    const { page } = open()
    while (server.count('tools/call') === 0) await server.advance(1)
    await page.crash()
    const { call } = open()
    await server.advance(500)
    await expect(call.result).rejects.toMatchObject({ name: 'ToolCallInterruptedError' })
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-88] may bring a record back where a page is frozen while it writes, and another one forgets the call', async () => {
    const server = createWorkServer()
    const pages = [server.browser.openPage(), server.browser.openPage()] as const
    let finish: (() => void) | undefined
    const isSlow = { current: false }
    const storage = (ownsSlowWrites: boolean): TaskStorage => ({
      getItem: (key) => Promise.resolve(items.get(key) ?? null),
      setItem: (key, value) =>
        ownsSlowWrites && isSlow.current
          ? new Promise((resolve) => {
              finish = () => resolve(void items.set(key, value))
            })
          : Promise.resolve(void items.set(key, value)),
      removeItem: (key) => Promise.resolve(void items.delete(key)),
      keys: () => Promise.resolve([...items.keys()]),
    })
    const [a, b] = pages.map(({ environment }, index) =>
      createTaskClient({ url: server.url, environment, storage: storage(index === 0) }),
    ) as [ReturnType<typeof createTaskClient>, ReturnType<typeof createTaskClient>]
    const { callId } = a.startToolCall(LONG, { key: 'k' })
    await server.advance(2500)
    isSlow.current = true
    // Notes when the next poll is.
    await pages[0].hidePage()
    expect(finish).toBeDefined()
    pages[0].freeze()
    await b.forget({ callId })
    expect(items.size).toBe(0)
    finish?.()
    await server.advance(0)
    expect([...items.keys()]).toEqual([expect.stringContaining(callId)])
  })
})
