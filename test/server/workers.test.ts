import {
  createTaskWorker,
  defineTool,
  type TaskQueueWorker,
  type TaskWorkerOptions,
  type ToolContext,
  type ToolDefinition,
  type ToolStepOptions,
} from 'taskwire/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createCuttableProcess } from './support/cuttableProcess.js'
import { gist, listen } from './support/listening.js'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { type Json, post, rpcRequest, TASKS } from './support/rpc.js'
import { startServer, type TestServerOptions } from './support/serverUnderTest.js'
import { SharedStore, SilentStore } from './support/silentStore.js'
import { ask, failing, greet, slow, text } from './support/tools.js'

const LEASE_MS = 3000
const accept = { action: 'accept', content: { name: 'Luca' } }
const form = { message: 'Name?', requestedSchema: z.object({ name: z.string() }) }
const LOST = 'The worker was lost; the tool may have run in part.'

function setup(tools: ToolDefinition[], options: Partial<TestServerOptions> = {}) {
  const store = new SharedStore()
  const clock = createManualClock()
  const queue = createMemoryQueue()
  const web = startServer({ store, clock, tools, executor: queue, leaseMs: LEASE_MS, ...options })
  const { errors } = web
  const startWorker = (rest: Partial<TaskWorkerOptions> = {}) => {
    const { kill: cut, ...process } = createCuttableProcess(store, clock)
    const takings: TaskQueueWorker[] = []
    const worker = createTaskWorker({
      serverInfo: { name: 'test', version: '1.0.0' },
      ...process,
      tools,
      queue: {
        start: queue.start,
        work(run, queueOptions) {
          const taking = queue.work(run, queueOptions)
          takings.push(taking)
          return taking
        },
      },
      leaseMs: LEASE_MS,
      onError: (error, context) => errors.push({ error, context }),
      ...rest,
    })
    const kill = () => {
      cut()
      for (const taking of takings) void taking.stop()
    }
    onTestFinished(kill)
    return { kill, worker }
  }
  return {
    ...web,
    store,
    queue,
    startWorker,
  }
}

/** Counts how often it was begun and what it did. */
function counted(overrides: Partial<ToolDefinition> = {}) {
  const runs: string[] = []
  const tool = defineTool({
    ...slow,
    name: 'counted',
    async handler(_, { progress, sleep, signal }) {
      runs.push('begun')
      signal.addEventListener('abort', () => runs.push('stopped'))
      await progress('at it')
      await sleep(60_000)
      runs.push('done')
      return text('done')
    },
    ...overrides,
  })
  return { tool, runs }
}

describe('a server with a queue', () => {
  it('answers with a task that waits, and a worker does the work', async () => {
    const t = setup([slow])
    const taskId = await t.start('slow', { ms: 500 })
    expect(await t.get(taskId)).toMatchObject({ status: 'working', statusMessage: 'Waiting for a worker.' })
    expect(t.queue.jobs).toEqual([{ taskId, tool: 'slow', attempt: 1 }])
    t.startWorker()
    await settle()
    expect(await t.get(taskId)).not.toHaveProperty('statusMessage')
    await t.clock.advance(500)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
    expect(t.errors).toEqual([])
  })

  it('answers other calls itself, and refuses arguments that are not valid before there is a task', async () => {
    const t = setup([slow, greet])
    expect((await t.call('greet', { name: 'Ann' })).result).toMatchObject(text('Hello, Ann!'))
    expect((await t.call('slow', { ms: 'long' })).result).toMatchObject({ isError: true })
    expect(t.queue.jobs).toEqual([])
  })

  it('gives the tool what it would have had here: arguments, capabilities, who calls, but no token', async () => {
    const seen: unknown[] = []
    const tool = defineTool({
      ...slow,
      inputSchema: z.object({ ms: z.number().transform((ms) => ms + 1) }),
      handler(args, { clientCapabilities, authInfo }) {
        seen.push([args, clientCapabilities, authInfo])
        return text('seen')
      },
    })
    const t = setup([tool])
    t.startWorker()
    const authInfo = {
      token: 'secret',
      clientId: 'app',
      scopes: ['a'],
      extra: { sub: 'ann' },
      resource: new URL('https://a.example/mcp'),
    }
    const taskId = await t.start('slow', { ms: 1 }, { authInfo, capabilities: TASKS })
    expect(await t.get(taskId, { authInfo })).toMatchObject({ status: 'completed' })
    expect(seen).toEqual([[{ ms: 2 }, TASKS, { ...authInfo, token: '' }]])
  })

  it.each(['isError', 'protocol', 'bug'])('ends a task in the same way where the tool fails with %s', async (how) => {
    const queued = setup([failing])
    queued.startWorker()
    const here = startServer({ tools: [failing] })
    const outcome = async (t: Pick<typeof here, 'start' | 'get'>) => {
      const { taskId, createdAt, lastUpdatedAt, ...rest } = await t.get(await t.start('failing', { how }))
      return rest
    }
    expect(await outcome(queued)).toEqual(await outcome(here))
  })

  it('takes responses and cancellations for work elsewhere, and pushes what happens there', async () => {
    const t = setup([ask, slow])
    t.startWorker()
    const asking = await t.start('ask')
    const stream = await listen(t, { taskIds: [asking] })
    await t.update(asking, { 'elicitation-1': accept })
    expect(await t.get(asking)).toMatchObject({ status: 'completed', result: text(JSON.stringify([accept])) })
    expect((await stream.messages()).map((message) => gist(message)[1])).toEqual([
      { taskIds: [asking] },
      'input_required',
      'working',
      'completed',
      undefined,
    ])
    const sleeping = await t.start('slow', { ms: 60_000 })
    await settle()
    await t.cancel(sleeping)
    expect(await t.get(sleeping)).toMatchObject({ status: 'cancelled' })
  })

  it('cancels a task that waits at once, and no worker begins it', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    const taskId = await t.start('counted')
    await t.cancel(taskId)
    expect(await t.get(taskId)).toMatchObject({ status: 'cancelled' })
    t.startWorker()
    await settle()
    expect(runs).toEqual([])
  })

  it('keeps a task whose job could not be started, reports that, and starts the job after one lease', async () => {
    const t = setup([slow])
    const { start } = t.queue
    t.queue.start = () => Promise.reject(new Error('no queue'))
    const taskId = await t.start('slow')
    expect(t.errors.map(({ error }) => String(error))).toEqual(['Error: no queue'])
    t.queue.start = start
    t.startWorker()
    await t.clock.advance(LEASE_MS * 2)
    await t.clock.advance(60_000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
  })

  it('refuses calls with 503 where the queue says that it cannot start jobs, and creates no task', async () => {
    const t = setup([slow], { pollIntervalMs: 2000 })
    t.queue.ready = () => Promise.reject(new Error('no queue'))
    const { status, headers, error } = await t.call('slow')
    expect([status, headers.get('retry-after'), error?.message]).toEqual([
      503,
      '2',
      'The call was not started: the server cannot keep tasks right now. Send it again.',
    ])
    expect(t.store.size).toBe(0)
    expect(t.errors.map(({ error, context }) => [String(error), context.source])).toEqual([
      ['Error: no queue', 'server'],
    ])
  })

  it('does the work of a job once, however often it is delivered', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    t.startWorker()
    t.startWorker()
    await t.start('counted')
    await settle()
    const [job] = t.queue.jobs
    if (job !== undefined) for (let again = 0; again < 3; again += 1) t.queue.deliverAgain(job)
    await settle()
    expect(runs).toEqual(['begun'])
    await t.clock.advance(60_000)
    if (job !== undefined) t.queue.deliverAgain(job)
    await settle()
    expect(runs).toEqual(['begun', 'done'])
  })

  it('keeps all sealed in the store that a person has typed or got, also after the end', async () => {
    const flip = (word: string) => [...word].reverse().join('')
    const sealing = {
      seal: (word: string) => `sealed:${flip(word)}`,
      open: async (sealed: string) => flip(sealed.slice('sealed:'.length)),
    }
    const secrets = ['4711', 'half of the secret', 'Whose?', 'Luca', 'a receipt', 'the secret result']
    const tool = defineTool({
      name: 'secretive',
      taskSupport: 'required',
      inputSchema: z.object({ code: z.string() }),
      onOrphan: 'retry',
      async handler(_, { progress, elicit, once, sleep }) {
        await once('pay', () => 'a receipt')
        await progress(1, 2, 'half of the secret')
        await elicit({ ...form, message: 'Whose?' })
        await sleep(1000)
        return text('the secret result')
      },
    })
    const t = setup([tool], sealing)
    const stored: string[] = []
    const { create, transition } = t.store
    t.store.create = (record) => {
      stored.push(JSON.stringify(record))
      return create.call(t.store, record)
    }
    t.store.transition = (next, version) => {
      stored.push(JSON.stringify(next))
      return transition.call(t.store, next, version)
    }
    const taskId = await t.start('secretive', { code: '4711' })
    t.startWorker(sealing)
    await settle()
    await t.update(taskId, { 'elicitation-1': accept })
    await settle()
    await t.clock.advance(1000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('the secret result') })
    expect(stored.length).toBeGreaterThan(6)
    expect(stored.filter((record) => secrets.some((secret) => record.includes(secret)))).toEqual([])
  })

  it('leaves a task alone that it cannot open, for a worker that can', async () => {
    const sealing = { seal: (word: string) => `1${word}`, open: (sealed: string) => sealed.slice(1) }
    const t = setup([slow], sealing)
    const taskId = await t.start('slow', { ms: 10 })
    const other = t.startWorker({ seal: sealing.seal, open: () => 'nonsense' })
    await settle()
    expect(await t.get(taskId)).toMatchObject({ status: 'working' })
    expect(t.errors.length).toBeGreaterThan(0)
    other.kill()
    t.startWorker(sealing)
    await t.clock.advance(2 * LEASE_MS)
    await t.clock.advance(10)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
  })

  it('encrypts nothing again where only the lease is renewed', async () => {
    const seal = vi.fn((word: string) => word)
    const sealing = { seal, open: (sealed: string) => sealed }
    const t = setup([slow], sealing)
    t.startWorker(sealing)
    await t.start('slow', { ms: 60_000 })
    await t.clock.advance(LEASE_MS)
    const before = seal.mock.calls.length
    await t.clock.advance(5 * LEASE_MS)
    expect(seal).toHaveBeenCalledTimes(before)
  })

  it('counts the tasks of an owner wherever they run', async () => {
    const t = setup([slow], { maxTasksPerOwner: 2 })
    await t.start('slow')
    await t.start('slow')
    expect((await t.call('slow')).error?.code).toBe(-32010)
  })

  it('is refused over a store that cannot find lost work', () => {
    expect(() => startServer({ tools: [slow], executor: createMemoryQueue(), store: new SilentStore() })).toThrow(
      'Pass a shared `store` that has `lapsed`',
    )
    expect(() => startServer({ tools: [slow], executor: createMemoryQueue() })).toThrow('`executor`')
  })
})

describe('a worker that is lost', () => {
  it('fails its task in plain words within two lease times, and the tool does not run again', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('counted')
    await t.clock.advance(10 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'working', statusMessage: 'at it' })
    kill()
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'failed', statusMessage: LOST })
    expect(runs.filter((run) => run === 'begun')).toEqual(['begun'])
  })

  it.each<[string, Partial<ToolDefinition>]>([
    ['says that it is idempotent', { annotations: { idempotentHint: true } }],
    ['says that it only reads', { annotations: { readOnlyHint: true } }],
    ['may be retried', { onOrphan: 'retry' }],
  ])('has its work done again where the tool %s', async (_, overrides) => {
    const { tool, runs } = counted(overrides)
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('counted')
    await settle()
    kill()
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS + 60_000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
    // The process that was cut off has stopped by itself: nobody renewed its lease.
    expect(runs).toEqual(['begun', 'stopped', 'begun', 'done'])
    expect(t.queue.jobs.map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  it('does not run a tool again that says it may fail instead', async () => {
    const { tool } = counted({ annotations: { idempotentHint: true }, onOrphan: 'fail' })
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('counted')
    await settle()
    kill()
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'failed', statusMessage: LOST })
  })

  it('gives up a task whose tool has taken five workers with it', async () => {
    const { tool, runs } = counted({ onOrphan: 'retry' })
    const t = setup([tool])
    const taskId = await t.start('counted')
    await loseWorkers(t, 6)
    expect(await t.get(taskId)).toMatchObject({ status: 'failed', statusMessage: LOST })
    expect(runs.filter((run) => run === 'begun')).toHaveLength(5)
  })

  it('cannot change the task any more when it comes back', async () => {
    let finish = () => {}
    const tool = defineTool({
      ...slow,
      name: 'stuck',
      async handler() {
        await new Promise<void>((resolve) => (finish = resolve))
        return text('too late')
      },
    })
    const t = setup([tool])
    // Without a cut: a process that is stopped and goes on finds the same store again.
    const frozen = createManualClock()
    t.startWorker({ clock: frozen })
    const taskId = await t.start('stuck')
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'failed', statusMessage: LOST })
    finish()
    expect(await t.get(taskId)).toMatchObject({ status: 'failed', statusMessage: LOST })
  })

  it('is cancelled where the client had asked for that', async () => {
    const { tool } = counted()
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('counted')
    await settle()
    kill()
    await t.cancel(taskId)
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'cancelled' })
  })

  it('leaves a task that no worker has taken waiting, and sends its job again, which may have been lost', async () => {
    const { tool, runs } = counted()
    const t = setup([tool])
    await t.start('counted')
    t.queue.untaken.length = 0
    await t.clock.advance(2 * LEASE_MS)
    t.startWorker()
    await settle()
    expect(runs).toEqual(['begun'])
  })

  it('is replaced by another process of the server where there is no queue', async () => {
    const { tool, runs } = counted({ onOrphan: 'retry' })
    const fragile = counted()
    const other = defineTool({ ...fragile.tool, name: 'fragile' })
    const store = new SharedStore()
    const clock = createManualClock()
    const { kill, ...process } = createCuttableProcess(store, clock)
    const options = { tools: [tool, other], leaseMs: LEASE_MS }
    const first = startServer({ ...process, ...options })
    const second = startServer({ store, clock, ...options })
    const [retried, failed] = [await first.start('counted'), await first.start('fragile')]
    kill()
    await clock.advance(2 * LEASE_MS + 60_000)
    expect(await second.get(retried)).toMatchObject({ status: 'completed' })
    expect(await second.get(failed)).toMatchObject({ status: 'failed', statusMessage: LOST })
    expect(runs.filter((run) => run === 'begun')).toHaveLength(2)
    expect(fragile.runs.filter((run) => run === 'begun')).toHaveLength(1)
  })

  it('is replaced, and a read from before that comes late does not stop the work', async () => {
    const { tool, runs } = counted({ onOrphan: 'retry' })
    const store = new SharedStore()
    const clock = createManualClock()
    const { kill, ...process } = createCuttableProcess(store, clock)
    const options = { tools: [tool], leaseMs: LEASE_MS }
    const first = startServer({ ...process, ...options })
    const second = startServer({ store, clock, ...options })
    const taskId = await first.start('counted')
    await settle()
    kill()
    const get = store.get.bind(store)
    let arrive = () => {}
    const onItsWay = new Promise<void>((resolve) => {
      arrive = resolve
    })
    store.get = async (id) => {
      store.get = get
      const found = await get(id)
      await onItsWay
      return found
    }
    const read = second.get(taskId)
    await clock.advance(2 * LEASE_MS)
    expect(runs).toEqual(['begun', 'stopped', 'begun'])
    arrive()
    await read
    await clock.advance(60_000)
    expect(await second.get(taskId)).toMatchObject({ status: 'completed' })
    expect(runs).toEqual(['begun', 'stopped', 'begun', 'done'])
  })
})

describe('a handler that is run again', () => {
  it('gets the responses it has had, and asks for the others under the same keys', async () => {
    const tool = defineTool({
      ...ask,
      onOrphan: 'retry',
      async handler(_, { elicit }) {
        return text(JSON.stringify([await elicit(form), await elicit(form)]))
      },
    })
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('ask')
    await settle()
    await t.update(taskId, { 'elicitation-1': accept })
    const open = Object.keys((await t.get(taskId))['inputRequests'] as Json)
    expect(open).toEqual(['elicitation-2'])
    kill()
    // Answered while nobody works on it.
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS)
    expect(Object.keys((await t.get(taskId))['inputRequests'] as Json)).toEqual(['elicitation-2'])
    await t.update(taskId, { 'elicitation-2': { action: 'decline' } })
    const result = text(JSON.stringify([accept, { action: 'decline' }]))
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result })
  })

  it('gets a response that came while nobody worked on it', async () => {
    const t = setup([defineTool({ ...ask, onOrphan: 'retry' })])
    const { kill } = t.startWorker()
    const taskId = await t.start('ask')
    await settle()
    kill()
    await t.update(taskId, { 'elicitation-1': accept })
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text(JSON.stringify([accept])) })
  })

  it('fails where it asks something else than before under the same key', async () => {
    let round = 0
    const tool = defineTool({
      ...ask,
      onOrphan: 'retry',
      async handler(_, { elicit }) {
        round += 1
        return text(JSON.stringify(await elicit({ ...form, message: `Round ${round}?` })))
      },
    })
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('ask')
    await settle()
    kill()
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'failed' })
    expect(t.errors.map(({ error }) => String(error))).toContainEqual(
      expect.stringContaining('its input request "elicitation-1" has changed'),
    )
  })

  it('gets the result of a step that is done, and does not run it again', async () => {
    const charges: number[] = []
    const tool = defineTool({
      ...ask,
      onOrphan: 'retry',
      async handler(_, { elicit, once }) {
        const receipt = await once('charge', async () => ({ receipt: charges.push(1) }))
        await elicit(form)
        return text(JSON.stringify(receipt))
      },
    })
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('ask')
    await settle()
    kill()
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS)
    await t.update(taskId, { 'elicitation-1': accept })
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('{"receipt":1}') })
    expect(charges).toEqual([1])
  })

  it('fails where the worker was lost during a step, which does not run again', async () => {
    const charges: number[] = []
    const tool = defineTool({
      ...ask,
      onOrphan: 'retry',
      async handler(_, { once, sleep }) {
        await once('charge', async () => {
          charges.push(1)
          await sleep(60_000)
        })
        return text('charged')
      },
    })
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('ask')
    await settle()
    kill()
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({
      status: 'failed',
      statusMessage:
        'The worker was lost while it ran the step "charge". The step may have happened, so it is not run again.',
    })
    expect(charges).toEqual([1])
  })
})

/** Does one part a second, and says so. */
/** So many workers, one after the other, each of which is killed in the middle of its work. */
async function loseWorkers({ clock, startWorker }: ReturnType<typeof setup>, count: number): Promise<void> {
  for (let worker = 1; worker <= count; worker += 1) {
    const { kill } = startWorker()
    await settle()
    kill()
    await clock.advance(2 * LEASE_MS)
  }
}

function inParts(options?: ToolStepOptions) {
  const runs: string[] = []
  const tool = defineTool({
    ...slow,
    onOrphan: 'retry',
    async handler(_, { progress, once, sleep }) {
      for (const part of [1, 2, 3, 4]) {
        await progress(part, 4)
        const work = () => {
          runs.push(`part ${part}`)
          return sleep(1000)
        }
        await once(`part ${part}`, work, options)
      }
      return text('done')
    },
  })
  return { tool, runs }
}

describe('a step that may be repeated', () => {
  it('runs again where the worker was lost during it, and those before it do not', async () => {
    const { tool, runs } = inParts({ mayRepeat: true })
    const t = setup([tool])
    const { kill } = t.startWorker()
    const taskId = await t.start('slow')
    await settle()
    await t.clock.advance(2500)
    kill()
    t.startWorker()
    await t.clock.advance(2 * LEASE_MS)
    await t.clock.advance(2000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
    expect(runs).toEqual(['part 1', 'part 2', 'part 3', 'part 3', 'part 4'])
  })
})

describe('the progress of a handler that runs again', () => {
  it('is not shown as long as it is below what was shown before', async () => {
    const t = setup([defineTool({ ...inParts().tool, handler: withoutSteps })])
    const { kill } = t.startWorker()
    const taskId = await t.start('slow')
    await settle()
    await t.clock.advance(2000)
    const shown = async () => (await t.get(taskId))['statusMessage']
    expect(await shown()).toBe('3 of 4')
    kill()
    t.startWorker()
    const all = new Set<unknown>()
    for (let second = 0; second < 12 && !all.has('4 of 4'); second += 1) {
      await t.clock.advance(1000)
      all.add(await shown())
    }
    expect([...all]).toEqual(['3 of 4', '4 of 4'])
  })

  async function withoutSteps(_: unknown, { progress, sleep }: ToolContext) {
    for (const part of [1, 2, 3, 4]) {
      await progress(part, 4)
      await sleep(part === 4 ? 60_000 : 1000)
    }
    return text('done')
  }
})

describe('a step of a handler', () => {
  const stepping = (names: string[], value: unknown = 1) =>
    defineTool({
      ...slow,
      async handler(_, { once }) {
        const results = []
        for (const name of names) results.push(await once(name, () => value))
        return text(JSON.stringify(results))
      },
    })

  it('runs anywhere, and costs no writes where the handler is never run again', async () => {
    const t = startServer({ tools: [stepping(['a', 'b'])] })
    expect(await t.get(await t.start('slow'))).toMatchObject({ status: 'completed', result: text('[1,1]') })
  })

  it.each<[string, ToolDefinition]>([
    ['whose name was used before', stepping(['a', 'a'])],
    ['whose result is not JSON', stepping(['a'], 1n)],
  ])('is refused %s', async (_, tool) => {
    const t = startServer({ tools: [tool] })
    expect(await t.get(await t.start('slow'))).toMatchObject({ status: 'failed' })
    expect(t.errors[0]?.error).toMatchObject({ name: 'TaskConfigurationError' })
  })
})

describe('close()', () => {
  it('lets work end, and takes no more', async () => {
    const t = setup([slow])
    const { worker } = t.startWorker()
    const taskId = await t.start('slow', { ms: 2000 })
    await settle()
    let isClosed = false
    const closing = worker.close({ drainMs: 5000 }).then(() => {
      isClosed = true
    })
    const later = await t.start('slow', { ms: 10 })
    await t.clock.advance(1999)
    expect(isClosed).toBe(false)
    await t.clock.advance(1)
    await closing
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
    expect(await t.get(later)).toMatchObject({ statusMessage: 'Waiting for a worker.' })
  })

  it('hands work over that may be run again, and fails the rest', async () => {
    const { tool, runs } = counted({ onOrphan: 'retry' })
    const t = setup([tool, slow])
    const { worker } = t.startWorker()
    const [retried, failed] = [await t.start('counted'), await t.start('slow', { ms: 60_000 })]
    await settle()
    const closing = worker.close({ drainMs: 100 })
    await settle()
    await t.clock.advance(100)
    await closing
    expect(await t.get(failed)).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('shut down') })
    expect(await t.get(retried)).toMatchObject({ status: 'working' })
    t.startWorker()
    await settle()
    await t.clock.advance(60_000)
    expect(await t.get(retried)).toMatchObject({ status: 'completed' })
    expect(runs).toEqual(['begun', 'stopped', 'begun', 'done'])
  })

  it('hands work over as often as it takes, and five workers that are lost still end the task', async () => {
    const { tool, runs } = counted({ onOrphan: 'retry' })
    const t = setup([tool])
    const taskId = await t.start('counted')
    for (let deploy = 1; deploy <= 6; deploy += 1) {
      const { worker } = t.startWorker()
      await settle()
      await worker.close()
    }
    expect(await t.get(taskId)).toMatchObject({ status: 'working' })
    await loseWorkers(t, 6)
    expect(await t.get(taskId)).toMatchObject({ status: 'failed', statusMessage: LOST })
    expect(runs.filter((run) => run === 'begun')).toHaveLength(11)
  })

  it('of a server lets its own work end', async () => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow', { ms: 1000 })
    const closing = t.server.close({ drainMs: 5000 })
    await t.clock.advance(1000)
    await closing
    expect(taskId).toBeDefined()
    expect((await t.server.fetch(new Request('http://a.example', { method: 'POST' }))).status).toBe(503)
  })
})

describe('close() of a server whose clients wait for their results', () => {
  const inputs = { name: 'slow', arguments: { ms: 1000 } }
  const legacy = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: inputs })
  const requests: [string, () => Request][] = [
    ['a host without tasks', () => rpcRequest('tools/call', inputs, { capabilities: {} })],
    ['a host of an earlier revision', () => post(legacy, { 'mcp-protocol-version': '2025-11-25' })],
  ]

  it.each(requests)('lets a call of %s end', async (_, request) => {
    const t = startServer({ tools: [slow] })
    const answered = t.server.fetch(request()).then((response) => response.text())
    await settle()
    const closing = t.server.close({ drainMs: 5000 })
    await settle()
    await t.clock.advance(1000)
    await closing
    expect(await answered).toContain('"text":"done"')
    expect(t.errors).toEqual([])
  })

  it('stops a call that takes longer', async () => {
    const stopped = vi.fn()
    const tool = defineTool({
      ...slow,
      async handler(_args, { sleep, signal }) {
        signal.addEventListener('abort', stopped)
        await sleep(60_000)
        return text('done')
      },
    })
    const t = startServer({ tools: [tool] })
    void t.server.fetch(rpcRequest('tools/call', inputs, { capabilities: {} }))
    await settle()
    const closing = t.server.close({ drainMs: 5000 })
    await t.clock.advance(4999)
    expect(stopped).not.toHaveBeenCalled()
    await t.clock.advance(1)
    await closing
    expect(stopped).toHaveBeenCalledOnce()
    expect(t.clock.pending).toBe(0)
  })
})

describe('a server under load', () => {
  it('lets so many handlers run at a time, and says of the others how many come before', async () => {
    const t = startServer({ tools: [slow], maxRunning: 2 })
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) ids.push(await t.start('slow', { ms: 1000 }))
    const messages = async () => Promise.all(ids.map(async (id) => (await t.get(id))['statusMessage']))
    const ahead = (count: number) => `Waiting for its turn: ${count} before it.`
    expect(await messages()).toEqual([undefined, undefined, ahead(0), ahead(1), ahead(2)])
    await t.cancel(String(ids[2]))
    await t.clock.advance(1000)
    expect(await messages()).toEqual([undefined, undefined, undefined, undefined, undefined])
    await t.clock.advance(1000)
    expect((await t.get(String(ids[4])))['status']).toBe('completed')
  })

  it('counts those before a task anew where one of them is cancelled', async () => {
    const t = startServer({ tools: [slow], maxRunning: 1 })
    const ids: string[] = []
    for (let index = 0; index < 6; index += 1) ids.push(await t.start('slow', { ms: 1000 }))
    const ahead = async (index: number) => String((await t.get(String(ids[index])))['statusMessage'])
    expect(await ahead(5)).toContain(': 4 before it')
    await t.clock.advance(1000)
    expect(await ahead(5)).toContain(': 3 before it')
    await t.cancel(String(ids[3]))
    await t.clock.advance(0)
    expect([await ahead(2), await ahead(4), await ahead(5)].join()).toMatch(/: 0 .*: 1 .*: 2 /)
    ids.push(await t.start('slow', { ms: 1000 }))
    await t.clock.advance(1000)
    expect([await ahead(4), await ahead(5), await ahead(6)].join()).toMatch(/: 0 .*: 1 .*: 2 /)
  })

  it('says of a task in a queue how many come before at most, as of when the queue was last asked', async () => {
    const t = setup([slow])
    const ids = [await t.start('slow'), await t.start('slow')]
    const messages = async () => Promise.all(ids.map(async (id) => (await t.get(id))['statusMessage']))
    // Nobody has asked the queue yet.
    expect(await t.get(String(ids[0]))).toMatchObject({ statusMessage: 'Waiting for a worker.' })
    const atMost = (count: number) => `Waiting for a worker: at most ${count} before it.`
    expect(await messages()).toEqual([atMost(1), atMost(1)])
    // The count is of a time at which this one was not in the queue.
    await t.clock.advance(1)
    ids.push(await t.start('slow'))
    expect(await messages()).toEqual([atMost(1), atMost(1), 'Waiting for a worker.'])
    await t.clock.advance(1000)
    await messages()
    expect(await messages()).toEqual([atMost(2), atMost(2), atMost(2)])
    t.startWorker({ concurrency: 2 })
    await settle()
    await t.clock.advance(999)
    expect((await messages()).slice(0, 2)).toEqual([undefined, undefined])
    await t.clock.advance(1)
    await settle()
    await messages()
    expect(await t.get(String(ids[2]))).not.toMatchObject({ statusMessage: expect.stringContaining('Waiting') })
  })

  it('says nothing of its place of work that begins again, whose job is younger than its task', async () => {
    const t = setup([defineTool({ ...slow, onOrphan: 'retry' })])
    const taskId = await t.start('slow', { ms: 60_000 })
    const { kill } = t.startWorker()
    await settle()
    kill()
    await t.clock.advance(2 * LEASE_MS)
    await t.get(taskId)
    expect(t.queue.untaken.at(-1)).toMatchObject({ attempt: 2 })
    expect(await t.get(taskId)).not.toHaveProperty('statusMessage')
  })

  it('asks clients of a queue to poll as often as the number of its jobs allows', async () => {
    const t = setup([slow], { pollIntervalMs: ({ waiting }) => 1000 * (waiting + 1) })
    const ids = [await t.start('slow'), await t.start('slow')]
    await t.clock.advance(1000)
    await t.get(String(ids[0]))
    expect(await t.get(String(ids[0]))).toMatchObject({ pollIntervalMs: 3000 })
  })

  it('asks clients to poll as often as the load allows', async () => {
    const t = startServer({
      tools: [slow, defineTool({ ...slow, name: 'own', pollIntervalMs: 7 })],
      maxRunning: 1,
      pollIntervalMs: ({ running, waiting }) => 1000 * (running + waiting + 1),
    })
    const taskId = await t.start('slow', { ms: 10 })
    expect(await t.get(taskId)).toMatchObject({ pollIntervalMs: 2000 })
    const own = await t.start('own', { ms: 10 })
    expect(await t.get(taskId)).toMatchObject({ pollIntervalMs: 3000 })
    expect(await t.get(own)).toMatchObject({ pollIntervalMs: 7 })
  })
})
