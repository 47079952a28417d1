import { createTaskWorker, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCuttableProcess } from './support/cuttableProcess.js'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { greet, slow, text } from './support/tools.js'

const LEASE_MS = 3000

function setup() {
  const store = new SharedStore()
  const clock = createManualClock()
  const queue = createMemoryQueue()
  const web = startServer({ store, clock, tools: [slow], executor: queue, leaseMs: LEASE_MS })
  const startWorker = (tools: ToolDefinition[]) => {
    const worker = createTaskWorker({
      serverInfo: { name: 'test', version: '1' },
      ...{ store, clock, tools, queue, leaseMs: LEASE_MS },
      onError: (error, context) => web.errors.push({ error, context }),
    })
    onTestFinished(() => worker.close())
    return worker
  }
  return { ...web, store, queue, startWorker }
}

describe('a worker that does not know the tool of a job yet', () => {
  it('gives the job back for a worker that does, and says so', async () => {
    const t = setup()
    const old = t.startWorker([greet])
    const taskId = await t.start('slow', { ms: 10 })
    await t.clock.advance(5000)
    expect(await t.get(taskId)).toMatchObject({ status: 'working' })
    expect(String(t.errors[0]?.error)).toContain('this worker has no tool "slow"')
    await old.close()
    t.startWorker([slow])
    await t.clock.advance(LEASE_MS + 1000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
    expect(await t.store.get(taskId)).not.toHaveProperty('returned')
  })

  it('pauses for longer each time, so that nothing spins', async () => {
    const t = setup()
    t.startWorker([greet])
    await t.start('slow')
    await t.clock.advance(60_000)
    const sent = t.queue.jobs.length
    expect(sent).toBeGreaterThan(3)
    expect(sent).toBeLessThan(10)
  })

  it('counts once while it rests, however often the queue delivers the job', async () => {
    const t = setup()
    t.startWorker([greet])
    const taskId = await t.start('slow')
    const [job] = t.queue.jobs
    if (job === undefined) throw new Error('no job')
    for (let second = 0; second < 6 * 60; second += 10) {
      await t.clock.advance(10_000)
      t.queue.deliverAgain(job)
      await settle()
    }
    expect(await t.get(taskId)).toMatchObject({ status: 'working' })
  })

  it('fails the task in true words where no worker comes that knows the tool', async () => {
    const t = setup()
    t.startWorker([greet])
    const taskId = await t.start('slow')
    for (let minute = 0; minute < 20; minute += 1) await t.clock.advance(60_000)
    expect(await t.get(taskId)).toMatchObject({
      status: 'failed',
      statusMessage: 'No worker knows the tool; it has not run.',
    })
  })
})

describe('a task whose tool no process knows any more', () => {
  it('fails as lost in the end, and does not stay at work', async () => {
    const t = setup()
    const other = startServer({ store: t.store, clock: t.clock, tools: [greet], leaseMs: LEASE_MS })
    // The last process that knew the tool has gone in the middle of its work.
    const taskId = await t.start('slow')
    const record = await t.store.get(taskId)
    if (record === undefined) throw new Error('no record')
    await t.server.close()
    const lease = { worker: 'gone', until: t.clock.now() }
    await t.store.transition({ ...record, version: 2, attempt: 1, lease }, 1)
    await t.clock.advance(14 * 60_000)
    expect(await other.get(taskId)).toMatchObject({ status: 'working' })
    await t.clock.advance(2 * 60_000)
    expect(await other.get(taskId)).toMatchObject({ status: 'failed' })
  })
})

describe('work that was lost', () => {
  it('is found behind any number of lost tasks whose tool this process does not know', async () => {
    const store = new SharedStore()
    const clock = createManualClock()
    const { kill, ...lost } = createCuttableProcess(store, clock)
    const tool = { ...slow, onOrphan: 'retry' } as const
    const gone = startServer({ ...lost, tools: [{ ...tool, name: 'removed' }, tool], leaseMs: LEASE_MS })
    for (let index = 0; index < 150; index += 1) await gone.start('removed', { ms: 60_000 })
    const taskId = await gone.start('slow', { ms: 5000 })
    const t = startServer({ store, clock, tools: [tool], leaseMs: LEASE_MS })
    kill()
    await clock.advance(2 * LEASE_MS + 5000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
  })
})

describe('a record of a later version of taskwire', () => {
  it('is left alone: no worker takes it, and no client is told of it', async () => {
    const t = setup()
    const taskId = await t.start('slow')
    const record = await t.store.get(taskId)
    if (record === undefined) throw new Error('no record')
    const later = { ...record, format: 2, version: 2 }
    await t.store.transition(later, 1)
    t.startWorker([slow])
    await settle()
    // Sent again, the request may reach a process that can read it.
    expect((await t.rpc('tasks/get', { taskId })).error).toMatchObject({ code: -32000 })
    await t.clock.advance(3 * LEASE_MS)
    expect(await t.store.get(taskId)).toEqual(later)
    expect(String(t.errors[0]?.error)).toContain('a later version of taskwire has written it')
  })
})
