import 'fake-indexeddb/auto'
import { PageOutdatedError, type TaskClient, TaskConfigurationError, TaskExpiredError } from 'taskwire'
import { keptResults, type ResultItems } from 'taskwire/results'
import { createSimulatedBrowser, type SimulatedBrowser } from 'taskwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStorage } from '../src/core/storage/memoryStorage.js'
import { createTaskClient } from './support/anyClient.js'
import { PATIENCE } from './support/patience.js'
import {
  created,
  createScriptedServer,
  rpcError,
  type ScriptedServer,
  snapshot,
  unreachable,
} from './support/scriptedServer.js'

const SECOND = 1000
const HOUR = 3600 * SECOND
const REPORT = { name: 'report' }
const KEPT = { key: 'report-Q3', keepResult: true }
const UNKNOWN = rpcError(-32602, 'Unknown task')
const RESULT = { content: [{ type: 'text', text: '1,234' }] }

let browser: SimulatedBrowser
let server: ScriptedServer
let items: Map<string, string>
let errors: Error[]

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created({ ttlMs: HOUR }))
  server.on('tasks/get', snapshot({ status: 'completed', ttlMs: HOUR, result: RESULT }))
  items = new Map()
  errors = []
})

function itemsIn(map: Map<string, string>): ResultItems {
  return {
    get: async (name) => map.get(name),
    set: async (name, text) => void map.set(name, text),
    remove: async (names) => {
      for (const name of names) map.delete(name)
    },
    names: async () => [...map.keys()],
  }
}

function open(options: Partial<Parameters<typeof createTaskClient>[0]> = {}): TaskClient {
  return createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: browser.openPage().environment,
    results: keptResults({ items: itemsIn(items) }),
    onError: (error) => errors.push(error),
    push: false,
    ...options,
  } as Parameters<typeof createTaskClient>[0])
}

/** A visit in which the call is made and ends. */
async function visit(options: object = KEPT, client = open()): Promise<void> {
  const result = client.callTool(REPORT, options)
  await browser.advance(10 * SECOND)
  expect(await result).toMatchObject(RESULT)
  await client.close()
}

const count = (method: string) => server.received(method).length

describe('the result of a call that is made with keepResult', () => {
  it('is shown after the server has dropped the task, without a request for it', async () => {
    await visit()
    server.on('tasks/get', UNKNOWN)
    await browser.advance(2 * HOUR)
    const before = count('tasks/get')
    const client = open()
    const call = client.startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
    expect([count('tasks/get') - before, count('tools/call')]).toEqual([0, 1])
  })

  it('is that of a listed call, once somebody looks', async () => {
    await visit()
    server.on('tasks/get', UNKNOWN)
    await browser.advance(2 * HOUR)
    const client = open()
    await client.resumeToolCalls()
    const [listed] = Object.values(client.store.getState().calls)
    expect(listed?.phase).toBe('ended')
    const call = client.getToolCall(listed?.callId ?? '')
    await browser.advance(5 * SECOND)
    expect(await call?.result).toMatchObject(RESULT)
    expect(client.getToolCallState(listed?.callId ?? '')).toMatchObject({ phase: 'completed', result: RESULT })
  })

  it('is kept, too, where a later visit resumes the task by its id alone, and then sees it end', async () => {
    server.on('tasks/get', snapshot({ ttlMs: HOUR }))
    const first = open()
    first.resumeTask({ taskId: 'task-secret-1', name: 'report' }, { keepResult: true })
    await browser.advance(5 * SECOND)
    await first.close()
    server.on('tasks/get', snapshot({ status: 'completed', ttlMs: HOUR, result: RESULT }))
    const second = open()
    const call = second.resumeTask('task-secret-1')
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
    expect(items.size).toBe(1)
  })

  it('is shown where tabs share nothing, too', async () => {
    await visit(KEPT, open({ crossTab: false }))
    const before = count('tasks/get')
    const call = open({ crossTab: false }).startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
    expect(count('tasks/get') - before).toBe(0)
  })

  it('is shown where this page polls another task already', async () => {
    await visit(KEPT, open({ crossTab: false }))
    server.on('tools/call', created({ taskId: 'another-task' }))
    server.on('tasks/get', snapshot({ taskId: 'another-task' }))
    const client = open({ crossTab: false })
    await client.resumeToolCalls()
    const other = client.startToolCall({ name: 'other' })
    await browser.advance(5 * SECOND)
    const call = client.getToolCall(client.toolCallId('report', KEPT.key))
    await browser.advance(5 * SECOND)
    expect(await call?.result).toMatchObject(RESULT)
    expect(other.getState().phase).toBe('working')
  })

  it('is there where nothing can be reached', async () => {
    await visit()
    server.on('tasks/get', unreachable)
    const client = open()
    const call = client.startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
  })

  it('is that of another call of the same task, too, which is being polled in vain', async () => {
    await visit()
    await visit({ key: 'asked for by another name' })
    server.on('tasks/get', unreachable)
    const client = open()
    const other = client.startToolCall(REPORT, { key: 'asked for by another name' })
    await browser.advance(5 * SECOND)
    expect(other.getState().error).toBeUndefined()
    expect(other.getState().result).toBeUndefined()
    client.startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(other.getState()).toMatchObject({ phase: 'completed', result: RESULT })
    expect(await other.result).toMatchObject(RESULT)
  })

  it('is kept by the page that sees the end, where another visit has made the call', async () => {
    server.on('tasks/get', snapshot({ ttlMs: HOUR }))
    const first = open()
    first.startToolCall(REPORT, KEPT).result.catch(() => {})
    await browser.advance(3 * SECOND)
    await first.close()
    server.on('tasks/get', snapshot({ status: 'completed', ttlMs: HOUR, result: RESULT }))
    const second = open()
    await second.resumeToolCalls()
    await browser.advance(10 * SECOND)
    await second.close()
    server.on('tasks/get', UNKNOWN)
    await browser.advance(2 * HOUR)
    const call = open().startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
  })

  it('goes after a week with its record', async () => {
    await visit()
    expect(items.size).toBe(1)
    await browser.advance(8 * 24 * HOUR)
    await open().resumeToolCalls()
    await browser.advance(SECOND)
    expect(items.size).toBe(0)
  })

  describe('where each tab has records of its own', () => {
    const openTab = () => {
      const page = browser.openPage()
      return { page, client: open({ storage: 'session', environment: page.environment }) }
    }

    it.each([
      ['opens', async (client: TaskClient) => void (await client.resumeToolCalls())],
      ['makes a call with the same key', (client: TaskClient) => void client.startToolCall(REPORT, KEPT)],
    ])('stays while another tab %s', async (_, act) => {
      const { page, client } = openTab()
      await visit(KEPT, client)
      const other = { taskId: 'task-secret-2', ttlMs: HOUR }
      server.on('tools/call', created(other))
      server.on('tasks/get', snapshot({ ...other, status: 'completed', result: { content: [] } }))
      await act(openTab().client)
      await browser.advance(5 * SECOND)
      server.on('tasks/get', UNKNOWN)
      await browser.advance(2 * HOUR)
      const { environment } = await page.reload()
      const call = open({ storage: 'session', environment }).startToolCall(REPORT, KEPT)
      await browser.advance(5 * SECOND)
      expect(await call.result).toMatchObject(RESULT)
    })

    it('goes after a week, where its tab is closed', async () => {
      const { page, client } = openTab()
      await visit(KEPT, client)
      await page.close()
      await browser.advance(6 * 24 * HOUR)
      await openTab().client.resumeToolCalls()
      await browser.advance(SECOND)
      expect(items.size).toBe(1)
      await browser.advance(24 * HOUR)
      await openTab().client.resumeToolCalls()
      await browser.advance(SECOND)
      expect(items.size).toBe(0)
    })
  })

  it('goes when the call is forgotten, and when all of the scope are', async () => {
    await visit()
    const client = open()
    await client.forget({ callId: client.toolCallId('report', KEPT.key) })
    expect(items.size).toBe(0)
    await visit()
    await visit({ key: 'other', keepResult: true }, open({ scope: 'another account' }))
    expect(items.size).toBe(2)
    await open().forget()
    expect([...items.keys()]).toHaveLength(1)
  })

  it('goes when the call is made again', async () => {
    await visit()
    server.on('tools/call', created({ taskId: 'the-second-task', ttlMs: HOUR }))
    server.on('tasks/get', snapshot({ taskId: 'the-second-task', ttlMs: HOUR }))
    open()
      .startToolCall(REPORT, { ...KEPT, repeat: 'always' })
      .result.catch(() => {})
    await browser.advance(5 * SECOND)
    expect(items.size).toBe(0)
  })

  it('stays where a page that follows the earlier task of the key sees that end later', async () => {
    server.on('tasks/get', snapshot({ ttlMs: HOUR }))
    const earlier = open({ crossTab: false })
    const first = earlier.startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    server.on('tools/call', created({ taskId: 'the-second-task', ttlMs: HOUR }))
    const isEnded = { first: false }
    server.on('tasks/get', (request) => {
      const { taskId } = request.params
      const isSecond = taskId === 'the-second-task'
      if (!isSecond && !isEnded.first) return snapshot({ ttlMs: HOUR })(request)
      const text = isSecond ? '1,234' : 'of the earlier task'
      return snapshot({ taskId, status: 'completed', ttlMs: HOUR, result: { content: [{ type: 'text', text }] } })(
        request,
      )
    })
    const later = open({ crossTab: false })
    const second = later.startToolCall(REPORT, { ...KEPT, repeat: 'always' })
    await browser.advance(5 * SECOND)
    expect(await second.result).toMatchObject(RESULT)
    isEnded.first = true
    await browser.advance(5 * SECOND)
    await first.result
    server.on('tasks/get', UNKNOWN)
    await browser.advance(2 * HOUR)
    const call = open({ crossTab: false }).startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: RESULT })
  })

  it('stays where the call is not made again, since a later version of the app has recorded it', async () => {
    await visit()
    const { local } = browser.storage
    const key = local.key(0) ?? ''
    local.setItem(key, JSON.stringify({ ...JSON.parse(local.getItem(key) ?? ''), v: 2 }))
    const call = open().startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    await expect(call.result).rejects.toThrow(PageOutdatedError)
    expect(items.size).toBe(1)
  })

  it('is not kept without the option', async () => {
    await visit({ key: 'k' })
    expect(items.size).toBe(0)
  })

  it('is refused where nothing keeps results', () => {
    const client = open({ results: undefined as never })
    expect(() => client.startToolCall(REPORT, KEPT)).toThrow(TaskConfigurationError)
    expect(() => client.startToolCall(REPORT, KEPT)).toThrow(/results: keptResults\(\)/)
  })

  it('is not kept where it is larger than allowed, which is reported, and the call has its result', async () => {
    await visit({ key: 'k', keepResult: { maxBytes: 50 } })
    expect(items.size).toBe(0)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^A kept result could not be written: it has \d+ bytes, and keepResult allows 50\./),
    ])
  })

  it('makes room for itself: the oldest go', async () => {
    const results = keptResults({ items: itemsIn(items), maxBytes: 1200 })
    for (let at = 1; at <= 20; at++) {
      server.on('tools/call', created({ taskId: `task-${at}`, ttlMs: HOUR }))
      server.on('tasks/get', snapshot({ taskId: `task-${at}`, status: 'completed', ttlMs: HOUR, result: RESULT }))
      await visit({ key: `k${at}`, keepResult: true }, open({ results }))
    }
    const sizes = [...items.values()].map((text) => new TextEncoder().encode(text).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1200)
    const client = open()
    expect([...items.keys()].at(-1)).toContain(client.toolCallId('report', 'k20'))
    expect([...items.keys()].join()).not.toContain(client.toolCallId('report', 'k1'))
  })

  it.each([
    ['no JSON', () => 'no JSON'],
    ['of another shape', () => '{"at":1,"task":{"status":"completed"}}'],
    ['of another status', (text: string) => text.replace('"completed"', '"working"')],
  ])('is asked for where what is kept is %s', async (_, mangle) => {
    await visit()
    for (const [name, text] of items) items.set(name, mangle(text))
    const call = open().startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
  })

  it('is asked for where it cannot be read, and what has failed is reported', async () => {
    await visit()
    const broken = {
      ...itemsIn(items),
      names: () => Promise.reject(new Error('The database is broken')),
    }
    const call = open({ results: keptResults({ items: broken }) }).startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
    expect(errors.map(({ message }) => message)).toContain('A kept result could not be read: The database is broken')
  })

  it('is asked for where the storage does not answer, and can be forgotten', async () => {
    await visit()
    const silent = { ...itemsIn(items), names: () => new Promise<never>(() => {}) }
    const client = open({ results: keptResults({ items: silent }) })
    const call = client.startToolCall(REPORT, KEPT)
    await browser.advance(20 * SECOND)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: RESULT })
    let isForgotten = false
    void client.forget().then(() => {
      isForgotten = true
    })
    await browser.advance(20 * SECOND)
    expect(isForgotten).toBe(true)
    expect(errors.map(({ message }) => message)).toContain(
      'A kept result could not be read: it did not answer within 5 s.',
    )
  })

  it('stays where the storage of the records does not say what it has', async () => {
    const records = memoryStorage()
    await visit(KEPT, open({ storage: records }))
    const broken = { ...records, keys: () => Promise.reject(new Error('The database is closing')) }
    await open({ storage: broken }).resumeToolCalls()
    await browser.advance(SECOND)
    server.on('tasks/get', UNKNOWN)
    const call = open({ storage: records }).startToolCall(REPORT, KEPT)
    await browser.advance(5 * SECOND)
    expect(await call.result).toMatchObject(RESULT)
  })

  it('ends as before where neither the server nor the storage has it', async () => {
    await visit()
    items.clear()
    server.on('tasks/get', UNKNOWN)
    await browser.advance(2 * HOUR)
    const call = open().startToolCall(REPORT, KEPT)
    const outcome = expect(call.result).rejects.toBeInstanceOf(TaskExpiredError)
    await browser.advance(5 * SECOND)
    await outcome
  })
})

it('keeps results in IndexedDB, where no other place is named', async () => {
  const results = keptResults()
  await visit(KEPT, open({ results }))
  const idb = await import('idb-keyval')
  const store = idb.createStore('taskwire-results', 'results')
  await vi.waitFor(async () => expect(await idb.keys(store)).toHaveLength(1), PATIENCE)
  expect(JSON.stringify(await idb.values(store))).toContain('1,234')
  await open({ results }).forget()
  expect(await idb.keys(store)).toEqual([])
})

describe('where there is no IndexedDB', () => {
  const { indexedDB } = globalThis

  beforeEach(() => void Reflect.deleteProperty(globalThis, 'indexedDB'))
  afterEach(() => void Object.assign(globalThis, { indexedDB }))

  it('nothing is kept, and nothing is reported while nothing is to be', async () => {
    const client = open({ results: keptResults() })
    await visit({ key: 'k' }, client)
    const later = open({ results: keptResults() })
    await Promise.all([later.resumeToolCalls(), browser.advance(5 * SECOND)])
    await Promise.all([later.forget(), browser.advance(5 * SECOND)])
    expect(errors).toEqual([])
  })

  it('a result that is to be kept is not, which is reported, and the call has its result', async () => {
    await visit(KEPT, open({ results: keptResults() }))
    expect(errors.map(({ message }) => message)).toEqual([
      'A kept result could not be written: indexedDB is not defined',
    ])
  })
})
