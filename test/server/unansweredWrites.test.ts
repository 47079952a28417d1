import { createTaskWorker, defineTool, type TaskServerEvent } from 'taskwire/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TaskRecord } from '../../src/server/tasks/taskRecord.js'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { TASKS } from './support/rpc.js'
import { startServer, type TestServerOptions } from './support/serverUnderTest.js'
import { SharedStore, SilentStore } from './support/silentStore.js'
import { ask, slow, text } from './support/tools.js'
import { type Loss, unansweredWrites } from './support/unansweredWrites.js'

const LEASE_MS = 30_000

/** Servers and workers over one store, which say all that they do to tasks. */
function setup() {
  const store = new SharedStore()
  const clock = createManualClock()
  const queue = createMemoryQueue()
  const events: unknown[] = []
  const errors: string[] = []
  const runs: number[] = []
  const tool = defineTool({
    ...slow,
    onOrphan: 'retry',
    async handler({ ms }, { attempt, progress, sleep }) {
      runs.push(attempt)
      await progress('begun')
      await sleep(ms)
      return text('done')
    },
  })
  const record = (event: TaskServerEvent) => {
    if ('task' in event) events.push([event.type, event.attempt, 'outcome' in event && event.outcome])
  }
  const instrument = { runTool: <T>(_call: unknown, run: () => T) => run(), record }
  const common = { store, clock, leaseMs: LEASE_MS, instrument }
  return {
    ...{ store, clock, queue, events, errors, runs },
    ...unansweredWrites(store),
    start(executor?: typeof queue) {
      return startServer({ ...common, tools: [tool, ask], ...(executor && { executor }) })
    },
    startWorker(tools = [tool, ask]) {
      const onError = (error: unknown) => void errors.push(String(error))
      const info = { serverInfo: { name: 'test', version: '1' } }
      const worker = createTaskWorker({ ...common, ...info, tools, queue, onError })
      onTestFinished(() => worker.close())
      return worker
    },
  }
}

type Setup = ReturnType<typeof setup>
type Lose = (fits?: (record: TaskRecord) => boolean) => void

/** Plays until there is something to see. `lose` comes before the write whose answer is lost. */
type Scenario = (t: Setup, lose: Lose) => Promise<unknown>

const creations: [string, Scenario][] = [
  [
    'a creation',
    async (t, lose) => {
      const server = t.start()
      lose()
      const { status, result } = await server.call('slow')
      await t.clock.advance(1000)
      return [status, await server.get(String(result?.['taskId'])), server.errors]
    },
  ],
  [
    'a creation for a queue',
    async (t, lose) => {
      const server = t.start(t.queue)
      lose()
      const { status, result } = await server.call('slow')
      return [status, result?.['resultType'], t.queue.untaken.length, server.errors]
    },
  ],
]

const changes: [string, Scenario][] = [
  [
    'a creation in the place of a task that has expired and was not removed',
    async (t, lose) => {
      t.store.expire = async () => null
      const server = t.start()
      const keyed = { meta: { 'dev.taskwire/idempotencyKey': 'k'.repeat(32) } }
      await server.start('slow', {}, keyed)
      await t.clock.advance(7_200_000)
      lose()
      const { status, result } = await server.call('slow', {}, keyed)
      await t.clock.advance(1000)
      return [status, await server.get(String(result?.['taskId'])), server.errors]
    },
  ],
  [
    'a claim',
    async (t, lose) => {
      const server = t.start(t.queue)
      const taskId = await server.start('slow')
      lose()
      t.startWorker()
      await settle()
      await t.clock.advance(1000)
      return server.get(taskId)
    },
  ],
  [
    'a progress',
    async (t, lose) => {
      const server = t.start()
      lose(({ task }) => task.statusMessage === 'begun')
      return [await server.get(await server.start('slow')), server.errors]
    },
  ],
  [
    'an outcome',
    async (t, lose) => {
      const server = t.start()
      const taskId = await server.start('slow')
      lose(({ task }) => task.status === 'completed')
      await t.clock.advance(1000)
      return [await server.get(taskId), server.errors]
    },
  ],
  [
    'a cancellation of a task that waits',
    async (t, lose) => {
      const server = t.start(t.queue)
      const taskId = await server.start('slow')
      lose()
      const { status } = await server.cancel(taskId)
      return [status, await server.get(taskId), server.errors]
    },
  ],
  [
    'a response',
    async (t, lose) => {
      const server = t.start()
      const taskId = await server.start('ask')
      await settle()
      lose()
      const { status } = await server.update(taskId, { 'elicitation-1': { action: 'decline' } })
      return [status, await server.get(taskId), server.errors]
    },
  ],
  [
    'a task that a closing worker leaves to others',
    async (t, lose) => {
      await t.start(t.queue).start('slow')
      const worker = t.startWorker()
      await settle()
      lose()
      await worker.close()
      return t.queue.jobs
    },
  ],
  [
    'a job that is given back',
    async (t, lose) => {
      await t.start(t.queue).start('slow')
      lose()
      t.startWorker([ask])
      await settle()
      await t.clock.advance(1000)
      return t.queue.jobs
    },
  ],
]

/** What is seen of a scenario. Ids of tasks are random. */
async function play(scenario: Scenario, loss?: Loss) {
  const t = setup()
  const seen = await scenario(t, (fits) => loss && t.loseNext(loss, fits && { fits }))
  const { events, errors, runs } = t
  return JSON.parse(JSON.stringify({ seen, events, errors, runs }), (key, value) => (key === 'taskId' ? '' : value))
}

describe('a write that the store has made and not confirmed', () => {
  it.each([...creations, ...changes])('%s, after which it has thrown, counts as made', async (_, scenario) => {
    expect(await play(scenario, 'an error')).toEqual(await play(scenario))
  })

  it.each(changes)('%s, which it has tried once more itself and refused, counts as made', async (_, scenario) => {
    expect(await play(scenario, 'a conflict')).toEqual(await play(scenario))
  })
})

describe('a write that the store has made, and not confirmed before it was away', () => {
  const keyed = { meta: { 'dev.taskwire/idempotencyKey': 'k'.repeat(32) } }

  it('is a creation: the call that comes again under its key is that task, whose tool runs once', async () => {
    const t = setup()
    const server = t.start()
    t.loseNext('an error', { isAway: true })
    expect((await server.call('slow', {}, keyed)).status).toBe(503)
    await t.clock.advance(5000)
    t.comeBack()
    const taskId = await server.start('slow', {}, keyed)
    expect(t.runs).toEqual([])
    await t.clock.advance(2 * LEASE_MS)
    expect(await server.get(taskId)).toMatchObject({ status: 'completed' })
    expect(t.runs).toEqual([2])
    expect(t.store.size).toBe(1)
  })

  it.each([
    ['a store that does not find lost work', 'retry', () => new SilentStore()],
    ['a tool that must not run twice', 'fail', () => new SharedStore()],
  ] as const)(
    'is a creation that was refused: the call that comes again is started (%s)',
    async (_, onOrphan, make) => {
      const store = make()
      const { loseNext, comeBack } = unansweredWrites(store)
      let runs = 0
      const tool = defineTool({
        ...slow,
        onOrphan,
        handler() {
          runs += 1
          return text('done')
        },
      })
      const server = startServer({ store, tools: [tool], leaseMs: LEASE_MS })
      loseNext('an error', { isAway: true })
      expect((await server.call('slow', {}, keyed)).status).toBe(503)
      await server.clock.advance(60_000)
      comeBack()
      await server.clock.advance(5000)
      expect(store.size).toBe(0)
      const taskId = await server.start('slow', {}, keyed)
      expect(await server.get(taskId)).toMatchObject({ status: 'completed' })
      expect(runs).toBe(1)
    },
  )

  it('is a creation of a call without a key: nothing is left of it', async () => {
    const store = new SilentStore()
    const { loseNext, comeBack } = unansweredWrites(store)
    const server = startServer({ store, tools: [slow] })
    loseNext('an error', { isAway: true })
    expect((await server.call('slow')).status).toBe(503)
    comeBack()
    await server.clock.advance(5000)
    expect(store.size).toBe(0)
  })

  it('is a creation that another call has made under the same key: that stays', async () => {
    const store = new SilentStore()
    const [first, second] = [startServer({ store, tools: [slow] }), startServer({ store, tools: [slow] })]
    const { create } = store
    // Two processes look, and find no task. One creates it, and the other one is refused.
    store.create = async (record) => {
      store.create = create
      await second.start('slow', { ms: 60_000 }, keyed)
      return create.call(store, record)
    }
    await first.call('slow', { ms: 60_000 }, keyed)
    await first.clock.advance(5000)
    expect(store.size).toBe(1)
  })

  it('is a claim: the work begins once its lease is over', async () => {
    const t = setup()
    const server = t.start(t.queue)
    t.startWorker()
    t.loseNext('an error', { isAway: true, fits: ({ attempt }) => attempt === 1 })
    const taskId = await server.start('slow')
    await settle()
    await t.clock.advance(5000)
    t.comeBack()
    await t.clock.advance(2 * LEASE_MS)
    expect(await server.get(taskId)).toMatchObject({ status: 'completed' })
    expect(t.runs).toEqual([2])
  })

  it.each([
    ['task', {}],
    ['plain call', { capabilities: {} }],
  ])('is the outcome of a %s: it stays, and the call that comes again gets it', async (_, options) => {
    const t = setup()
    const server = t.start()
    const call = server.call('slow', {}, { ...keyed, ...options })
    await settle()
    t.loseNext('an error', { isAway: true, fits: ({ task }) => task.status === 'completed' })
    await t.clock.advance(2 * LEASE_MS)
    expect((await call).status).toBe(200)
    t.comeBack()
    await t.clock.advance(2 * LEASE_MS)
    const { result } = await server.call('slow', {}, { ...keyed, ...options })
    expect(result).toMatchObject('capabilities' in options ? text('done') : { status: 'completed' })
    expect(t.runs).toEqual([1])
  })
})

describe('a call that becomes a task while the store is away', () => {
  /** A tool that asks after five seconds, and whose calls become tasks after two. */
  function startAsking(store: SharedStore, options: Partial<TestServerOptions> = {}) {
    const runs: number[] = []
    const tool = defineTool({
      ...slow,
      onOrphan: 'retry',
      async handler(_, { attempt, elicit, progress, sleep }) {
        runs.push(attempt)
        await progress('begun')
        await sleep(5000)
        const { action } = await elicit({ mode: 'url', message: 'Sign in', url: 'https://a.example' })
        return text(action)
      },
    })
    const augment = () => ({ afterMs: 2000 })
    return { ...startServer({ store, tools: [tool], augment, leaseMs: LEASE_MS, ...options }), runs }
  }
  const capabilities = { ...TASKS, elicitation: { url: {} } }

  it.each([
    ['leases', () => new SharedStore()],
    ['no leases', () => new SilentStore()],
  ])('is one task, also where the store has taken the first creation without confirming it (%s)', async (_, make) => {
    const store = make()
    const writes = unansweredWrites(store)
    const t = startAsking(store)
    const answer = t.call('slow', {}, { capabilities })
    await settle()
    writes.loseNext('an error', { isAway: true })
    await t.clock.advance(3000)
    writes.comeBack()
    await t.clock.advance(2000)
    const taskId = String((await answer).result?.['taskId'])
    expect(store.size).toBe(1)
    expect(await t.get(taskId, { capabilities })).toMatchObject({ status: 'input_required' })
    await t.update(taskId, { 'elicitation-1': { action: 'accept' } }, { capabilities })
    await t.clock.advance(3 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('accept') })
    expect(t.runs).toEqual([1])
  })

  it('is one task, also where the store does not take its progress', async () => {
    const store = new SilentStore()
    const t = startAsking(store, { leaseMs: 5000 })
    const transition = vi.spyOn(store, 'transition').mockRejectedValue(new Error('read-only'))
    const answer = t.call('slow', {}, { capabilities })
    await settle()
    await t.clock.advance(7000)
    transition.mockRestore()
    await t.clock.advance(5000)
    const taskId = String((await answer).result?.['taskId'])
    expect(store.size).toBe(1)
    expect(await t.get(taskId, { capabilities })).toMatchObject({ status: 'input_required' })
  })

  it('is not refused as one too many where its tool asks: it has begun', async () => {
    const t = startAsking(new SharedStore(), { maxTasksPerOwner: 1 })
    const first = t.call('slow', {}, { capabilities })
    await settle()
    await t.clock.advance(2000)
    await first
    const second = t.call('slow', {}, { capabilities })
    await settle()
    await t.clock.advance(5000)
    const { status, headers, error } = await second
    expect([status, headers.get('retry-after'), error]).toEqual([
      200,
      null,
      {
        code: -32603,
        message:
          'The tool asks for input, and the server cannot keep the call until there is a response. The tool may have run in part.',
      },
    ])
  })
})
