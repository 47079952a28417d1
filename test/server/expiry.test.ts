import { createTaskServer, type TaskExecutor } from 'taskwire/server'
import { describe, expect, it, vi } from 'vitest'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool, type ToolDefinition } from '../../src/server/tools/defineTool.js'
import { createCuttableProcess } from './support/cuttableProcess.js'
import { createManualClock, settle } from './support/manualClock.js'
import { rpc } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore, SilentStore } from './support/silentStore.js'
import { ask, slow, text } from './support/tools.js'

describe('the ttl', () => {
  it('keeps a task that has ended, or asks, to its last millisecond and not a moment longer', async () => {
    const { clock, start, get, rpc, update, cancel } = startServer({ tools: [slow, ask], defaultTtlMs: 5000 })
    const done = await start('slow', { ms: 1000 })
    await clock.advance(1000)
    const asking = await start('ask')
    await clock.advance(4999)
    expect(await get(done)).toMatchObject({ status: 'completed', ttlMs: 6000 })
    expect(await get(asking)).toMatchObject({ status: 'input_required', ttlMs: 5000 })
    await clock.advance(1)
    for (const taskId of [done, asking]) {
      for (const { status, error } of [
        await rpc('tasks/get', { taskId }),
        await update(taskId, {}),
        await cancel(taskId),
      ]) {
        expect({ status, error }).toEqual({
          status: 200,
          error: { code: -32602, message: 'Invalid params: there is no such task; it may have expired' },
        })
      }
    }
  })

  it.each([
    ['memory', () => new InMemoryTaskStore()],
    ['a shared store', () => new SharedStore()],
    ['a store that finds no lost work', () => new SilentStore()],
  ])('does not count while the tool works, however long that is, with tasks in %s', async (_, createStore) => {
    const { clock, start, get, rpc } = startServer({ store: createStore(), tools: [slow], defaultTtlMs: 3_600_000 })
    const taskId = await start('slow', { ms: 5.5 * 3_600_000 })
    for (let hour = 1; hour <= 5; hour += 1) {
      await clock.advance(3_600_000)
      expect(await get(taskId)).toMatchObject({ status: 'working', ttlMs: null })
    }
    await clock.advance(1_800_000)
    expect(await get(taskId)).toMatchObject({ status: 'completed', ttlMs: 6.5 * 3_600_000 })
    await clock.advance(3_599_999)
    expect(await get(taskId)).toMatchObject({ result: text('done') })
    await clock.advance(1)
    expect((await rpc('tasks/get', { taskId })).error?.code).toBe(-32602)
  })

  /** A laptop that sleeps: time passes, and no timer fires. */
  function startSleepy(store: InMemoryTaskStore, ms: number) {
    const runs = vi.fn()
    const tool = defineTool({
      ...slow,
      async handler(_, { progress, sleep }) {
        runs()
        await progress('begun')
        await sleep(ms)
        await progress('awake')
        return text('done')
      },
    })
    const world = createManualClock()
    let sleptMs = 0
    const clock = { ...world, now: () => world.now() + sleptMs }
    const server = startServer({ store, clock, tools: [tool], defaultTtlMs: 3_600_000 })
    const fallAsleep = (hours: number) => {
      sleptMs += hours * 3_600_000
    }
    return { ...server, runs, fallAsleep }
  }
  const keyed = { meta: { 'dev.taskwire/idempotencyKey': 'f81d4fae7dec11d0a76500a0c91e6bf6' } }

  it.each([
    ['memory', () => new InMemoryTaskStore()],
    ['a store that finds no lost work', () => new SilentStore()],
  ])('does not end work whose process has slept for longer, with tasks in %s', async (_, createStore) => {
    const { clock, start, get, runs, fallAsleep, errors } = startSleepy(createStore(), 3 * 3_600_000)
    const taskId = await start('slow', {}, keyed)
    await clock.advance(60_000)
    fallAsleep(2)
    expect(await get(taskId)).toMatchObject({ status: 'working' })
    expect(await start('slow', {}, keyed)).toBe(taskId)
    await clock.advance(3 * 3_600_000)
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
    expect(await start('slow', {}, keyed)).toBe(taskId)
    expect(runs).toHaveBeenCalledOnce()
    expect(errors).toEqual([])
  })

  it('does not end work whose process has slept, where the handler is the first to wake up', async () => {
    const { clock, start, get, fallAsleep } = startSleepy(new InMemoryTaskStore(), 60_000)
    const taskId = await start('slow')
    await settle()
    fallAsleep(2)
    await clock.advance(60_000)
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
  })

  describe('ends no work that is found, after six days on which no process has run', () => {
    const SIX_DAYS_MS = 6 * 86_400_000
    const outcomes = [
      ['retry', { status: 'completed', result: text('done') }],
      ['fail', { status: 'failed', statusMessage: 'The worker was lost; the tool may have run in part.' }],
    ] as const

    /** A task of a process that is killed, and the process that is started six days later. */
    async function startLater(tools: ToolDefinition[], executor?: TaskExecutor) {
      const world = createManualClock()
      let passedMs = 0
      const clock = { ...world, now: () => world.now() + passedMs }
      const store = new SharedStore()
      const options = { tools, clock, defaultTtlMs: 5000 }
      const { kill, ...process } = createCuttableProcess(store, clock)
      const serverInfo = { name: 'killed', version: '1' }
      const killed = createTaskServer({ ...options, ...process, serverInfo, ...(executor && { executor }) })
      const { result } = await rpc(killed, 'tools/call', { name: 'slow', arguments: {} })
      await settle()
      kill()
      passedMs = SIX_DAYS_MS
      const later = startServer({ ...options, store })
      return { ...later, taskId: String(result?.['taskId']) }
    }

    it.each(outcomes)('by another process (%s)', async (onOrphan, outcome) => {
      const { clock, get, taskId } = await startLater([defineTool({ ...slow, onOrphan })])
      expect(await get(taskId)).toMatchObject({ status: 'working' })
      // A quarter of a lease until it looks, and one for which it watches.
      await clock.advance(40_000)
      expect(await get(taskId)).toMatchObject(outcome)
    })

    it('by another process, where it has waited for a worker', async () => {
      const { clock, get, taskId } = await startLater([slow], { start: async () => {} })
      await clock.advance(10_000)
      expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
    })

    it.each(outcomes)('by the one that has slept (%s)', async (onOrphan, outcome) => {
      const world = createManualClock()
      let sleptMs = 0
      const clock = { ...world, now: () => world.now() + sleptMs }
      const tools = [defineTool({ ...slow, onOrphan })]
      const { start, get } = startServer({ store: new SharedStore(), clock, tools, defaultTtlMs: 300_000 })
      const taskId = await start('slow', { ms: 20_000 })
      sleptMs = SIX_DAYS_MS
      await clock.advance(60_000)
      expect(await get(taskId)).toMatchObject({ ...outcome })
    })
  })

  it('counts from each input request on, and not while the tool works between them', async () => {
    const tool = defineTool({
      ...ask,
      async handler(_, { listRoots, sleep }) {
        await listRoots()
        await sleep(60_000)
        await listRoots()
        return text('asked twice')
      },
    })
    const { clock, start, get, update } = startServer({ tools: [tool], defaultTtlMs: 5000 })
    const taskId = await start('ask')
    await clock.advance(4999)
    await update(taskId, { 'roots-1': { roots: [] } })
    await clock.advance(60_000)
    await clock.advance(4999)
    await update(taskId, { 'roots-2': { roots: [] } })
    expect(await get(taskId)).toMatchObject({ status: 'completed' })
  })

  it('stops work whose task is found to be gone when its expiry is to be postponed, and looks no more', async () => {
    const store = new SilentStore()
    const expire = vi.spyOn(store, 'expire')
    let reason: unknown
    const tool = defineTool({
      ...slow,
      async handler({ ms }, { sleep, signal }) {
        signal.addEventListener('abort', () => (reason = signal.reason))
        await sleep(ms)
        return text('done')
      },
    })
    const { clock, start, errors } = startServer({ store, tools: [tool], defaultTtlMs: 5000 })
    const taskId = await start('slow', { ms: 7_200_000 })
    await store.remove(taskId)
    await clock.advance(299_999)
    expect(reason).toBeUndefined()
    await clock.advance(1)
    expect(reason).toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
    await clock.advance(3_600_000)
    expect(expire.mock.calls.length).toBeLessThan(5)
    expect(clock.pending).toBe(0)
    expect(errors).toEqual([])
  })

  it('is postponed again a minute later where the store refuses it', async () => {
    const store = new SilentStore()
    const { clock, start, get, errors } = startServer({ store, tools: [slow], defaultTtlMs: 5000 })
    const startedAt = clock.now()
    const taskIds = [await start('slow', { ms: 3_600_000 }), await start('slow', { ms: 3_600_000 })]
    const transition = vi.spyOn(store, 'transition').mockRejectedValue(new Error('read-only'))
    const expire = vi.spyOn(store, 'expire')
    await clock.advance(300_000 + 3 * 60_000)
    expect(errors.map(({ error }) => String(error))).toEqual(Array.from({ length: 8 }, () => 'Error: read-only'))
    expect(expire).toHaveBeenCalledTimes(4)
    transition.mockRestore()
    await clock.advance(3_600_000 - clock.now() + startedAt)
    for (const taskId of taskIds) expect(await get(taskId)).toMatchObject({ status: 'completed' })
    expect(errors).toHaveLength(8)
  })

  it.each([
    ['no key', {}],
    ['a key', keyed],
  ])('removes a task whose process was lost, where no other process can find it, of a call with %s', async (_, key) => {
    const store = new SilentStore()
    const { clock, start } = startServer({ store, tools: [slow], defaultTtlMs: 5000 })
    await start('slow', { ms: 7_200_000 }, key)
    // The process is gone, and another one sweeps.
    const later = clock.now() + 600_000
    await store.expire(later)
    expect(store.size).toBe(0)
  })

  it('aborts work that waits for a response and frees the memory', async () => {
    const store = new InMemoryTaskStore()
    let reason: unknown
    const tool = defineTool({
      ...slow,
      handler: (_, { listRoots, signal }) =>
        new Promise((_, reject) => {
          void listRoots()
          signal.addEventListener('abort', () => {
            reason = signal.reason
            reject(signal.reason)
          })
        }),
    })
    const { clock, start, errors } = startServer({ store, tools: [tool], defaultTtlMs: 5000 })
    await start('slow')
    await clock.advance(5000)
    expect(reason).toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
    expect(store.size).toBe(0)
    expect(clock.pending).toBe(0)
    expect(errors).toEqual([])
  })

  it('leaves alone a tool that has ended before', async () => {
    const signals: AbortSignal[] = []
    const tool = defineTool({
      ...slow,
      handler(_, { signal }) {
        signals.push(signal)
        return text('done')
      },
    })
    const { clock, start, get } = startServer({ tools: [tool], defaultTtlMs: 5000 })
    expect(await get(await start('slow'))).toMatchObject({ status: 'completed' })
    await clock.advance(5000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('is watched by one timer, however many tasks there are', async () => {
    const store = new InMemoryTaskStore()
    const tool = defineTool({ ...slow, handler: () => text('done') })
    const { clock, start } = startServer({ store, tools: [tool], defaultTtlMs: 5000 })
    for (let count = 0; count < 20; count += 1) {
      await start('slow')
      await clock.advance(10)
    }
    expect(clock.pending).toBe(1)
    await clock.advance(6000)
    expect(store.size).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('beats an outcome that comes in the same moment', async () => {
    const store = new InMemoryTaskStore()
    const transition = vi.spyOn(store, 'transition')
    const tool = defineTool({
      ...slow,
      async handler(_, { listRoots, sleep }) {
        void listRoots()
        await sleep(5000)
        return text('done')
      },
    })
    const { clock, start, rpc } = startServer({ store, tools: [tool], defaultTtlMs: 5000 })
    const taskId = await start('slow')
    await settle()
    expect(transition).toHaveBeenCalledOnce()
    await clock.advance(5000)
    expect((await rpc('tasks/get', { taskId })).error?.code).toBe(-32602)
    expect(transition).toHaveBeenCalledOnce()
  })

  it('gives up an input request', async () => {
    const asked = vi.fn()
    const tool = defineTool({
      ...slow,
      async handler(_, { listRoots }) {
        await listRoots().catch(asked)
        return text('')
      },
    })
    const { clock, start, get } = startServer({ tools: [tool], defaultTtlMs: 5000 })
    await get(await start('slow'))
    await clock.advance(5000)
    expect(asked).toHaveBeenCalledWith(expect.objectContaining({ name: 'TaskExpiredError' }))
  })

  it('goes on being watched where the store fails to sweep', async () => {
    const store = new InMemoryTaskStore()
    store.expire = () => Promise.reject(new Error('disk full'))
    const { clock, start, errors } = startServer({ store, tools: [slow], defaultTtlMs: 5000 })
    await start('slow', { ms: 0 })
    await clock.advance(3000)
    const later = await start('slow', { ms: 0 })
    expect(errors.map(({ error }) => String(error))).toEqual([])
    await clock.advance(62_000)
    expect(errors.map(({ error }) => String(error))).toEqual(['Error: disk full', 'Error: disk full'])
    expect(later).toBeTypeOf('string')
  })

  it('never ends a task without one', async () => {
    const { clock, start, get } = startServer({ tools: [slow], defaultTtlMs: null })
    const taskId = await start('slow', { ms: 1000 })
    await clock.advance(10 * 365 * 24 * 3_600_000)
    expect(await get(taskId)).toMatchObject({ status: 'completed' })
  })
})
