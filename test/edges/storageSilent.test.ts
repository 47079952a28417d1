import type { TaskClient, TaskErrorContext, TaskStorage, ToolCallOptions } from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

const SECOND = 1000
const METHODS = ['getItem', 'setItem', 'removeItem', 'keys'] as const
type Method = (typeof METHODS)[number]

let page: SimulatedEnvironment
let server: ScriptedServer
let errors: { error: Error; context: TaskErrorContext }[]
/** The methods that do not answer, as an IndexedDB request that hangs. */
let silent: Set<Method>
let items: Map<string, string>

beforeEach(() => {
  page = createSimulatedEnvironment()
  server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  server.on('tasks/cancel', ack)
  errors = []
  silent = new Set()
  items = new Map()
})

/** A storage that answers later, or never. */
function storage(): TaskStorage {
  const answer = async <T>(method: Method, action: () => T): Promise<T> =>
    silent.has(method) ? new Promise<never>(() => {}) : action()
  return {
    getItem: (key) => answer('getItem', () => items.get(key)),
    setItem: (key, value) => answer('setItem', () => void items.set(key, value)),
    removeItem: (key) => answer('removeItem', () => void items.delete(key)),
    keys: () => answer('keys', () => [...items.keys()]),
  }
}

function open(): TaskClient {
  return createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    storage: storage(),
    push: false,
    onError: (error, context) => errors.push({ error, context }),
  })
}

/** Whether a promise has settled by now. */
function settled(promise: Promise<unknown>): () => boolean {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  return () => isSettled
}

const storageErrors = () => errors.filter(({ error }) => error.name === 'TaskStorageError')

describe.each([...METHODS, 'everything'] as const)('a storage of which %s never answers', (what) => {
  const silence = () => {
    silent = new Set(what === 'everything' ? METHODS : [what])
  }

  const itCalls = (title: string, options: ToolCallOptions) =>
    it(title, async () => {
      silence()
      const call = open().startToolCall({ name: 'report' }, options)
      await page.advance(30 * SECOND)
      expect(server.received('tools/call')).toHaveLength(1)
      expect(server.received('tasks/get').length).toBeGreaterThan(5)
      server.on('tasks/get', completed())
      await page.advance(30 * SECOND)
      expect(call.getState().phase).toBe('completed')
      await expect(call.result).resolves.toBeDefined()
    })

  itCalls('[EDGE-36] does not keep a call without a key from its result', {})
  itCalls('[EDGE-36] does not keep a call with a key from its result', { key: 'k' })

  it('[EDGE-36] that falls silent while a task runs changes nothing in its polls', async () => {
    const call = open().startToolCall({ name: 'report' }, { key: 'k' })
    await page.advance(5500)
    expect(server.received('tasks/get')).toHaveLength(5)
    silence()
    await page.advance(5 * SECOND)
    expect(server.received('tasks/get')).toHaveLength(10)
    const cancelled = call.cancel()
    await Promise.all([cancelled, page.advance(10 * SECOND)])
    expect(server.received('tasks/cancel')).toHaveLength(1)
    server.on('tasks/get', completed())
    await page.advance(20 * SECOND)
    expect(call.getState().phase).toBe('completed')
  })

  it('[EDGE-36] does not keep close() and forget() from resolving', async () => {
    const client = open()
    client.startToolCall({ name: 'report' }, { key: 'a' })
    const { callId } = client.startToolCall({ name: 'report' }, { key: 'b' })
    await page.advance(3 * SECOND)
    silence()
    const forgotten = settled(client.forget({ callId }))
    const forgottenAll = settled(client.forget({ scope: 'other' }))
    await page.advance(15 * SECOND)
    expect([forgotten(), forgottenAll()]).toEqual([true, true])
    const closed = settled(client.close())
    await page.advance(15 * SECOND)
    expect(closed()).toBe(true)
  })

  it('[EDGE-36] keeps close() from resolving for its limit, not for that of each write that stands in line', async () => {
    server.on('tools/call', async (request) => {
      await new Promise((resolve) => page.environment.setTimeout(() => resolve(undefined), 100))
      return created()(request)
    })
    const client = open()
    client.startToolCall({ name: 'report' }, { key: 'a' })
    await page.advance(50)
    expect(server.received('tools/call')).toHaveLength(1)
    silence()
    await page.advance(50)
    const closed = settled(client.close())
    await page.advance(5 * SECOND)
    expect(closed()).toBe(true)
  })
})

describe.each(['getItem', 'setItem', 'keys'] as const)('a storage of which %s never answers', (method) => {
  it('[EDGE-36] is reported within ten seconds as a TaskStorageError that says so', async () => {
    silent = new Set([method])
    const client = open()
    client.startToolCall({ name: 'report' }, { key: 'k' })
    const resumed = settled(client.resumeToolCalls())
    await page.advance(10 * SECOND)
    expect(storageErrors()[0]).toMatchObject({
      error: { name: 'TaskStorageError', message: expect.stringMatching(/did not answer within \d+ s/) },
      context: { operation: 'storage' },
    })
    await page.advance(10 * SECOND)
    expect(resumed()).toBe(true)
  })
})

it('[EDGE-36] a storage that answers late, but within the limit, is waited for: the record is there before the call', async () => {
  const slow = storage()
  const setItem: TaskStorage['setItem'] = (key, value) =>
    new Promise((resolve) => page.environment.setTimeout(() => resolve(slow.setItem(key, value)), 2 * SECOND))
  const client = createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    storage: { ...slow, setItem },
    push: false,
    onError: (error, context) => errors.push({ error, context }),
  })
  client.startToolCall({ name: 'report' }, { key: 'k' })
  await page.advance(1900)
  expect(server.received('tools/call')).toHaveLength(0)
  await page.advance(200)
  expect(server.received('tools/call')).toHaveLength(1)
  expect(items.size).toBe(1)
  expect(storageErrors()).toEqual([])
})
