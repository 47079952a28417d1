import { createTaskWorker, defineTool, type ToolContext, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createManualClock, type ManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { slow, text } from './support/tools.js'

const LEASE_MS = 3000

/** The clock of a process that is stopped: time passes, and no timer fires. */
function sleepyClock(world: ManualClock) {
  const own = createManualClock(world.now())
  let isAsleep = true
  return {
    ...own,
    now: () => (isAsleep ? own.now() : world.now()),
    wake: () => (isAsleep = false),
    advance: own.advance,
  }
}

/** A web process, and a worker whose process sleeps until it is woken. No other worker takes jobs. */
async function setup(handler: ToolDefinition['handler'], onOrphan: 'fail' | 'retry' = 'fail') {
  const store = new SharedStore()
  const clock = createManualClock()
  const queue = createMemoryQueue()
  const tool = defineTool({ ...slow, onOrphan, handler })
  const web = startServer({ store, clock, tools: [tool], executor: queue, leaseMs: LEASE_MS })
  const own = sleepyClock(clock)
  const startWorker = (workerClock: typeof clock) => {
    const worker = createTaskWorker({
      serverInfo: { name: 'test', version: '1' },
      ...{ store, tools: [tool], queue, leaseMs: LEASE_MS, clock: workerClock, onError: () => {} },
    })
    onTestFinished(() => worker.close())
  }
  // What this process wrote reaches it, what others write does not: nothing arrives at a process that is stopped.
  startWorker(own)
  const taskId = await web.start('slow')
  await settle()
  return { ...web, own, taskId, startWorker }
}

/** Waits until the test lets it go on, as for work elsewhere that takes no notice of the clock. */
function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

describe('a worker that wakes up after its lease', () => {
  it('has a signal that has aborted, before any timer has fired', async () => {
    const { passed, open } = gate()
    const isAborted: boolean[] = []
    const t = await setup(async (_args, context) => {
      await passed
      isAborted.push(context.signal.aborted)
      return text('too late')
    })
    t.own.wake()
    const { now } = t.clock
    t.clock.now = () => now() + LEASE_MS
    open()
    await settle()
    expect(isAborted).toEqual([true])
  })

  const waking: [string, (context: ToolContext) => unknown][] = [
    ['sleep()', ({ sleep }) => sleep(0)],
    ['setProgress()', ({ progress }) => progress(1, 2)],
    ['setStatus()', ({ progress }) => progress('awake')],
    ['elicit()', ({ elicit }) => elicit({ mode: 'url', message: 'x', url: 'https://a.example' })],
    ['once()', ({ once }) => once('step', () => 1)],
  ]

  it.each(waking)('rejects %s at once, before any timer has fired', async (_, wake) => {
    const { passed, open } = gate()
    const after: unknown[] = []
    const t = await setup(async (_args, context) => {
      await passed
      after.push(await Promise.resolve(wake(context)).catch(String), context.signal.aborted)
      return text('too late')
    })
    // The lease is over by the clock, and no other process has noticed yet.
    const { now } = t.clock
    t.own.wake()
    t.clock.now = () => now() + LEASE_MS
    open()
    await settle()
    expect(after).toEqual([expect.stringContaining('The lease of the task has expired'), true])
  })

  it('rejects the sleep that it was in', async () => {
    let outcome: unknown
    const t = await setup(async (_args, { sleep }) => {
      outcome = await sleep(100).catch(String)
      return text('too late')
    })
    t.own.wake()
    const { now } = t.clock
    t.clock.now = () => now() + LEASE_MS
    await t.own.advance(100)
    expect(outcome).toContain('The lease of the task has expired')
  })

  it('cannot begin a step that another worker may have begun', async () => {
    const { passed, open } = gate()
    const steps: string[] = []
    const t = await setup(async (_args, { once }) => {
      await passed
      await once('charge', () => void steps.push('charged'))
      return text('charged')
    }, 'retry')
    t.own.wake()
    const { now } = t.clock
    t.clock.now = () => now() + LEASE_MS
    open()
    await settle()
    expect(steps).toEqual([])
  })
})

describe('a run whose task another process has ended', () => {
  it('is aborted, and what it does rejects', async () => {
    const { passed, open } = gate()
    const seen: unknown[] = []
    const t = await setup(async (_args, { progress, signal }) => {
      signal.addEventListener('abort', () => seen.push(String(signal.reason)))
      await passed
      seen.push(await progress(1).catch(String))
      return text('too late')
    })
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(t.taskId)).toMatchObject({ status: 'failed' })
    open()
    await settle()
    expect(seen).toEqual(Array(2).fill(expect.stringContaining('The task has ended')))
    expect(await t.get(t.taskId)).toMatchObject({ status: 'failed' })
  })
})

describe('attempt', () => {
  it('grows with each start of the handler, and is 1 without a task', async () => {
    const attempts: number[] = []
    const t = await setup(async (_args, { attempt, signal }) => {
      attempts.push(attempt)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return text('done')
    }, 'retry')
    await t.clock.advance(2 * LEASE_MS)
    t.startWorker(t.clock)
    await t.clock.advance(2 * LEASE_MS)
    const plain = defineTool({
      ...slow,
      taskSupport: 'forbidden',
      handler: (_, { attempt }) => text(`attempt ${attempt}`),
    })
    const { result } = await startServer({ tools: [plain] }).call('slow')
    expect(attempts.slice(0, 2)).toEqual([1, 2])
    expect(result).toMatchObject(text('attempt 1'))
  })
})
