import type { TaskClient, TaskClientUrlOptions } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { asynchronous } from '../support/asynchronousStorage.js'
import { storageOver } from '../support/storageOver.js'
import { createWorkServer } from '../support/workServer.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const WORK = { name: 'work', arguments: { seconds: 2, quiet: true } }
const LONG = { name: 'work', arguments: { seconds: 3600, quiet: true } }
const ECHO = { name: 'echo', arguments: { text: 'hi' } }

let server: TestServer

beforeEach(() => {
  server = createWorkServer({ defaultTtlMs: 10 * MINUTE, maxTtlMs: DAY })
})

function openTab(options: Partial<TaskClientUrlOptions> = {}): { page: SimulatedPage; client: TaskClient } {
  const page = server.browser.openPage()
  return { page, client: createTaskClient({ url: server.url, environment: page.environment, ...options }) }
}

const keys = (): string[] => {
  const { local } = server.browser.storage
  return Array.from({ length: local.length }, (_, index) => local.key(index) ?? '')
}
const texts = (): string[] => keys().map((key) => server.browser.storage.local.getItem(key) ?? '')
const records = () => texts().map((text) => JSON.parse(text))
const characters = () => [...keys(), ...texts()].reduce((sum, text) => sum + text.length, 0)

/** Fills the storage with copies of the one record that is there, each of a call of its own. */
function multiply(count: number, change: (record: ReturnType<typeof records>[number], index: number) => void): void {
  const [key = ''] = keys()
  const text = server.browser.storage.local.getItem(key) ?? ''
  for (let index = 0; index < count; index++) {
    const record = JSON.parse(text)
    record.callId = `copy-${index}`
    change(record, index)
    server.browser.storage.local.setItem(key.replace(/[^:]*$/, record.callId), JSON.stringify(record))
  }
}

/** A page with the record of one call that has ended. */
async function withEndedCall(): Promise<TaskClient> {
  const { client } = openTab()
  client.startToolCall(WORK, { key: 'first' })
  await server.advance(5 * SECOND)
  expect(records()).toMatchObject([{ key: 'first', task: { status: 'completed' } }])
  return client
}

describe('the record of a call without a key', () => {
  it.each([
    ['completed', 'success'],
    ['failed', 'failure'],
  ])('[EDGE-04] goes when its task has %s', async (phase, outcome) => {
    const { client } = openTab()
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 2, outcome } })
    call.result.catch(() => {})
    await server.advance(SECOND)
    expect(keys()).toHaveLength(1)
    await server.advance(5 * SECOND)
    expect(call.getState().phase).toBe(phase)
    expect(keys()).toEqual([])
  })

  it('[EDGE-04] goes when its task was cancelled', async () => {
    const { client } = openTab()
    const call = client.startToolCall(LONG)
    call.result.catch(() => {})
    await server.advance(SECOND)
    await call.cancel()
    await server.advance(5 * SECOND)
    expect(call.getState().phase).toBe('cancelled')
    expect(keys()).toEqual([])
  })

  it('[EDGE-04] goes from a storage that answers by promises, too', async () => {
    const items = new Map<string, string>()
    const storage = asynchronous(storageOver(items))
    const { client } = openTab({ storage })
    const call = client.startToolCall(WORK)
    await server.advance(SECOND)
    expect(items.size).toBe(1)
    await server.advance(5 * SECOND)
    await call.result
    expect(items.size).toBe(0)
  })

  it('[EDGE-04] goes with several tabs that follow it', async () => {
    const [a, b] = [openTab(), openTab()]
    await b.client.resumeToolCalls()
    const call = a.client.startToolCall(WORK)
    await server.advance(5 * SECOND)
    await call.result
    expect(b.client.store.getState().calls[call.callId]?.phase).toBe('completed')
    expect(keys()).toEqual([])
  })

  it('[EDGE-04] stays for the page that made the call while that is in the back-forward cache', async () => {
    const [a, b] = [openTab(), openTab()]
    await b.client.resumeToolCalls()
    const call = a.client.startToolCall(WORK)
    await server.advance(SECOND)
    await a.page.hidePage()
    a.page.freeze()
    await server.advance(5 * MINUTE)
    expect(b.client.store.getState().calls[call.callId]?.phase).toBe('completed')
    await a.page.thaw()
    await a.page.showPage()
    await server.advance(5 * SECOND)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { seconds: 2 } })
    expect(keys()).toEqual([])
  })

  it('[EDGE-04] stays while the outcome is not known, and is taken up by the next page', async () => {
    const { page, client } = openTab()
    client.startToolCall(WORK)
    await server.advance(SECOND)
    await page.close()
    await server.advance(5 * SECOND)
    const next = openTab().client
    await next.resumeToolCalls()
    await server.advance(SECOND)
    expect(Object.values(next.store.getState().calls)).toMatchObject([{ phase: 'completed' }])
    expect(server.count('tools/call')).toBe(1)
  })

  it('[EDGE-04] leaves no trace of 100 calls', async () => {
    const { client } = openTab()
    const calls = Array.from({ length: 100 }, () => client.callTool(WORK))
    await server.advance(10 * SECOND)
    await Promise.all(calls)
    expect(keys()).toEqual([])
  })
})

describe('the record of a call with a key', () => {
  it('[EDGE-04] is removed once it is past its ttl, while the page lives', async () => {
    const client = await withEndedCall()
    await server.advance(9 * MINUTE)
    await client.callTool(ECHO)
    await server.advance(SECOND)
    expect(records()).toMatchObject([{ key: 'first' }])
    await server.advance(2 * MINUTE)
    await client.callTool(ECHO)
    await server.advance(SECOND)
    expect(keys()).toEqual([])
  })

  it("[EDGE-04] is removed at its ttl in a page with resume: 'lazy', too", async () => {
    const { client } = openTab({ resume: 'lazy' })
    const call = client.startToolCall(WORK, { key: 'first' })
    await server.advance(5 * SECOND)
    await call.result
    await server.advance(11 * MINUTE)
    await client.callTool(ECHO)
    await server.advance(SECOND)
    expect(keys()).toEqual([])
  })

  it('[EDGE-04] is removed without a timer: a page at rest has none', async () => {
    const { page, client } = openTab()
    const call = client.startToolCall(WORK, { key: 'first' })
    await server.advance(5 * SECOND)
    await call.result
    expect(keys()).toHaveLength(1)
    expect(page.timers()).toBe(0)
  })

  it('[EDGE-04] still leads to the outcome after a reload', async () => {
    await withEndedCall()
    const again = openTab().client.startToolCall(WORK, { key: 'first' })
    await server.advance(SECOND)
    await expect(again.result).resolves.toBeDefined()
    expect(server.count('tools/call')).toBe(1)
  })
})

describe('a storage with the records of 11,000 calls', () => {
  it('[EDGE-04] is cut to 1,000 of them with the next call, the oldest going first', async () => {
    const client = await withEndedCall()
    multiply(11_000, (record, index) => {
      record.task.notedAt = server.browser.now() - index
    })
    await server.advance(MINUTE)
    await client.callTool(ECHO)
    await server.advance(SECOND)
    expect(keys()).toHaveLength(1000)
    const left = new Set(records().map(({ callId }) => callId))
    expect(left).toContain('copy-0')
    expect(left).toContain('copy-900')
    expect(left).not.toContain('copy-1001')
  })

  it('[EDGE-04] is cut when a page resumes its tasks', async () => {
    await withEndedCall()
    multiply(3000, () => {})
    const { client } = openTab()
    await Promise.all([client.resumeToolCalls(), server.advance(SECOND)])
    expect(keys()).toHaveLength(1000)
  })

  it('[EDGE-04] does not hold up the first poll of the task that runs', async () => {
    const client = await withEndedCall()
    multiply(900, () => {})
    const { callId } = client.startToolCall(LONG, { key: 'runs' })
    await server.advance(SECOND)
    await client.close()
    await server.advance(MINUTE)
    const polls = server.count('tasks/get')
    const next = openTab().client
    const resumed = next.resumeToolCalls()
    await server.browser.settle()
    expect(server.count('tasks/get')).toBe(polls + 1)
    expect(Object.keys(next.store.getState().calls)).toEqual([callId])
    await server.advance(SECOND)
    expect((await resumed).map((call) => call.callId)).toEqual([callId])
    expect(Object.keys(next.store.getState().calls)).toHaveLength(201)
  })

  it('[EDGE-04] is cut by size: what a server makes large does not fill it', async () => {
    const client = await withEndedCall()
    multiply(100, (record) => {
      record.task.answered = ['x'.repeat(50_000)]
    })
    expect(characters()).toBeGreaterThan(5_000_000)
    await server.advance(MINUTE)
    await client.callTool(ECHO)
    await server.advance(SECOND)
    expect(characters()).toBeLessThan(1_100_000)
    expect(keys().length).toBeGreaterThan(10)
  })

  it('[EDGE-04] keeps every task at work and every call without a response, whatever their number', async () => {
    const client = await withEndedCall()
    multiply(1200, (record, index) => {
      if (index % 2 === 0) record.task.status = 'working'
      else delete record.task
    })
    multiply(2400, (record, index) => {
      if (index >= 1200) record.task.notedAt = 0
      else if (index % 2 === 0) record.task.status = 'working'
      else delete record.task
    })
    await server.advance(MINUTE)
    await client.callTool(ECHO)
    await server.advance(SECOND)
    const left = records()
    expect(left).toHaveLength(1200)
    expect(left.every(({ task }) => task?.status !== 'completed')).toBe(true)
  })
})

it('[EDGE-04] a page that makes call after call with keys keeps a bounded number of records', async () => {
  const client = await withEndedCall()
  multiply(980, () => {})
  for (let batch = 0; batch < 4; batch++) {
    const calls = Array.from({ length: 30 }, (_, index) => client.callTool(WORK, { key: `${batch}-${index}` }))
    await server.advance(MINUTE)
    await Promise.all(calls)
  }
  expect(keys().length).toBeLessThanOrEqual(1060)
  expect(records().map(({ key }) => key)).toContain('3-29')
})

it('[EDGE-04] a page that makes hundreds of calls within a minute sweeps meanwhile', async () => {
  const client = await withEndedCall()
  multiply(2000, () => {})
  const calls = Array.from({ length: 200 }, () => client.callTool(ECHO))
  await server.advance(SECOND)
  await Promise.all(calls)
  expect(keys().length).toBeLessThanOrEqual(1000)
})

it('[EDGE-04] a storage that has no room for a record is swept, so that it has for the next', async () => {
  await withEndedCall()
  multiply(1200, () => {})
  const { local } = server.browser.storage
  const page = server.browser.openPage()
  const storage = {
    getItem: (key: string) => local.getItem(key),
    setItem: (key: string, value: string) => {
      if (local.length > 1100) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      local.setItem(key, value)
    },
    removeItem: (key: string) => local.removeItem(key),
    keys,
  }
  const client = createTaskClient({ url: server.url, environment: page.environment, storage, onError: () => {} })
  client.startToolCall(LONG, { key: 'refused' })
  await server.advance(SECOND)
  client.startToolCall(LONG, { key: 'next' })
  await server.advance(SECOND)
  expect(records().map(({ key }) => key)).toContain('next')
})

it('[EDGE-04] what is past its use goes whatever scope it is of, and no more than that', async () => {
  const ann = openTab({ scope: 'ann' })
  ann.client.startToolCall(WORK, { key: 'ended' })
  ann.client.startToolCall(LONG, { key: 'at work' })
  await server.advance(5 * SECOND)
  await ann.page.close()
  await server.advance(DAY)
  const bob = openTab({ scope: 'bob' })
  expect(records().map(({ key }) => key)).toEqual(['ended', 'at work'])
  await Promise.all([bob.client.callTool(ECHO), server.advance(SECOND)])
  expect(records().map(({ key }) => key)).toEqual(['at work'])
})

it('[EDGE-04] a call does not read the whole storage: 50 in a row list it once or twice', async () => {
  let lists = 0
  const items = new Map<string, string>()
  const storage = {
    getItem: (key: string) => items.get(key),
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    keys: () => {
      lists += 1
      return [...items.keys()]
    },
  }
  const { client } = openTab({ storage })
  for (let index = 0; index < 50; index++) {
    const call = client.callTool(ECHO, { key: `k${index}` })
    await server.advance(0)
    await call
  }
  expect(lists).toBeGreaterThan(0)
  expect(lists).toBeLessThanOrEqual(2)
})

it('[EDGE-04] a storage of the app may have the records of all users: a call reads those of its own scope alone', async () => {
  const items = new Map<string, string>()
  const asked: string[] = []
  const storage = {
    getItem: async (key: string) => {
      asked.push(key)
      return items.get(key)
    },
    setItem: async (key: string, value: string) => void items.set(key, value),
    removeItem: async (key: string) => void items.delete(key),
    keys: async (prefix = '') => {
      asked.push(prefix)
      return [...items.keys()].filter((key) => key.startsWith(prefix))
    },
  }
  const ann = openTab({ storage, scope: 'ann' })
  ann.client.startToolCall(LONG, { key: 'k' })
  await server.advance(SECOND)
  const [other = ''] = items.keys()
  asked.length = 0
  const bob = openTab({ storage, scope: 'bob' })
  bob.client.startToolCall(LONG, { key: 'k' })
  await server.advance(SECOND)
  expect(asked.filter((key) => other.startsWith(key))).toEqual([])
  expect(asked.length).toBeGreaterThan(0)
})

it('[EDGE-04] records of other pages and other apps on the origin are left alone', async () => {
  const { local } = server.browser.storage
  for (let index = 0; index < 1500; index++) local.setItem(`taskwire:1:${'0'.repeat(28)}:${index}`, 'x')
  for (let index = 0; index < 1500; index++) local.setItem(`theirs:${index}`, 'x')
  const { client } = openTab()
  client.startToolCall(LONG, { key: 'k' })
  await server.advance(SECOND)
  expect(keys()).toHaveLength(3001)
})

it('[EDGE-04] a task that a page resumes by its id keeps its record until its ttl', async () => {
  server = createWorkServer({ defaultTtlMs: 10 * MINUTE })
  const { client } = openTab()
  const [raw] = await Promise.all([client.callToolRaw(WORK), server.advance(0)])
  if (raw.type !== 'task') throw new Error('expected a task')
  const call = client.resumeTask(raw.task.taskId)
  await server.advance(5 * SECOND)
  await call.result
  expect(keys()).toHaveLength(1)
})
