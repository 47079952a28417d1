import { createTaskWorker, defineTool } from 'taskwire/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createCuttableProcess } from './support/cuttableProcess.js'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore, SilentStore } from './support/silentStore.js'
import { ask, slow, text } from './support/tools.js'

const META = 'dev.taskwire/idempotencyKey'
const KEY = 'f81d4fae7dec11d0a76500a0c91e6bf6'
const keyed = (key = KEY) => ({ meta: { [META]: key } })
const info = { name: 'test', version: '1.0.0' }

/** What a handler does that only stops when it is told to. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

it('a worker whose claim was slow to be answered stops before another one starts', async () => {
  const LEASE_MS = 3000
  const clock = createManualClock()
  const store = new SharedStore()
  const queue = createMemoryQueue()
  const running: string[] = []
  const overlaps: string[] = []
  const tool = defineTool({
    ...slow,
    name: 'work',
    onOrphan: 'retry',
    async handler(_, { attempt, signal }) {
      if (running.length > 0) overlaps.push(`attempt ${attempt} began while ${running} ran`)
      running.push(`attempt ${attempt}`)
      await untilAborted(signal)
      running.splice(running.indexOf(`attempt ${attempt}`), 1)
      throw new Error('stopped')
    },
  })
  const web = startServer({ store, clock, tools: [tool], executor: queue, leaseMs: LEASE_MS })
  const worker = () => {
    const { kill, ...process } = createCuttableProcess(store, clock)
    const made = createTaskWorker({
      serverInfo: info,
      ...process,
      tools: [tool],
      queue,
      leaseMs: LEASE_MS,
      concurrency: 1,
      onError: () => {},
    })
    onTestFinished(kill)
    return { kill, made, store: process.store }
  }
  const first = worker()
  // the claim is written at once, and its response takes 1.5 s
  const { transition } = first.store
  let isFirst = true
  first.store.transition = async (next, version) => {
    const done = await transition(next, version)
    if (isFirst) {
      isFirst = false
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 1600))
    }
    return done
  }
  await web.start('work')
  await clock.advance(1600)
  expect(running).toEqual(['attempt 1'])
  first.kill() // the store cannot be reached from now on; the process lives
  worker()
  await clock.advance(2 * LEASE_MS)
  expect(overlaps).toEqual([])
})

it('a process that closes stops its handler before another one can begin', async () => {
  const clock = createManualClock()
  const store = new SharedStore()
  const queue = createMemoryQueue()
  const signals: AbortSignal[] = []
  const seen: unknown[] = []
  const tool = defineTool({
    ...slow,
    name: 'work',
    onOrphan: 'retry',
    async handler(_, { attempt, signal }) {
      signals.push(signal)
      if (attempt === 2) seen.push(`attempt 2 begins; signal of attempt 1 aborted: ${signals[0]?.aborted}`)
      await untilAborted(signal)
      throw signal.reason
    },
  })
  const web = startServer({ store, clock, tools: [tool], executor: queue })
  // The job is queued, and the queue is slow to say so.
  const slowly = {
    ...queue,
    start: async (job: Parameters<typeof queue.start>[0]) => {
      await queue.start(job)
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 3000))
    },
  }
  const first = createTaskWorker({ serverInfo: info, store, clock, tools: [tool], queue: slowly, onError: () => {} })
  await web.start('work')
  await settle()
  expect(signals).toHaveLength(1)
  const second = createTaskWorker({ serverInfo: info, store, clock, tools: [tool], queue, onError: () => {} })
  onTestFinished(() => second.close())
  const closed = first.close()
  await settle()
  seen.push(`before the queue has answered: ${signals[0]?.aborted}`)
  await clock.advance(3000)
  await closed
  expect(seen).toEqual(['attempt 2 begins; signal of attempt 1 aborted: true', 'before the queue has answered: true'])
})

it('one store operation that hangs at close does not keep other handlers running', async () => {
  const clock = createManualClock()
  const store = new SharedStore()
  const signals: Record<string, AbortSignal> = {}
  const tool = defineTool({
    name: 'work',
    inputSchema: z.object({ id: z.string() }),
    taskSupport: 'optional',
    async handler({ id }, { signal }) {
      signals[id] = signal
      await untilAborted(signal)
      throw signal.reason
    },
  })
  const t = startServer({ store, clock, tools: [tool] })
  const a = await t.start('work', { id: 'a' })
  const b = await t.start('work', { id: 'b' })
  const { transition } = store
  store.transition = (next, version) =>
    next.task.taskId === a ? new Promise(() => {}) : transition.call(store, next, version)
  void t.server.close()
  await settle()
  expect((await store.get(b))?.task.status).toBe('failed')
  expect(signals['b']?.aborted).toBe(true)
})

it('a key that comes again right after the ttl leaves no place taken', async () => {
  const metrics: { running: number }[] = []
  let read: () => { running: number } = () => ({ running: -1 })
  const t = startServer({
    tools: [defineTool({ ...ask, ttlMs: 5000 })],
    maxTasks: 2,
    instrument: {
      runTool: (_, run) => run(),
      observe: (gauges) => {
        read = gauges
        return () => {}
      },
    },
  })
  // sweeps are a second apart
  await t.start('ask')
  await t.clock.advance(500)
  const k = await t.start('ask', {}, keyed())
  await t.clock.advance(4500) // sweep of the first one
  await t.clock.advance(600) // the second one is over, and not swept
  await t.start('ask', {}, keyed())
  await settle()
  await t.clock.advance(100_000) // all over
  metrics.push(read())
  expect(k).toBeTruthy()
  expect(metrics).toEqual([{ running: 0, waiting: 0, openStreams: 0 }])
  await t.start('ask')
  await t.start('ask')
})

it('the limit of ended tasks never removes a task at work', async () => {
  class ExpiringStore extends SharedStore {
    // As Redis: the database drops what has expired.
    override async expire(): Promise<number | null> {
      return null
    }
    override async get(taskId: string) {
      const record = await super.get(taskId)
      if (record?.expiresAt != null && record.expiresAt <= clock.now()) {
        await super.remove(taskId)
        return undefined
      }
      return record
    }
    override async create(record: Parameters<SharedStore['create']>[0]) {
      await this.get(record.task.taskId)
      return super.create(record)
    }
  }
  const clock = createManualClock()
  const store = new ExpiringStore()
  const t = startServer({ clock, store, tools: [defineTool({ ...slow, ttlMs: 10_000 })], maxEndedTasks: 2 })
  await t.start('slow', { ms: 1 })
  await clock.advance(100)
  const id = await t.start('slow', { ms: 5000 }, keyed())
  await clock.advance(5000) // ends at 5.1 s, to be kept until 15.1 s
  expect(await t.get(id)).toMatchObject({ status: 'completed' })
  await clock.advance(15_000)
  expect(await t.start('slow', { ms: 5000 }, keyed())).toBe(id) // runs anew
  await clock.advance(1)
  for (let i = 0; i < 2; i += 1) {
    await t.start('slow', { ms: 1 })
    await clock.advance(10)
  }
  expect(await t.get(id)).toMatchObject({ status: 'working' })
})

it('a task that waits for a worker does not expire', async () => {
  const clock = createManualClock()
  const store = new SharedStore()
  const queue = createMemoryQueue()
  const t = startServer({
    clock,
    store,
    executor: queue,
    tools: [defineTool({ ...slow, ttlMs: 60_000 })],
    leaseMs: 30 * 60_000,
  })
  const id = await t.start('slow')
  await clock.advance(11 * 60_000)
  expect(await t.get(id)).toMatchObject({ status: 'working' })
})

it('a cancellation that an asking tool ignores leaves the ttl that clients were told', async () => {
  const tool = defineTool({
    ...ask,
    async handler(_, { listRoots }) {
      void listRoots()
      return await new Promise<never>(() => {})
    },
  })
  const t = startServer({ tools: [tool] })
  const id = await t.start(tool.name)
  const { ttlMs, lastUpdatedAt } = await t.get(id)
  await t.clock.advance(600_000)
  await t.cancel(id)
  expect(await t.get(id)).toMatchObject({ status: 'input_required', ttlMs, lastUpdatedAt })
})

it.each([
  ['leases', () => new SharedStore()],
  ['no leases', () => new SilentStore()],
])('a keyed call whose creation was written, and not confirmed, runs when it comes again (%s)', async (_, make) => {
  const store = make()
  const { create } = store
  let isFirst = true
  store.create = async (record) => {
    await create.call(store, record)
    if (isFirst) {
      isFirst = false
      throw new Error('no answer in 10000 ms')
    }
  }
  let runs = 0
  const tool = defineTool({
    ...slow,
    async handler(_a, { sleep }) {
      runs += 1
      await sleep(10)
      return text('done')
    },
  })
  const t = startServer({ store, tools: [tool] })
  await t.call('slow', {}, keyed())
  const id = String((await t.call('slow', {}, keyed())).result?.['taskId'])
  await t.clock.advance(120_000)
  expect(await t.get(id)).toMatchObject({ status: 'completed' })
  expect(runs).toBe(1)
})

it('a job whose claim was written, and not confirmed, is not said to have run in part', async () => {
  const store = new SharedStore()
  const clock = createManualClock()
  const queue = createMemoryQueue()
  let runs = 0
  const tool = defineTool({
    ...slow,
    async handler() {
      runs += 1
      return text('done')
    },
  })
  const t = startServer({ store, clock, tools: [tool], executor: queue })
  const { transition } = store
  let isFirst = true
  store.transition = async (next, version) => {
    const done = await transition.call(store, next, version)
    if (isFirst) {
      isFirst = false
      throw new Error('no answer in 10000 ms')
    }
    return done
  }
  const worker = createTaskWorker({ serverInfo: info, store, clock, tools: [tool], queue, onError: () => {} })
  onTestFinished(() => worker.close())
  const id = await t.start('slow')
  await clock.advance(120_000)
  expect(await t.get(id)).toMatchObject({ status: 'completed' })
  expect(runs).toBe(1)
})

it.each([
  ['told of', false],
  ['found when the claim is looked for', true],
])('a task that is cancelled while its claim is on its way does not run (%s)', async (_, isLost) => {
  const store = new SharedStore()
  const clock = createManualClock()
  const queue = createMemoryQueue()
  const handler = vi.fn(() => new Promise<never>(() => {}))
  const tools = [defineTool({ ...slow, handler })]
  const web = startServer({ store, clock, tools, executor: queue })
  const { kill, ...process } = createCuttableProcess(store, clock)
  const { transition } = process.store
  let answer = () => {}
  process.store.transition = async (next, version, previous) => {
    const done = await transition(next, version, previous)
    process.store.transition = transition
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    if (isLost) throw new Error('no answer')
    return done
  }
  const worker = createTaskWorker({ serverInfo: info, ...process, tools, queue, onError: () => {} })
  onTestFinished(async () => {
    await worker.close()
    kill()
  })
  const taskId = await web.start('slow')
  await settle()
  await web.cancel(taskId)
  await settle()
  answer()
  expect(await web.get(taskId)).toMatchObject({ status: 'cancelled' })
  expect(handler).not.toHaveBeenCalled()
})
