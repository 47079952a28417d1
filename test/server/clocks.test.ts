import { createTaskWorker, defineTool, type TaskStore, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCuttableProcess } from './support/cuttableProcess.js'
import { createManualClock, type ManualClock } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { slow, text } from './support/tools.js'

const LEASE_MS = 30_000
const HOUR_MS = 3_600_000

/** The same time, by a clock that is wrong by so many ms. */
function wrongBy(ms: number, clock: ManualClock): ManualClock {
  return { ...clock, now: () => clock.now() + ms }
}

/** A tool that takes two minutes, and what its runs have come to. */
function counted(overrides: Partial<ToolDefinition> = {}) {
  const runs: string[] = []
  const tool = defineTool({
    ...slow,
    name: 'counted',
    onOrphan: 'retry',
    async handler(_, { attempt, sleep, signal }) {
      runs.push(`begun ${attempt}`)
      signal.addEventListener('abort', () => runs.push(`stopped ${attempt}`))
      await sleep(120_000)
      runs.push(`done ${attempt}`)
      return text('done')
    },
    ...overrides,
  })
  return { tool, runs }
}

/** Processes of one server, each with a clock of its own, that do the work where the call comes in. */
function setup(tools: ToolDefinition[]) {
  const store = new SharedStore()
  const clock = createManualClock()
  const start = (wrongByMs: number, own: TaskStore = store) =>
    startServer({ store: own, clock: wrongBy(wrongByMs, clock), tools, leaseMs: LEASE_MS })
  const startCuttable = (wrongByMs: number) => {
    const { kill, store: own } = createCuttableProcess(store, clock)
    return { ...start(wrongByMs, own), kill }
  }
  return { store, clock, start, startCuttable }
}

const words = ({ errors }: { errors: { error: unknown }[] }) => errors.map(({ error }) => String(error))
const RENEWED = expect.stringContaining(
  'has renewed its lease when that was over by the clock of this process: the clocks of the processes disagree',
)
const AHEAD = expect.stringContaining('s ahead of the clock of this process: the clocks of the processes disagree')

describe('a process whose clock is ahead', () => {
  it.each([25_000, 31_000, 60_000, HOUR_MS])('by %i ms takes no work from a worker that is alive', async (ms) => {
    const { tool, runs } = counted()
    const t = setup([tool])
    const worker = t.start(0)
    t.start(ms)
    const taskId = await worker.start('counted')
    await t.clock.advance(120_000)
    expect(await worker.get(taskId)).toMatchObject({ status: 'completed' })
    expect(runs).toEqual(['begun 1', 'done 1'])
  })

  it('does not fail a task whose worker is alive', async () => {
    const { tool, runs } = counted({ onOrphan: 'fail' })
    const t = setup([tool])
    const worker = t.start(0)
    t.start(2 * LEASE_MS)
    const taskId = await worker.start('counted')
    await t.clock.advance(120_000)
    expect(await worker.get(taskId)).toMatchObject({ status: 'completed' })
    expect(runs).toEqual(['begun 1', 'done 1'])
  })

  it('says so once, however many tasks it sees of the others', async () => {
    const { tool } = counted()
    const t = setup([tool])
    const worker = t.start(0)
    const ahead = t.start(2 * LEASE_MS)
    for (let task = 0; task < 3; task += 1) await worker.start('counted')
    await t.clock.advance(120_000)
    expect(words(ahead)).toEqual([RENEWED])
    expect(ahead.errors[0]?.context).toEqual({ source: 'server' })
    expect(words(worker)).toEqual([])
  })

  it('takes over from a worker that is lost, within two leases', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    const worker = t.startCuttable(0)
    const ahead = t.start(2 * LEASE_MS)
    await worker.start('counted')
    await t.clock.advance(LEASE_MS)
    worker.kill()
    await t.clock.advance(2 * LEASE_MS)
    expect(runs).toEqual(['begun 1', 'stopped 1', 'begun 2'])
    await t.clock.advance(120_000)
    expect(runs).toEqual(['begun 1', 'stopped 1', 'begun 2', 'done 2'])
    expect(words(ahead)).toEqual([RENEWED])
  })

  it('begins after the worker has stopped that is cut off from the store', async () => {
    const { tool, runs } = counted()
    for (const phase of [0, 1000, 3000, 7000]) {
      runs.length = 0
      const t = setup([tool])
      const worker = t.startCuttable(0)
      await t.clock.advance(phase)
      t.start(2 * LEASE_MS)
      await worker.start('counted')
      await t.clock.advance(LEASE_MS)
      worker.kill()
      await t.clock.advance(2 * LEASE_MS)
      expect(runs).toEqual(['begun 1', 'stopped 1', 'begun 2'])
    }
  })

  it('leaves a task to the worker that has claimed it while it waited for the end of another lease', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    const worker = t.startCuttable(0)
    const right = t.start(0)
    await t.clock.advance(LEASE_MS / 8)
    const ahead = t.start(LEASE_MS)
    const taskId = await worker.start('counted')
    worker.kill()
    await t.clock.advance(2 * LEASE_MS + 120_000)
    expect(await right.get(taskId)).toMatchObject({ status: 'completed' })
    expect(runs).toEqual(['begun 1', 'stopped 1', 'begun 2', 'done 2'])
    expect(words(ahead)).toEqual([])
  })

  it('takes no work where its clock is set forward while others work', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    let jumpedMs = 0
    const worker = t.start(0)
    startServer({
      ...{ store: t.store, tools: [tool], leaseMs: LEASE_MS },
      clock: { ...t.clock, now: () => t.clock.now() + jumpedMs },
    })
    const taskId = await worker.start('counted')
    await t.clock.advance(10_000)
    jumpedMs = HOUR_MS
    await t.clock.advance(110_000)
    expect(await worker.get(taskId)).toMatchObject({ status: 'completed' })
    expect(runs).toEqual(['begun 1', 'done 1'])
  })
})

describe('a worker whose clock', () => {
  it.each([-2 * LEASE_MS, 2 * LEASE_MS])('is wrong by %i ms does the work of a queue once', async (ms) => {
    const { tool, runs } = counted()
    const store = new SharedStore()
    const clock = createManualClock()
    const queue = createMemoryQueue()
    const common = { store, tools: [tool], leaseMs: LEASE_MS }
    const web = startServer({ ...common, clock, executor: queue })
    for (const wrongByMs of [ms, 0]) {
      const serverInfo = { name: 'test', version: '1' }
      const own = wrongBy(wrongByMs, clock)
      const worker = createTaskWorker({ ...common, serverInfo, queue, clock: own, onError: () => {} })
      onTestFinished(() => worker.close())
    }
    const taskId = await web.start('counted')
    await clock.advance(130_000)
    expect(await web.get(taskId)).toMatchObject({ status: 'completed' })
    expect(runs).toEqual(['begun 1', 'done 1'])
  })

  it('is set back by an hour keeps its task', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    let jumpedMs = 0
    const own = { ...t.clock, now: () => t.clock.now() + jumpedMs }
    const worker = startServer({ store: t.store, tools: [tool], leaseMs: LEASE_MS, clock: own })
    t.start(0)
    const taskId = await worker.start('counted')
    await t.clock.advance(10_000)
    jumpedMs = -HOUR_MS
    await t.clock.advance(115_000)
    expect(runs).toEqual(['begun 1', 'done 1'])
    expect(await worker.get(taskId)).toMatchObject({ status: 'completed' })
  })
})

describe('a worker that is cut off from the store', () => {
  it('stops before another one begins, also where its clock is set back meanwhile', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    let jumpedMs = 0
    const { kill, store } = createCuttableProcess(t.store, t.clock)
    const clock = { ...t.clock, now: () => t.clock.now() + jumpedMs }
    const worker = startServer({ store, tools: [tool], leaseMs: LEASE_MS, clock })
    t.start(0)
    await worker.start('counted')
    await t.clock.advance(10_000)
    kill()
    jumpedMs = -HOUR_MS
    await t.clock.advance(2 * LEASE_MS)
    expect(runs).toEqual(['begun 1', 'stopped 1', 'begun 2'])
  })
})

describe('a lost worker', () => {
  it('is noticed by several processes, one of which starts a job', async () => {
    const { tool } = counted()
    const store = new SharedStore()
    const clock = createManualClock()
    const queue = createMemoryQueue()
    const common = { tools: [tool], leaseMs: LEASE_MS }
    const { kill, ...process } = createCuttableProcess(store, clock)
    const worker = createTaskWorker({ ...common, ...process, serverInfo: { name: 'test', version: '1' }, queue })
    // It takes what it gets. The others only look, and no worker is left.
    const executor = { start: queue.start }
    for (let web = 0; web < 4; web += 1) {
      await clock.advance(1000)
      const { start } = startServer({ ...common, store, clock, executor })
      if (web === 0) await start('counted')
    }
    kill()
    void worker.close()
    await clock.advance(2 * LEASE_MS)
    expect(queue.jobs.map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  it.each([0, 1, 3750, 7499])('is replaced within two leases, %i ms after a process has looked', async (ms) => {
    const { tool, runs } = counted()
    const t = setup([tool])
    const worker = t.startCuttable(0)
    t.start(0)
    await t.clock.advance(ms)
    await worker.start('counted')
    worker.kill()
    await t.clock.advance(2 * LEASE_MS)
    expect(runs).toEqual(['begun 1', 'stopped 1', 'begun 2'])
  })

  it('is watched by a process without reading the task again and again', async () => {
    const { tool } = counted()
    const t = setup([tool])
    const worker = t.startCuttable(0)
    const { store } = createCuttableProcess(t.store, t.clock)
    const get = vi.spyOn(store, 'get')
    t.start(0, store)
    await worker.start('counted')
    worker.kill()
    await t.clock.advance(2 * LEASE_MS - 10_000)
    expect(get).toHaveBeenCalledOnce()
  })
})

describe('a process whose clock is behind', () => {
  it('says so once where it reads a task of another one', async () => {
    const { tool } = counted()
    const t = setup([tool])
    const right = t.start(0)
    const behind = t.start(-LEASE_MS)
    for (let task = 0; task < 2; task += 1) {
      const taskId = await right.start('counted')
      await behind.get(taskId)
      await behind.get(taskId)
    }
    expect(words(behind)).toEqual([AHEAD])
    expect(words(behind)[0]).toContain('30 s')
    expect(words(right)).toEqual([])
  })

  it('says nothing of clocks that are nearly right', async () => {
    const { tool } = counted()
    const t = setup([tool])
    const right = t.start(0)
    const behind = t.start(-LEASE_MS / 8)
    await behind.get(await right.start('counted'))
    await t.clock.advance(120_000)
    expect([...words(behind), ...words(right)]).toEqual([])
  })
})
