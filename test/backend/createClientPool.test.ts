import { TaskConfigurationError } from 'taskwire'
import { type ClientPoolOptions, createClientPool } from 'taskwire/backend'
import { createTaskClient as createPageClient } from 'taskwire/bridge'
import { createTaskBridge } from 'taskwire/bridge/server'
import { expect, it, vi } from 'vitest'
import { asynchronous } from '../support/asynchronousStorage.js'
import { storageOver } from '../support/storageOver.js'
import { createWorkServer } from '../support/workServer.js'

const IDLE_MS = 60_000
const WORK = { name: 'work', arguments: { seconds: 300 } }

function setUp(options: Partial<ClientPoolOptions> = {}) {
  const server = createWorkServer({ browser: { turns: 60 } })
  const machine = server.browser.openPage()
  const { environment } = machine
  const items = new Map<string, string>()
  const storage = storageOver(items)
  const create = vi.fn((_userId: string) => ({ url: server.url, storage: asynchronous(storage), environment }))
  const openPool = () => createClientPool({ create, idleMs: IDLE_MS, environment, ...options })
  return { server, create, items, openPool, pool: openPool(), environment, machine }
}

it('makes the client of a user when it is asked for, and returns the same one to all requests of the user', () => {
  const { pool, create } = setUp()
  expect(pool.size).toBe(0)
  const ada = pool.get('ada')
  expect(pool.get('ada')).toBe(ada)
  expect(pool.get('eve')).not.toBe(ada)
  expect(create.mock.calls).toEqual([['ada'], ['eve']])
  expect(pool.size).toBe(2)
})

it('keeps the calls of users apart', async () => {
  const { pool, server } = setUp()
  const [ada, eve] = [pool.get('ada'), pool.get('eve')]
  const { callId } = ada.startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  expect(ada.id).not.toBe(eve.id)
  expect(eve.getToolCall(callId)).toBeUndefined()
  expect(await eve.resumeToolCalls()).toEqual([])
  expect(eve.toolCallId('work', 'k')).not.toBe(callId)
})

it('closes a client that was not used for a while, and keeps one that is', async () => {
  const { pool, server, machine } = setUp()
  const [ada, eve] = [pool.get('ada'), pool.get('eve')]
  await server.advance(IDLE_MS - 1000)
  pool.get('eve')
  await server.advance(1000)
  expect(pool.size).toBe(1)
  expect(ada.store.getState().connection.status).toBe('closed')
  expect(pool.get('eve')).toBe(eve)
  await server.advance(IDLE_MS)
  expect(pool.size).toBe(0)
  expect(machine.timers()).toBe(0)
})

it('keeps a client with a call that runs, and closes it at most twice the time after its end', async () => {
  const { pool, server } = setUp()
  const client = pool.get('ada')
  const { result } = client.startToolCall(WORK)
  await server.advance(300_000 - IDLE_MS / 2)
  expect(pool.size).toBe(1)
  await server.advance(IDLE_MS)
  expect(await result).toMatchObject({ structuredContent: { seconds: 300 } })
  expect(pool.get('ada')).toBe(client)
  await server.advance(2 * IDLE_MS)
  expect(pool.size).toBe(0)
})

it('the next client of a user has the outcome of the calls before, and resumes those of a process that was killed', async () => {
  const { pool, server, openPool } = setUp()
  const ended = pool.get('ada').startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'ended' })
  await server.advance(10_000 + 2 * IDLE_MS)
  expect(pool.size).toBe(0)
  pool.get('ada').startToolCall(WORK, { key: 'running' })
  await server.advance(1500)
  // Another process, since the first one does nothing more.
  const next = openPool().get('ada')
  await server.advance(1500)
  const oldestFirst = Object.values(next.store.getState().calls).sort((a, b) => a.startedAt - b.startedAt)
  expect(oldestFirst.map(({ key, phase }) => `${key} ${phase}`)).toEqual(['ended ended', 'running working'])
  expect(await Promise.all([next.getToolCall(ended.callId)?.result, server.advance(1000)])).toMatchObject([
    { structuredContent: { seconds: 1 } },
    undefined,
  ])
  expect(server.count('tools/call')).toBe(2)
})

it('keeps a client whose calls a page watches', async () => {
  const { pool, server, environment } = setUp()
  const bridge = createTaskBridge({ clientOf: () => pool.get('ada'), allow: () => true, environment })
  const page = server.browser.openPage()
  const fetch = (url: string | URL, init?: RequestInit) =>
    bridge.fetch(new Request(new URL(url, 'http://localhost'), init))
  const client = createPageClient({ url: '/api/calls', environment: page.environment, fetch })
  await Promise.all([client.connect(), server.advance(1000)])
  const kept = pool.get('ada')
  await server.advance(10 * IDLE_MS)
  expect(pool.get('ada')).toBe(kept)
  await client.close()
  await server.advance(IDLE_MS + 1000)
  expect(pool.size).toBe(0)
})

it('a page keeps its call when another process has made it, also where the clocks of the two differ', async () => {
  const { server, create, environment } = setUp()
  const slow = { ...environment, now: () => environment.now() - 5000 }
  const [a, b] = [slow, server.browser.openPage().environment].map((own) =>
    createClientPool({ create: (userId) => ({ ...create(userId), environment: own }), environment: own }),
  )
  const bridge = createTaskBridge({ clientOf: () => a?.get('ada'), allow: () => true, environment })
  const fetch = (url: string | URL, init?: RequestInit) =>
    bridge.fetch(new Request(new URL(url, 'http://localhost'), init))
  const page = createPageClient({ url: '/api/calls', environment: server.browser.openPage().environment, fetch })
  await Promise.all([page.connect(), server.advance(500)])
  server.faults.delay(1000)
  b?.get('ada').startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
  const call = page.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
  await server.advance(500)
  expect(call.getState().phase).toBe('calling')
  await server.advance(20_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 3 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a clock that is set back keeps no client for as long', async () => {
  const { pool, server } = setUp()
  pool.get('ada')
  server.browser.setClock(-24 * IDLE_MS)
  await server.advance(2 * IDLE_MS)
  expect(pool.size).toBe(0)
})

it('calls onCreate with each client, so that the backend knows the end of calls', async () => {
  const settled: string[] = []
  const { pool, server } = setUp({
    onCreate: (client, userId) => {
      client.onToolCallSettled(({ phase }) => settled.push(`${userId} ${phase}`))
    },
  })
  pool.get('ada').startToolCall({ name: 'work', arguments: { seconds: 1 } })
  await server.advance(5000)
  expect(settled).toEqual(['ada completed'])
})

it('close() closes every client when its records are written, and no other one is made', async () => {
  const { pool, server, items, machine } = setUp()
  const [ada, eve] = [pool.get('ada'), pool.get('eve')]
  ada.startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  await Promise.all([pool.close(), server.advance(100)])
  expect([ada, eve].map(({ store }) => store.getState().connection.status)).toEqual(['closed', 'closed'])
  expect([...items.values()].join()).toContain('"tool":"work"')
  expect(pool.size).toBe(0)
  expect(() => pool.get('ada')).toThrow(/This pool of clients is closed/)
  expect(machine.timers()).toBe(0)
})

it.for([
  [undefined, /pass create: \(userId\) => \(\{ url, storage \}\)/],
  [{ create: {} }, /pass create/],
  [{ create: () => ({}), idleMs: 0 }, /idleMs is 0; it must be a number above 0/],
  [{ create: () => ({}), idleMs: Number.POSITIVE_INFINITY }, /idleMs is Infinity/],
  [{ create: () => ({}), onCreate: 'x' }, /onCreate is 'x'; it must be a function/],
  [{ create: () => ({}), idle: 5 }, /no option idle\. Did you mean idleMs/],
] as const)('refuses options that cannot work: %o', ([options, message]) => {
  expect(() => createClientPool(options as never)).toThrow(TaskConfigurationError)
  expect(() => createClientPool(options as never)).toThrow(message)
})

const WRONG: [create: () => unknown, message: RegExp][] = [
  [() => Promise.resolve({ url: 'http://localhost/mcp', storage: 'memory' }), /and no promise/],
  [() => undefined, /must return the options of createTaskClient/],
  [() => ({ url: 'http://localhost/mcp', storage: 'memory', scope: 'app' }), /returned a scope. Leave it out/],
  [() => ({ url: 'http://localhost/mcp' }), /returned no storage/],
  [() => ({ storage: 'memory' }), /createTaskClient needs a server/],
]

it.for(WRONG)('refuses what `create` must not return: %o', ([create, message]) => {
  const pool = createClientPool({ create: create as never })
  expect(() => pool.get('ada')).toThrow(TaskConfigurationError)
  expect(() => pool.get('ada')).toThrow(message)
  expect(pool.size).toBe(0)
})

it.for([undefined, '', 7])('refuses %o as the id of a user', (userId) => {
  expect(() => setUp().pool.get(userId as never)).toThrow(
    /The id of a user is .*; it must be a string that is not empty/,
  )
})

it('reports what a promise of onCreate rejects with, and keeps the client', async () => {
  const onError = vi.fn()
  const { pool, server } = setUp({
    onCreate: async () => {
      throw new Error('The profile of the user was not found.')
    },
    onError,
  })
  const ada = pool.get('ada')
  await server.advance(0)
  expect(onError.mock.calls).toEqual([[new Error('The profile of the user was not found.'), 'ada']])
  expect(pool.get('ada')).toBe(ada)
})
