import { defineTool } from 'taskwire/server'
import { describe, expect, it, vi } from 'vitest'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { gist, listen } from './support/listening.js'
import { createManualClock } from './support/manualClock.js'
import { startServer, type TestServerOptions } from './support/serverUnderTest.js'
import { SilentStore } from './support/silentStore.js'
import { ask, slow, text } from './support/tools.js'

/** Two processes over one store: calls go to the first, whatever else a test wants to the second. */
function startTwo(store: InMemoryTaskStore = new SilentStore(), changes: Partial<TestServerOptions> = {}) {
  const clock = createManualClock()
  const options = { store, clock, tools: [ask, slow], pollIntervalMs: 1000, ...changes }
  return { clock, first: startServer(options), second: startServer(options) }
}

describe('two servers over one store', () => {
  it('both know every task', async () => {
    const { clock, first, second } = startTwo()
    const taskId = await first.start('slow')
    expect(await second.get(taskId)).toMatchObject({ status: 'working' })
    await clock.advance(1000)
    expect(await second.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
  })

  it('hand a response that one of them took to the work on the other', async () => {
    const { clock, first, second } = startTwo()
    const taskId = await first.start('ask')
    await second.update(taskId, { 'elicitation-1': { action: 'decline' } })
    await clock.advance(1000)
    expect(await second.get(taskId)).toMatchObject({ status: 'completed', result: text('[{"action":"decline"}]') })
  })

  it('go on with a task whose response the other one took right before its ttl was over', async () => {
    const { clock, first, second } = startTwo(new SilentStore(), { defaultTtlMs: 5500 })
    const taskId = await first.start('ask')
    await clock.advance(5400)
    await second.update(taskId, { 'elicitation-1': { action: 'decline' } })
    await clock.advance(1000)
    expect(await second.get(taskId)).toMatchObject({ status: 'completed', result: text('[{"action":"decline"}]') })
  })

  it('stop work that the other one was asked to cancel', async () => {
    const { clock, first, second } = startTwo()
    const taskId = await first.start('slow', { ms: 60_000 })
    await second.cancel(taskId)
    await clock.advance(1000)
    expect(await second.get(taskId)).toMatchObject({ status: 'cancelled' })
  })

  it('push what happens on the other', async () => {
    const { clock, first, second } = startTwo()
    const taskId = await first.start('slow', { ms: 1500 })
    const stream = await listen(second, { taskIds: [taskId] })
    await clock.advance(3000)
    expect((await stream.messages()).map(gist)).toEqual([
      ['subscriptions/acknowledged', { taskIds: [taskId] }],
      ['tasks', 'working'],
      ['tasks', 'completed'],
      ['end'],
    ])
  })

  it('read no more than what they work on or push, and nothing once that is over', async () => {
    const store = new SilentStore()
    const reads: string[] = []
    const get = store.get.bind(store)
    store.get = (taskId) => {
      reads.push(taskId)
      return get(taskId)
    }
    const { clock, first } = startTwo(store)
    await first.start('slow', { ms: 10 })
    await clock.advance(10)
    const taskId = await first.start('slow', { ms: 3500 })
    reads.length = 0
    await clock.advance(3000)
    expect(reads).toEqual([taskId, taskId, taskId])
    await clock.advance(3000)
    // The sweepers are left.
    expect(clock.pending).toBe(1)
  })

  it('go on watching where a read fails', async () => {
    const store = new SilentStore()
    const { clock, first, second } = startTwo(store)
    const taskId = await first.start('ask')
    const get = store.get.bind(store)
    store.get = () => Promise.reject(new Error('disk on fire'))
    await clock.advance(1000)
    expect(first.errors).toContainEqual({ error: new Error('disk on fire'), context: { source: 'server' } })
    store.get = get
    await second.update(taskId, { 'elicitation-1': { action: 'decline' } })
    await clock.advance(1000)
    expect(await second.get(taskId)).toMatchObject({ status: 'completed' })
  })
})

describe('two servers of one process over one store in memory, as after a reload of the file of a server', () => {
  it('hand a response over, push and stop work at once, and read nothing in between', async () => {
    const store = new InMemoryTaskStore()
    let reads = 0
    const get = store.get.bind(store)
    store.get = (taskId) => {
      reads += 1
      return get(taskId)
    }
    const { clock, first, second } = startTwo(store)
    const asking = await first.start('ask')
    const working = await first.start('slow', { ms: 1500 })
    const endless = await first.start('slow', { ms: 600_000 })
    const stream = await listen(second, { taskIds: [asking, working, endless] })

    await second.update(asking, { 'elicitation-1': { action: 'decline' } })
    await second.cancel(endless)
    expect(await second.get(asking)).toMatchObject({ status: 'completed', result: text('[{"action":"decline"}]') })
    expect(await second.get(endless)).toMatchObject({ status: 'cancelled' })

    const before = reads
    await clock.advance(1400)
    expect(reads).toBe(before)
    await clock.advance(100)
    expect((await stream.messages()).map(gist).slice(-2)).toEqual([['tasks', 'completed'], ['end']])
  })
})

describe('two servers over one store in memory whose process has slept for longer than the ttl', () => {
  const keyed = { meta: { 'dev.taskwire/idempotencyKey': 'f81d4fae7dec11d0a76500a0c91e6bf6' } }

  async function sleepWith(ms = 600_000) {
    const store = new InMemoryTaskStore()
    const runs = vi.fn()
    const tool = defineTool({
      ...slow,
      async handler({ ms }, { sleep }) {
        runs()
        await sleep(ms)
        return text('done')
      },
    })
    const t = startTwo(store, { tools: [tool, ask] })
    const taskId = await t.first.start('slow', { ms }, keyed)
    await t.clock.advance(1000)
    const { now } = t.clock
    const sleep = () => {
      t.clock.now = () => now() + 2 * 3_600_000
    }
    return { ...t, store, runs, taskId, sleep }
  }

  it('both know the task that one of them works on, and run a call that comes again no second time', async () => {
    const t = await sleepWith()
    t.sleep()
    expect(await t.second.get(t.taskId)).toMatchObject({ status: 'working' })
    expect(await t.second.start('slow', { ms: 600_000 }, keyed)).toBe(t.taskId)
    expect(t.runs).toHaveBeenCalledOnce()
  })

  it('keep the task where the one that does not work on it is the first to sweep', async () => {
    const t = await sleepWith()
    t.sleep()
    await t.store.expire(t.clock.now())
    await t.clock.advance(600_000)
    expect(await t.second.get(t.taskId)).toMatchObject({ status: 'completed', result: text('done') })
  })

  it('remove the task after its end, also where the one that has worked on it is closed', async () => {
    const t = await sleepWith(7_200_000)
    await t.second.get(t.taskId)
    t.sleep()
    await t.clock.advance(3_600_000)
    await t.first.server.close()
    expect(t.store.size).toBe(1)
    await t.clock.advance(3_600_000)
    expect(t.store.size).toBe(0)
  })
})
