import type { TaskClient, TaskStorage, ToolCall, ToolCallOptions } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  held,
  rpcError,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

const SECOND = 1000

let browser: SimulatedBrowser
let server: ScriptedServer

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  // Each call gets a task of its own, and each task is at work.
  server.on('tools/call', created({ taskId: 'task-1' }), created({ taskId: 'task-2' }), created({ taskId: 'task-3' }))
  server.on('tasks/get', (request) => snapshot({ taskId: request.params['taskId'] })(request))
})

function openTab(options: { storage?: TaskStorage } = {}): Tab {
  const page = browser.openPage()
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
    ...options,
  })
  return { page, client }
}

function run({ client }: Tab, options: ToolCallOptions = {}): ToolCall {
  const call = client.startToolCall({ name: 'report' }, { key: 'k', ...options })
  call.result.catch(() => {})
  return call
}

const calls = () => server.received('tools/call').length
const records = () =>
  Array.from({ length: browser.storage.local.length }, (_, index) => browser.storage.local.key(index) ?? '').map(
    (key) => browser.storage.local.getItem(key) ?? '',
  )

describe('a call that was forgotten and made anew', () => {
  // tab A  forgets ─ calls anew: task 2
  // tab B  frozen ······················ wakes ─ receives that task 1 was forgotten: leaves the record of task 2
  it('[EDGE-53] keeps its record where a tab learns late that the one before was forgotten', async () => {
    const [a, b] = [openTab(), openTab()]
    const first = run(a)
    await browser.advance(500)
    run(b)
    await browser.advance(2 * SECOND)
    b.page.freeze()
    await Promise.all([a.client.forget({ callId: first.callId }), browser.settle()])
    run(a)
    await browser.advance(SECOND)
    expect(calls()).toBe(2)
    await b.page.thaw()
    await browser.advance(SECOND)
    expect(records()).toHaveLength(1)
    expect(records()[0]).toContain('"taskId":"task-2"')
    // A page that goes away would write what it knows once more.
    await a.page.crash()
    await b.page.crash()
    const after = run(openTab())
    await browser.advance(2 * SECOND)
    expect(after.getState().task?.taskId).toBe('task-2')
    expect(calls()).toBe(2)
  })

  it('[EDGE-53] keeps its record where every call was forgotten before it', async () => {
    const [a, b] = [openTab(), openTab()]
    run(a)
    await browser.advance(500)
    run(b)
    await browser.advance(2 * SECOND)
    b.page.freeze()
    await Promise.all([a.client.forget(), browser.settle()])
    run(a)
    await browser.advance(SECOND)
    await b.page.thaw()
    await browser.advance(SECOND)
    await a.page.crash()
    await b.page.crash()
    run(openTab())
    await browser.advance(2 * SECOND)
    expect(calls()).toBe(2)
  })

  it('[EDGE-53] loses its record where it is forgotten itself', async () => {
    const [a, b] = [openTab(), openTab()]
    const { callId } = run(a)
    await browser.advance(SECOND)
    await Promise.all([b.client.forget({ callId }), browser.settle()])
    await browser.advance(SECOND)
    expect(records()).toEqual([])
  })
})

describe('a task that the server has lost, where the loss could not be recorded', () => {
  /** A storage that takes nothing more once `isFull` is true. */
  function fillable(): { storage: TaskStorage; fill: () => void } {
    const { local } = browser.storage
    let isFull = false
    const storage: TaskStorage = {
      getItem: (key) => local.getItem(key),
      setItem: (key, value) => {
        if (isFull) throw new Error('The quota has been exceeded.')
        local.setItem(key, value)
      },
      removeItem: (key) => local.removeItem(key),
      keys: () => Array.from({ length: local.length }, (_, index) => local.key(index) ?? ''),
    }
    return {
      storage,
      fill: () => {
        isFull = true
      },
    }
  }

  // task 1 ── recorded ── storage full ── lost: the record still says that it is at work
  //                                        └─ repeat: 'settled', which is what retry() does: task 2
  it("[EDGE-53] is not followed again by repeat: 'settled': the call is made anew", async () => {
    const { storage, fill } = fillable()
    const tab = openTab({ storage })
    const first = run(tab)
    await browser.advance(1500)
    fill()
    server.on('tasks/get', ({ params, ...request }) =>
      params['taskId'] === 'task-1'
        ? rpcError(-32602, 'Unknown task')({ params, ...request })
        : completed({ taskId: params['taskId'] })({ params, ...request }),
    )
    await browser.advance(SECOND)
    expect(first.getState().error).toMatchObject({ name: 'TaskExpiredError' })
    expect(records()[0]).toContain('"status":"working"')
    expect(records()[0]).not.toContain('"lost"')
    const polled = server.received('tasks/get').length
    const again = run(tab, { repeat: 'settled' })
    await browser.advance(2 * SECOND)
    expect(calls()).toBe(2)
    expect(again.getState().task?.taskId).toBe('task-2')
    await expect(again.result).resolves.toBeDefined()
    expect(
      server
        .received('tasks/get')
        .slice(polled)
        .map(({ params }) => params['taskId']),
    ).toEqual(['task-2'])
  })

  it('[EDGE-53] is followed where another tab has made the call anew meanwhile', async () => {
    const { storage, fill } = fillable()
    const [a, b] = [openTab({ storage }), openTab()]
    run(a)
    await browser.advance(1500)
    fill()
    server.on('tasks/get', (request) => {
      const taskId = request.params['taskId']
      return (taskId === 'task-1' ? rpcError(-32602, 'Unknown task') : snapshot({ taskId }))(request)
    })
    await browser.advance(SECOND)
    run(b, { repeat: 'settled' })
    await browser.advance(SECOND)
    const again = run(a, { repeat: 'settled' })
    await browser.advance(2 * SECOND)
    expect(again.getState()).toMatchObject({ phase: 'working' })
    const tasks = [again, b.client.getToolCall(again.callId)].map((call) => call?.getState().task?.taskId)
    expect(tasks[0]).toBe(tasks[1])
  })
})

describe('a call that a tab lists as ended, and another tab makes anew', () => {
  /** A tab that lists the call of an earlier visit, and one that has not made it anew yet. */
  async function listed() {
    const earlier = openTab()
    const { callId } = run(earlier)
    server.on('tasks/get', (request) => completed({ taskId: request.params['taskId'] })(request))
    await browser.advance(3 * SECOND)
    await earlier.page.close()
    const a = openTab()
    await Promise.all([a.client.resumeToolCalls(), browser.advance(SECOND)])
    const shown = () => {
      const { phase, task } = a.client.getToolCallState(callId) ?? {}
      return [phase, task?.taskId]
    }
    expect(shown()).toEqual(['ended', 'task-1'])
    server.on('tasks/get', (request) => snapshot({ taskId: request.params['taskId'] })(request))
    return { a, b: openTab(), callId, shown }
  }

  it('is at work in both', async () => {
    const { b, shown } = await listed()
    run(b, { repeat: 'settled' })
    await browser.advance(3 * SECOND)
    expect(shown()).toEqual(['working', 'task-2'])
  })

  // tab A  lists task 1 ─ in the back-forward cache ········· back: resumes task 2
  // tab B                     calls anew: task 2 ─ closed
  it('is resumed by a tab that did not hear of it', async () => {
    const { a, b, shown } = await listed()
    await a.page.hidePage()
    a.page.freeze()
    const call = run(b, { repeat: 'settled' })
    await browser.advance(3 * SECOND)
    expect(call.getState().phase).toBe('working')
    await b.page.close()
    void a.page.thaw()
    void a.page.showPage()
    const [handles] = await Promise.all([a.client.resumeToolCalls(), browser.advance(3 * SECOND)])
    expect(shown()).toEqual(['working', 'task-2'])
    server.on('tasks/get', completed({ taskId: 'task-2' }))
    await browser.advance(3 * SECOND)
    await expect(handles[0]?.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  // tab A  lists task 1 ······································· looks: task 2, task 1 is left alone
  // tab B                calls anew: task 2, which ends at once
  it('leads to the later task where somebody looks at it, and polls the earlier one no more', async () => {
    const { a, b, callId, shown } = await listed()
    server.on('tools/call', created({ taskId: 'task-2', status: 'completed' }))
    server.on('tasks/get', (request) => completed({ taskId: request.params['taskId'] })(request))
    run(b, { repeat: 'settled' })
    await browser.advance(3 * SECOND)
    const polls = server.received('tasks/get').length
    const looked = a.client.getToolCall(callId)
    await browser.advance(3 * SECOND)
    await expect(looked?.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
    expect(shown()).toEqual(['completed', 'task-2'])
    const taskIds = server.received('tasks/get').map(({ params }) => params['taskId'])
    expect(taskIds.slice(polls)).toEqual(['task-2'])
  })

  it('is not taken for interrupted while that tab waits for its response', async () => {
    const { a, b, callId, shown } = await listed()
    const response = held(created({ taskId: 'task-2' }))
    server.on('tools/call', response)
    run(b, { repeat: 'settled' })
    await browser.advance(SECOND)
    const resumed = a.client.resumeToolCalls({ callId })
    await browser.advance(SECOND)
    expect(shown()).toEqual(['ended', 'task-1'])
    response.release()
    await Promise.all([resumed, browser.advance(3 * SECOND)])
    expect(shown()).toEqual(['working', 'task-2'])
  })
})

describe('a call that was made anew while the record of the one before was being written', () => {
  // tab A  task 1 ── reads the record, to write what was cancelled ······················ writes task 1
  // tab B                 calls anew: task 2 ── writes task 2 ········· ended: writes task 2
  it('[EDGE-53] is recorded when it has ended, though the storage has kept the one before', async () => {
    server.on('tools/call', created({ taskId: 'task-1', createdAt: '2026-07-28T00:00:00Z' }))
    server.on('tasks/cancel', ack)
    const items = new Map<string, string>()
    let untilWritten = Promise.resolve()
    const storageOf = (write: (key: string, value: string) => Promise<void>): TaskStorage => ({
      getItem: async (key) => items.get(key),
      setItem: write,
      removeItem: async (key) => void items.delete(key),
      keys: async () => [...items.keys()],
    })
    const a = openTab({
      storage: storageOf(async (key, value) => {
        await untilWritten
        items.set(key, value)
      }),
    })
    const at = storageOf(async (key, value) => void items.set(key, value))
    const b = openTab({ storage: at })
    run(a)
    await browser.advance(1500)
    let write = () => {}
    untilWritten = new Promise((resolve) => {
      write = resolve
    })
    const cancelling = a.client.getToolCall(a.client.toolCallId('report', 'k'))?.cancel()
    await browser.advance(100)
    const later = { taskId: 'task-2', createdAt: '2026-07-28T00:01:00Z', lastUpdatedAt: '2026-07-28T00:01:00Z' }
    server.on('tools/call', created(later))
    server.on('tasks/get', (request) =>
      (request.params['taskId'] === 'task-2' ? snapshot(later) : snapshot({ taskId: 'task-1' }))(request),
    )
    const again = run(b, { repeat: 'always' })
    await browser.advance(500)
    write()
    await browser.advance(500)
    expect([...items.values()].join()).toContain('task-1')
    server.on('tasks/get', (request) =>
      (request.params['taskId'] === 'task-2' ? completed(later) : completed({ taskId: 'task-1' }))(request),
    )
    await browser.advance(5 * SECOND)
    expect(again.getState()).toMatchObject({ phase: 'completed', task: { taskId: 'task-2' } })
    await cancelling?.catch(() => {})
    const [resumed] = await Promise.all([openTab({ storage: at }).client.resumeToolCalls(), browser.advance(SECOND)])
    expect(resumed).toEqual([])
    const next = run(openTab({ storage: at }))
    await browser.advance(2 * SECOND)
    expect(next.getState()).toMatchObject({ phase: 'completed', task: { taskId: 'task-2' } })
    expect(calls()).toBe(2)
  })
})

describe('a call that runs, and that another tab makes anew', () => {
  // tab A  task 1 ········· clock set back by an hour ··········· told of task 2: follows it
  // tab B                                            task 2 ───── told of task 1, which was started later by that clock: stays
  it('[EDGE-53] is followed by both, where the clock was set back before and nobody can read the records', async () => {
    const at = (ms: number) => new Date(browser.now() + ms).toISOString()
    const times = { 'task-1': at(0), 'task-2': at(3 * SECOND) }
    const task = (taskId: 'task-1' | 'task-2') => ({ taskId, createdAt: times[taskId], lastUpdatedAt: times[taskId] })
    server.on('tools/call', created(task('task-1')), created(task('task-2')))
    server.on('tasks/get', (request) => snapshot(task(request.params['taskId'] as 'task-1'))(request))
    const storage = { ...memoryStorage(), getItem: () => Promise.reject(new Error('The database is closing')) }
    const [a, b] = [openTab({ storage }), openTab({ storage })]
    const first = run(a)
    await browser.advance(3 * SECOND)
    browser.setClock(-3600 * SECOND)
    const again = run(b, { repeat: 'always' })
    await browser.advance(10 * SECOND)
    expect(calls()).toBe(2)
    expect(again.getState().task?.taskId).toBe('task-2')
    expect(a.client.getToolCallState(first.callId)?.task?.taskId).toBe('task-2')
  })
})
