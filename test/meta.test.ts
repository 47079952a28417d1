import { type TaskClient, TaskConfigurationError } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

const WORK = { name: 'work', arguments: { seconds: 60 } }
type ResumeOptions = Parameters<TaskClient['resumeTask']>[1]

const REPORT = { key: 'report-Q3', meta: { title: 'Report of Q3' } }

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

function open(page: SimulatedPage = server.browser.openPage()): TaskClient {
  return createTaskClient({
    url: server.url,
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
}

/** What is listed of each call. */
function listed(client: TaskClient): readonly unknown[] {
  return Object.values(client.store.getState().calls).map(({ key, meta, phase }) => [key, meta, phase])
}

describe('what the app notes with a call', () => {
  it('is in its state with its key, from the start', () => {
    const call = open().startToolCall(WORK, REPORT)
    expect(call.getState()).toMatchObject({ phase: 'calling', ...REPORT })
  })

  it('is there after a reload, where the arguments are not', async () => {
    const page = server.browser.openPage()
    open(page).startToolCall(WORK, REPORT)
    await server.browser.advance(3000)
    await page.close()
    const client = open()
    await client.resumeToolCalls()
    expect(listed(client)).toEqual([['report-Q3', REPORT.meta, 'working']])
    expect(Object.values(client.store.getState().calls)[0]?.arguments).toBeUndefined()
  })

  it('is listed of a call that ended in an earlier visit', async () => {
    const page = server.browser.openPage()
    open(page).startToolCall({ name: 'work', arguments: { seconds: 1 } }, REPORT)
    await server.browser.advance(9000)
    await page.close()
    const client = open()
    await client.resumeToolCalls()
    expect(listed(client)).toEqual([['report-Q3', REPORT.meta, 'ended']])
  })

  it('is listed of a call that was interrupted', async () => {
    const page = server.browser.openPage()
    open(page).startToolCall({ name: 'work', arguments: { seconds: 1 } }, REPORT)
    await server.browser.advance(10)
    page.freeze()
    const client = open()
    await server.browser.advance(5000)
    await client.resumeToolCalls()
    await server.browser.advance(60_000)
    expect(listed(client)).toMatchObject([['report-Q3', REPORT.meta, expect.any(String)]])
  })

  it('is told to the other tabs', async () => {
    const other = open()
    await other.connect()
    open().startToolCall(WORK, REPORT)
    await server.browser.advance(3000)
    expect(listed(other)).toEqual([['report-Q3', REPORT.meta, 'working']])
  })

  it('is that of the call that was made, where the key is known', async () => {
    const client = open()
    client.startToolCall(WORK, REPORT)
    await server.browser.advance(3000)
    const again = client.startToolCall(WORK, { ...REPORT, meta: { title: 'Another title' } })
    const elsewhere = open().startToolCall(WORK, { ...REPORT, meta: { title: 'Another title' } })
    await server.browser.advance(3000)
    expect(again.getState().meta).toEqual(REPORT.meta)
    expect(elsewhere.getState().meta).toEqual(REPORT.meta)
  })

  it('is noted with a task that is resumed by its id', async () => {
    const client = open()
    const made = client.startToolCall(WORK)
    await server.browser.advance(3000)
    const taskId = made.getState().task?.taskId ?? ''
    const resumed = open().resumeTask({ taskId, name: 'work' }, REPORT)
    await server.browser.advance(3000)
    expect(resumed.getState()).toMatchObject({ phase: 'working', ...REPORT })
  })

  it.each([
    ['by its id alone', {}, {}],
    ['under its key', { name: 'work' }, { key: REPORT.key }],
    ['with another note', {}, { meta: { title: 'Another title' } }],
  ])(
    'stays, as does the name of the tool, where the task is resumed in a later visit %s',
    async (_, named, options: ResumeOptions) => {
      const [first, page] = [open(), server.browser.openPage()]
      const made = first.startToolCall(WORK)
      await server.browser.advance(3000)
      const taskId = made.getState().task?.taskId ?? ''
      open(page).resumeTask({ taskId, name: 'work' }, { ...options, meta: REPORT.meta })
      await server.browser.advance(3000)
      await page.close()
      await first.close()
      const client = open()
      const call = client.resumeTask({ taskId, ...named }, options)
      await server.browser.advance(3000)
      expect(call.getState()).toMatchObject({ name: 'work', meta: REPORT.meta, phase: 'working' })
      await client.close()
      const next = open()
      await next.resumeToolCalls()
      const calls = Object.values(next.store.getState().calls).filter(({ callId }) => callId === call.callId)
      expect(calls).toMatchObject([{ name: 'work', meta: REPORT.meta, phase: 'working' }])
    },
  )

  it('does not change with the object of the app', async () => {
    const meta = { tags: ['a'] }
    const call = open().startToolCall(WORK, { key: 'k', meta })
    meta.tags.push('b')
    await server.browser.advance(3000)
    expect(call.getState().meta).toEqual({ tags: ['a'] })
  })

  it('is never sent to the server', async () => {
    const bodies: string[] = []
    const page = server.browser.openPage()
    const client = createTaskClient({
      url: server.url,
      transportOptions: {
        fetch: (url, init) => {
          bodies.push(String(init?.body))
          return server.fetch(url, init)
        },
      },
      environment: page.environment,
    })
    client.startToolCall(WORK, REPORT)
    await server.browser.advance(3000)
    expect(bodies.some((body) => body.includes('tools/call'))).toBe(true)
    expect(bodies.filter((body) => body.includes('Report of Q3') || body.includes('report-Q3'))).toEqual([])
  })

  it.each([
    ['longer than 1,024 characters', { text: 'x'.repeat(1024) }, /at most 1024 characters/],
    ['a string', 'Report of Q3', /must be a JSON object/],
    ['a list', ['Report of Q3'], /must be a JSON object/],
    ['null', null, /must be a JSON object/],
    ['a Map', new Map(), /must be a JSON object|a Map/],
    ['with a function', { open: { now: () => {} } }, /open\.now is a function/],
  ])('is refused and nothing is sent where it is %s', async (_, meta, words) => {
    const client = open()
    const start = () => client.startToolCall(WORK, { key: 'k', meta: meta as never })
    expect(start).toThrow(TaskConfigurationError)
    expect(start).toThrow(words)
    await server.browser.advance(1000)
    expect(server.requests).toEqual([])
    expect(listed(client)).toEqual([])
  })

  it('is left out where another script has made it long, and the call is followed', async () => {
    const page = server.browser.openPage()
    open(page).startToolCall(WORK, REPORT)
    await server.browser.advance(3000)
    await page.close()
    const items = server.browser.openPage().environment.storage('local')
    const names = Array.from({ length: items?.length ?? 0 }, (_, at) => items?.key(at) ?? '')
    const name = names.find((each) => items?.getItem(each)?.includes(REPORT.meta.title)) ?? ''
    const record = JSON.parse(items?.getItem(name) ?? '')
    items?.setItem(name, JSON.stringify({ ...record, meta: { title: 'x'.repeat(5000) } }))
    const client = open()
    await client.resumeToolCalls()
    await server.browser.advance(1000)
    expect(listed(client)).toEqual([['report-Q3', undefined, 'working']])
  })
})

describe('many calls as one', () => {
  const shot = (seconds: number, at: number) =>
    [
      { name: 'work', arguments: { seconds } },
      { key: `shot-${at}`, meta: { batch: 'trailer' } },
    ] as const

  it('counts what runs, has completed and has failed, and how far they are together', async () => {
    const client = open()
    const batch = client.toolCalls({ filter: ({ meta }) => meta?.['batch'] === 'trailer' })
    expect(batch.getState()).toEqual({
      calls: [],
      ...{ running: 0, completed: 0, failed: 0, cancelled: 0 },
      progress: { progress: 0, total: 0 },
    })
    client.startToolCall({ name: 'echo', arguments: { text: 'of no batch' } })
    client.startToolCall(...shot(2, 1))
    client.startToolCall(...shot(60, 2))
    const broken = { name: 'work', arguments: { seconds: 2, outcome: 'failure' } }
    client.startToolCall(broken, { key: 'shot-3', meta: { batch: 'trailer' } }).result.catch(() => {})
    const toolError = { name: 'work', arguments: { seconds: 2, outcome: 'tool error' } }
    client.startToolCall(toolError, { key: 'shot-4', meta: { batch: 'trailer' } })
    await server.browser.advance(10_000)
    const { calls, ...counts } = batch.getState()
    expect(calls.map(({ key }) => key)).toEqual(['shot-1', 'shot-2', 'shot-3', 'shot-4'])
    expect(counts).toEqual({
      ...{ running: 1, completed: 1, failed: 2, cancelled: 0 },
      progress: { progress: 3, total: 4 },
    })
  })

  it('is found again after a reload', async () => {
    const page = server.browser.openPage()
    const first = open(page)
    for (const at of [1, 2, 3]) first.startToolCall(...shot(60, at))
    await server.browser.advance(3000)
    await page.close()
    const client = open()
    await client.resumeToolCalls()
    expect(client.toolCalls({ filter: ({ meta }) => meta?.['batch'] === 'trailer' }).getState()).toMatchObject({
      running: 3,
      progress: { progress: 0, total: 3 },
    })
  })

  it('tells a listener what has changed, and nothing where nothing has', async () => {
    const client = open()
    const batch = client.toolCalls({ filter: ({ meta }) => meta?.['batch'] === 'trailer' })
    const seen: number[] = []
    const stop = batch.subscribe(({ running }) => seen.push(running))
    client.startToolCall(...shot(60, 1))
    await server.browser.advance(5)
    const before = seen.length
    expect(seen.at(-1)).toBe(1)
    client.startToolCall({ name: 'echo', arguments: { text: 'of no batch' } })
    await server.browser.advance(5)
    expect(seen).toHaveLength(before)
    expect(batch.getState()).toBe(batch.getState())
    stop()
    await server.browser.advance(9000)
    expect(seen).toHaveLength(before)
  })

  it('cancels those that run, and leaves those that have ended and those of no batch', async () => {
    const client = open()
    const batch = client.toolCalls({ filter: ({ meta }) => meta?.['batch'] === 'trailer' })
    const outside = client.startToolCall(WORK)
    for (const at of [1, 2, 3]) client.startToolCall(...shot(at === 1 ? 1 : 60, at)).result.catch(() => {})
    await server.browser.advance(5000)
    const asked = batch.cancelAll()
    await server.browser.advance(5000)
    await asked
    expect(batch.getState()).toMatchObject({ running: 0, completed: 1, cancelled: 2 })
    expect(outside.getState().phase).toBe('working')
  })
})
