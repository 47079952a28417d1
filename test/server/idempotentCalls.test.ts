import { inputRequired } from '@modelcontextprotocol/server'
import {
  createTaskServer,
  createTaskWorker,
  defineTool,
  type TaskStore,
  type ToolContext,
  type ToolDefinition,
} from 'taskwire/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { type Json, type RpcOptions, readResponse, rpcRequest } from './support/rpc.js'
import { startServer, type TestServerOptions } from './support/serverUnderTest.js'
import { SharedStore, SilentStore } from './support/silentStore.js'
import { failing, greet, slow, text } from './support/tools.js'

const KEY = 'f81d4fae7dec11d0a76500a0c91e6bf6'
const META = 'dev.taskwire/idempotencyKey'
const EXTENSION = 'dev.taskwire/idempotent-calls'
const CONFLICT = { code: -32602, data: { reason: 'idempotency-key-of-another-call' } }
const NO_TASKS = { capabilities: {} }
const LEASE_MS = 3000

const keyed = (options: RpcOptions = {}, key: unknown = KEY): RpcOptions => ({ ...options, meta: { [META]: key } })

/** A tool that says how often it ran, and takes so many ms. */
function countingTool(changes: Partial<ToolDefinition> = {}) {
  const runs = vi.fn()
  const tool = defineTool({
    name: 'count',
    inputSchema: z.object({ ms: z.number().default(0), of: z.unknown().optional() }),
    taskSupport: 'optional',
    async handler({ ms }, { sleep }) {
      runs()
      if (ms > 0) await sleep(ms)
      return text(`run ${runs.mock.calls.length}`)
    },
    ...(changes as object),
  })
  return { tool, runs }
}

/** Hashes are made on another thread. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle()
}

const forbidden = { taskSupport: 'forbidden' } as const

/** Processes of one server over one store. */
function startTwo(
  tools: ToolDefinition[],
  options: Partial<TestServerOptions> = {},
  store: TaskStore = new SharedStore(),
) {
  const clock = createManualClock()
  const start = () => startServer({ clock, tools, leaseMs: LEASE_MS, store, ...options })
  return { clock, first: start(), second: start() }
}

describe('the extension for idempotent calls', () => {
  it('is listed with how long calls are remembered: the shortest ttl of a tool', async () => {
    const { rpc } = startServer({ tools: [slow, { ...greet, ttlMs: 60_000 }] })
    const { result } = await rpc('server/discover', {})
    expect(result).toMatchObject({ capabilities: { extensions: { [EXTENSION]: { keyTtlMs: 60_000 } } } })
  })

  it('is listed without that where there is no limit', async () => {
    const { rpc } = startServer({ tools: [slow], defaultTtlMs: null })
    expect((await rpc('server/discover', {})).result).toMatchObject({
      capabilities: { extensions: { [EXTENSION]: {} } },
    })
  })

  it('can be switched off: keys mean nothing then', async () => {
    const { tool, runs } = countingTool()
    const { rpc, call } = startServer({ tools: [tool], idempotentCalls: false })
    expect((await rpc('server/discover', {})).result).not.toHaveProperty(['capabilities', 'extensions', EXTENSION])
    await call('count', {}, keyed())
    await call('count', {}, keyed())
    expect(runs).toHaveBeenCalledTimes(2)
  })
})

describe('a call that comes again under its key', () => {
  it('is the same task, while it is at work and once it is over', async () => {
    const { tool, runs } = countingTool()
    const { start, get, clock } = startServer({ tools: [tool] })
    const taskId = await start('count', { ms: 1000 }, keyed())
    expect(taskId).toMatch(/^[\w-]{43}$/)
    expect(await start('count', { ms: 1000 }, keyed())).toBe(taskId)
    await clock.advance(1000)
    expect(await start('count', { ms: 1000 }, keyed())).toBe(taskId)
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('run 1') })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('is another task under another key, and without one', async () => {
    const { tool, runs } = countingTool()
    const { start } = startServer({ tools: [tool] })
    const ids = [
      await start('count', {}, keyed()),
      await start('count', {}, keyed({}, `${KEY}2`)),
      await start('count'),
      await start('count'),
    ]
    expect(new Set(ids).size).toBe(4)
    expect(runs).toHaveBeenCalledTimes(4)
  })

  it('is another task for another owner', async () => {
    const { tool, runs } = countingTool()
    const { start } = startServer({ tools: [tool], owner: (request) => request.headers.get('x-user') ?? '' })
    const ann = await start('count', {}, keyed({ headers: { 'x-user': 'ann' } }))
    expect(await start('count', {}, keyed({ headers: { 'x-user': 'bob' } }))).not.toBe(ann)
    expect(await start('count', {}, keyed({ headers: { 'x-user': 'ann' } }))).toBe(ann)
    expect(runs).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['other arguments', 'count', { ms: 2, of: { b: 1, a: 2 } }],
    ['fewer arguments', 'count', { ms: 1 }],
    ['another tool', 'greet', { name: 'Ann' }],
  ])('with %s is refused', async (_, name, args) => {
    const { tool, runs } = countingTool()
    const { start, call } = startServer({ tools: [tool, greet] })
    const taskId = await start('count', { ms: 1, of: { b: 1, a: 2 } }, keyed())
    const { error } = await call(name, args, keyed())
    expect(error).toMatchObject(CONFLICT)
    expect(error?.message).toContain('the idempotency key belongs to a call of another tool or with other arguments')
    expect(JSON.stringify(error)).not.toContain(taskId)
    expect(await start('count', { of: { a: 2, b: 1 }, ms: 1 }, keyed())).toBe(taskId)
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it.each([['too-short'], ['x'.repeat(257)], [7], [null], [['x'.repeat(20)]]])(
    'is refused under a key that is none: %j',
    async (key) => {
      const { tool, runs } = countingTool()
      const { call } = startServer({ tools: [tool] })
      expect((await call('count', {}, keyed({}, key))).error).toMatchObject({ code: -32602 })
      expect(runs).not.toHaveBeenCalled()
    },
  )

  it('is refused or answered by the same rules as the first where its arguments are not valid', async () => {
    const { tool, runs } = countingTool()
    const { call, start } = startServer({ tools: [tool] })
    await call('count', { ms: 'long' }, keyed())
    await start('count', { ms: 1 }, keyed())
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('runs anew once the ttl is over, also before the store has removed the record', async () => {
    const { tool, runs } = countingTool({ ttlMs: 5000 })
    const store = new InMemoryTaskStore()
    store.expire = () => Promise.resolve(null)
    const { start, get, clock } = startServer({ tools: [tool], store })
    const taskId = await start('count', {}, keyed())
    await clock.advance(5000)
    expect(await start('count', {}, keyed())).toBe(taskId)
    expect(await get(taskId)).toMatchObject({ result: text('run 2') })
    expect(runs).toHaveBeenCalledTimes(2)
  })

  it('is not ended by work of the first that has outlived its ttl', async () => {
    const ends: (() => void)[] = []
    const handler = async (_: unknown, { listRoots }: ToolContext) => {
      void listRoots()
      return new Promise((resolve) => ends.push(() => resolve(text(`run ${ends.length}`))))
    }
    const { tool } = countingTool({ ttlMs: 5000, handler } as object)
    const { start, get, update, clock } = startServer({ tools: [tool] })
    const taskId = await start('count', {}, keyed())
    await clock.advance(5000)
    await start('count', {}, keyed())
    ends[0]?.()
    expect(await get(taskId)).toMatchObject({ status: 'input_required' })
    await update(taskId, { 'roots-1': { roots: [] } })
    ends[1]?.()
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('run 2') })
  })

  it('is one call in all its rounds, and only the last one makes the task', async () => {
    const { tool, runs } = countingTool({
      prepare: (_: unknown, { inputResponses }: { inputResponses: object }) =>
        'roots' in inputResponses ? undefined : inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }),
    } as object)
    const { call, rpc } = startServer({ tools: [tool] })
    const asked = await call('count', {}, keyed())
    expect(asked.result).toMatchObject({ resultType: 'input_required' })
    const params = { name: 'count', arguments: {}, inputResponses: { roots: { roots: [] } } }
    const { result } = await rpc('tools/call', params, keyed())
    expect(result).toMatchObject({ resultType: 'task' })
    // From the beginning, and in its last round: nothing is asked again.
    expect((await call('count', {}, keyed())).result?.['taskId']).toBe(result?.['taskId'])
    expect((await rpc('tools/call', params, keyed())).result?.['taskId']).toBe(result?.['taskId'])
    expect(runs).toHaveBeenCalledTimes(1)
  })
})

describe('a call that is answered without a task', () => {
  it.each([
    ['because its tool makes none', forbidden, {}, {}],
    ['because the server wants none', {}, { augment: () => false }, {}],
    ['because the client knows none', {}, {}, NO_TASKS],
    ['before there is one', { prepare: () => text('run 1') }, {}, {}],
  ])('%s is answered with the same result again', async (_, changes, options, client) => {
    const { tool, runs } = countingTool(changes as object)
    const { call } = startServer({ tools: [tool], ...options })
    const { result } = await call('count', {}, keyed(client))
    expect(result).toMatchObject({ resultType: 'complete', ...text('run 1') })
    expect((await call('count', {}, keyed(client))).result).toEqual(result)
    expect(runs.mock.calls.length).toBeLessThan(2)
  })

  it.each(['isError', 'protocol', 'bug'])('fails in the same way again: %s', async (how) => {
    const handler = vi.fn(failing.handler)
    const { call } = startServer({ tools: [{ ...failing, ...forbidden, handler } as ToolDefinition] })
    const first = await call('failing', { how }, keyed())
    const again = await call('failing', { how }, keyed())
    expect([again.status, again.result, again.error]).toEqual([first.status, first.result, first.error])
    expect(handler).toHaveBeenCalledTimes(1)
  })

  it('goes on where its client hangs up, and is answered when it comes again', async () => {
    const { tool, runs } = countingTool(forbidden)
    const { server, call, clock } = startServer({ tools: [tool] })
    const page = new AbortController()
    const params = { name: 'count', arguments: { ms: 1000 } }
    void server.fetch(rpcRequest('tools/call', params, { ...keyed(), signal: page.signal }))
    await until(() => runs.mock.calls.length > 0)
    page.abort()
    const again = call('count', { ms: 1000 }, keyed())
    await clock.advance(1000)
    expect((await again).result).toMatchObject(text('run 1'))
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['by the feed', new SharedStore(), 0],
    ['by reading again', new SilentStore(), 1000],
  ])('is waited for in another process %s', async (_, store, laterMs) => {
    const { tool, runs } = countingTool(forbidden)
    const { first, second, clock } = startTwo([tool], {}, store)
    const reads = vi.spyOn(store, 'get')
    const answered = first.call('count', { ms: 2500 }, keyed())
    await until(() => runs.mock.calls.length > 0)
    const before = reads.mock.calls.length
    const again = second.call('count', { ms: 2500 }, keyed())
    await until(() => reads.mock.calls.length >= before + 2)
    await clock.advance(2500)
    expect((await answered).result).toMatchObject(text('run 1'))
    await clock.advance(laterMs)
    expect((await again).result).toMatchObject(text('run 1'))
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('is waited for as long as it works, also beyond its ttl', async () => {
    const { tool, runs } = countingTool({ ...forbidden, ttlMs: 2000 })
    const { call, clock } = startServer({ tools: [tool] })
    void call('count', { ms: 9000 }, keyed())
    await until(() => runs.mock.calls.length > 0)
    const again = call('count', { ms: 9000 }, keyed())
    await until(() => clock.pending > 2)
    await clock.advance(9000)
    expect((await again).result).toMatchObject(text('run 1'))
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('says nothing of itself where the server closes while it is waited for', async () => {
    const { tool, runs } = countingTool(forbidden)
    const store = new SharedStore()
    const { first, second } = startTwo([tool], {}, store)
    void first.call('count', { ms: 2500 }, keyed())
    await until(() => runs.mock.calls.length > 0)
    const reads = vi.spyOn(store, 'get')
    const again = second.call('count', { ms: 2500 }, keyed())
    await until(() => reads.mock.calls.length >= 2)
    await second.server.close()
    expect((await again).status).toBe(503)
  })
})

describe('two processes', () => {
  it.each([
    ['a task', {}],
    ['a result', forbidden],
  ])('that get the same call at the same time make one run of it, and both answer with %s', async (_, changes) => {
    const { tool, runs } = countingTool(changes)
    // Both have looked before either creates.
    const store = new SharedStore()
    const get = store.get.bind(store)
    store.get = async (taskId) => {
      const found = await get(taskId)
      await new Promise((resolve) => setImmediate(resolve))
      return found
    }
    const { first, second } = startTwo([tool], {}, store)
    const answers = await Promise.all([first.call('count', {}, keyed()), second.call('count', {}, keyed())])
    const [one, other] = answers.map(({ result }) => result?.['taskId'] ?? result?.['content'])
    expect(one).toBeDefined()
    expect(other).toEqual(one)
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('queue one job for a call that comes twice', async () => {
    const { tool, runs } = countingTool()
    const queue = createMemoryQueue()
    const store = new SharedStore()
    const { first, second, clock } = startTwo([tool], { executor: queue }, store)
    const [one, other] = await Promise.all([first.start('count', {}, keyed()), second.start('count', {}, keyed())])
    expect(other).toBe(one)
    expect(queue.jobs).toHaveLength(1)
    const worker = createTaskWorker({ serverInfo: { name: 'test', version: '1' }, tools: [tool], store, queue, clock })
    onTestFinished(() => worker.close())
    expect(await first.get(one)).toMatchObject({ status: 'completed', result: text('run 1') })
    expect(await second.start('count', {}, keyed())).toBe(one)
    expect(runs).toHaveBeenCalledTimes(1)
  })

  /** A store of a process that is killed with the first run. */
  function startWithLost(changes: Json) {
    const { tool, runs } = countingTool(changes)
    const store = new SharedStore()
    let isCut = false
    const never = () => new Promise<never>(() => {})
    const own = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => (isCut && name !== 'watch' ? never() : member.apply(target, args))
      },
    })
    const clock = createManualClock()
    const options = { clock, tools: [tool], leaseMs: LEASE_MS }
    // Not closed: what is lost closes nothing.
    const first = createTaskServer({ serverInfo: { name: 'test', version: '1' }, ...options, store: own })
    const second = startServer({ ...options, store })
    const kill = () => {
      isCut = true
    }
    const call = (ms: number) => first.fetch(rpcRequest('tools/call', { name: 'count', arguments: { ms } }, keyed()))
    return { call, second, clock, runs, kill }
  }

  it('let a call fail whose process was lost, and never run it again by themselves', async () => {
    const { call, second, clock, runs, kill } = startWithLost(forbidden)
    void call(9000)
    await until(() => runs.mock.calls.length > 0)
    kill()
    const again = second.call('count', { ms: 9000 }, keyed())
    await clock.advance(2 * LEASE_MS)
    const message = 'The worker was lost; the tool may have run in part.'
    expect((await again).error).toMatchObject({ message })
    expect((await second.call('count', { ms: 9000 }, keyed())).error).toMatchObject({ message })
    expect(runs).toHaveBeenCalledTimes(1)
  })

  it('run a call again whose process was lost where its tool may, and answer with what comes of that', async () => {
    const { call, second, clock, runs, kill } = startWithLost({ ...forbidden, onOrphan: 'retry' })
    void call(1000)
    await until(() => runs.mock.calls.length > 0)
    kill()
    const again = second.call('count', { ms: 1000 }, keyed())
    await clock.advance(2 * LEASE_MS + 1000)
    expect((await again).result).toMatchObject(text('run 2'))
    expect(runs).toHaveBeenCalledTimes(2)
  })

  it('do not end a call for its client that one of them has lost, and the other one runs again', async () => {
    const { call, clock, runs, kill } = startWithLost({ ...forbidden, onOrphan: 'retry' })
    const answered = call(9000)
    await until(() => runs.mock.calls.length > 0)
    kill()
    await clock.advance(LEASE_MS)
    const { status, headers } = await readResponse(await answered)
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  })

  it.each([
    ['whose tool makes no task', forbidden, {}],
    ['that the server makes no task of', {}, { augment: () => false }],
  ])('do not end a call %s where one of them closes, and the other one runs it again', async (_, changes, options) => {
    const { tool, runs } = countingTool({ ...changes, annotations: { readOnlyHint: true } })
    const { first, second, clock } = startTwo([tool], options)
    const answered = first.call('count', { ms: 9000 }, keyed())
    await until(() => runs.mock.calls.length > 0)
    await first.server.close()
    const { status, headers, error } = await answered
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(error?.message).toContain('Send it again')
    const again = second.call('count', { ms: 9000 }, keyed())
    await clock.advance(LEASE_MS + 9000)
    expect((await again).result).toMatchObject(text('run 2'))
    expect([first.errors, second.errors]).toEqual([[], []])
  })
})

describe('a server that cannot tell whether a call came before', () => {
  it('runs nothing and answers with a status that says nothing of the call', async () => {
    const { tool, runs } = countingTool()
    const store = new InMemoryTaskStore()
    store.get = () => Promise.reject(new Error('down'))
    const { server, errors } = startServer({ tools: [tool], store })
    const response = await server.fetch(rpcRequest('tools/call', { name: 'count', arguments: {} }, keyed()))
    expect(response.status).toBe(503)
    expect((await readResponse(response)).error).toMatchObject({ code: -32000 })
    expect(errors).toHaveLength(1)
    expect(runs).not.toHaveBeenCalled()
  })
})
