import { createTaskWorker, InMemoryTaskStore, type TaskStore } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCuttableProcess } from '../server/support/cuttableProcess.js'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { createMemoryQueue } from '../server/support/memoryQueue.js'
import { type ServerUnderTest, startServer, type TestServerOptions } from '../server/support/serverUnderTest.js'
import { SharedStore } from '../server/support/silentStore.js'
import { ask, slow, text } from '../server/support/tools.js'

const as = (name: string) => ({ authInfo: { token: name, clientId: name, scopes: [] } })
const owner = (_: Request, authInfo: { clientId: string } | undefined) => authInfo?.clientId
const quick = { ...slow, name: 'quick', handler: () => text('done') }
const TOO_MANY = -32010

/** Which of these tasks can still be read. */
async function left(t: ServerUnderTest, taskIds: readonly string[], options = {}): Promise<number[]> {
  const answers = await Promise.all(taskIds.map((taskId) => t.rpc('tasks/get', { taskId }, options)))
  return answers.flatMap(({ result }, index) => (result === undefined ? [] : [index]))
}

async function startMany(t: ServerUnderTest, count: number, tool: string, options = {}): Promise<string[]> {
  const taskIds = []
  for (let index = 0; index < count; index += 1) taskIds.push(await t.start(tool, {}, options))
  return taskIds
}

/** A store that notes down what is asked of it, and of which task. */
function logged(store: InMemoryTaskStore): { store: TaskStore; log: string[] } {
  const log: string[] = []
  const proxy = new Proxy<TaskStore>(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const [first] = args as [string | { task: { taskId: string } }]
        log.push(`${String(name)} ${typeof first === 'object' ? first.task.taskId : first}`)
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
  return { store: proxy, log }
}

/** As over a database that cannot say how many tasks are at work. */
function withoutCount(store: InMemoryTaskStore): TaskStore {
  return {
    isShared: true,
    create: (record) => store.create(record),
    get: (taskId) => store.get(taskId),
    transition: (next, version) => store.transition(next, version),
    remove: (taskId) => store.remove(taskId),
    expire: (now) => store.expire(now),
  }
}

describe('a call that becomes a task', () => {
  it('[EDGE-15] a call, a poll, a response and a cancellation read no record but their own', async () => {
    const { store, log } = logged(new InMemoryTaskStore())
    const t = startServer({ store, tools: [ask, quick] })
    await startMany(t, 50, 'quick')
    await startMany(t, 5, 'ask')
    log.length = 0
    const taskId = await t.start('ask')
    await t.get(taskId)
    await t.update(taskId, { 'elicitation-1': { action: 'decline' } })
    await t.cancel(taskId)
    await t.get(taskId)
    const others = log.filter((entry) => !entry.endsWith(` ${taskId}`))
    // The one input request that is about more than a task is a number.
    expect(others).toEqual(['countAtWork '])
    expect(log).toContain(`create ${taskId}`)
  })
})

describe('tasks at work', () => {
  it('[EDGE-15] tasks that are over leave room for others, and tasks at work do not', async () => {
    const t = startServer({ tools: [ask, quick], owner, maxTasksPerOwner: 2 })
    await startMany(t, 10, 'quick', as('ann'))
    const [first = ''] = await startMany(t, 2, 'ask', as('ann'))
    expect((await t.call('ask', {}, as('ann'))).error?.code).toBe(TOO_MANY)
    await t.update(first, { 'elicitation-1': { action: 'decline' } }, as('ann'))
    await t.get(first, as('ann'))
    await t.start('ask', {}, as('ann'))
    expect((await t.call('ask', {}, as('ann'))).error?.code).toBe(TOO_MANY)
  })

  it('[EDGE-15] tasks of all owners together have so many places', async () => {
    const t = startServer({ tools: [slow], owner, maxTasks: 2 })
    await t.start('slow', {}, as('ann'))
    await t.start('slow', {}, as('bob'))
    expect((await t.call('slow', {}, as('cem'))).error?.code).toBe(TOO_MANY)
    await t.clock.advance(1000)
    await t.start('slow', {}, as('cem'))
  })

  it('[EDGE-15] calls of many owners at once cannot share the last place', async () => {
    const t = startServer({ tools: [slow], owner, maxTasks: 2 })
    const answers = await Promise.all(['ann', 'bob', 'cem', 'dan'].map((name) => t.call('slow', {}, as(name))))
    expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, TOO_MANY, TOO_MANY])
  })

  it('[EDGE-15] a call whose task could not be stored leaves its place to another', async () => {
    const store = new InMemoryTaskStore()
    const t = startServer({ store, tools: [slow], maxTasks: 1 })
    const create = store.create.bind(store)
    store.create = () => Promise.reject(new Error('the disk is full'))
    expect(await t.call('slow')).toMatchObject({ status: 503, error: { code: -32000 } })
    store.create = create
    await t.start('slow')
  })

  it('[EDGE-15] a task that has expired leaves its place to another', async () => {
    const t = startServer({ tools: [ask], defaultTtlMs: 1000, maxTasksPerOwner: 1 })
    await t.start('ask')
    expect((await t.call('ask')).error?.code).toBe(TOO_MANY)
    await t.clock.advance(2000)
    await t.start('ask')
  })

  it('[EDGE-15] processes on one store share the limit where the store can count', async () => {
    const options = { store: new InMemoryTaskStore(), clock: createManualClock(), tools: [slow], maxTasksPerOwner: 2 }
    const [here, there] = [startServer(options), startServer(options)]
    await here.start('slow')
    await there.start('slow')
    expect((await here.call('slow')).error?.code).toBe(TOO_MANY)
    expect((await there.call('slow')).error?.code).toBe(TOO_MANY)
    await here.clock.advance(1000)
    await here.start('slow')
  })

  it('[EDGE-15] processes count for themselves where the store cannot', async () => {
    const store = withoutCount(new InMemoryTaskStore())
    const options = { store, clock: createManualClock(), tools: [slow], maxTasksPerOwner: 1 }
    const [here, there] = [startServer(options), startServer(options)]
    const taskId = await here.start('slow')
    expect((await here.call('slow')).error?.code).toBe(TOO_MANY)
    await there.start('slow')
    await there.cancel(taskId)
    await here.clock.advance(1000)
    await here.start('slow')
    expect((await here.call('slow')).error?.code).toBe(TOO_MANY)
  })
})

describe('tasks that are over', () => {
  const start = (options: Partial<TestServerOptions>) => startServer({ tools: [ask, quick], ...options })

  it('[EDGE-15] an owner has so many tasks that are over, and the oldest goes first', async () => {
    const t = start({ owner, maxEndedTasksPerOwner: 3 })
    const ofBob = await startMany(t, 2, 'quick', as('bob'))
    const ofAnn = await startMany(t, 5, 'quick', as('ann'))
    expect(await left(t, ofAnn, as('ann'))).toEqual([2, 3, 4])
    expect(await left(t, ofBob, as('bob'))).toEqual([0, 1])
  })

  it('[EDGE-15] all owners together have so many tasks that are over, and the oldest goes first', async () => {
    const t = start({ owner, maxEndedTasks: 3 })
    const ofBob = await startMany(t, 2, 'quick', as('bob'))
    const ofAnn = await startMany(t, 2, 'quick', as('ann'))
    expect(await left(t, ofBob, as('bob'))).toEqual([1])
    expect(await left(t, ofAnn, as('ann'))).toEqual([0, 1])
  })

  it('[EDGE-15] the oldest is the one that ended first, and no task at work is given up for one that is over', async () => {
    const t = start({ maxEndedTasks: 1 })
    const working = await startMany(t, 3, 'ask')
    const [first = ''] = working
    const over = await startMany(t, 2, 'quick')
    expect(await left(t, over)).toEqual([1])
    await t.update(first, { 'elicitation-1': { action: 'decline' } })
    await t.get(first)
    expect(await left(t, over)).toEqual([])
    expect(await left(t, working)).toEqual([0, 1, 2])
  })

  it('[EDGE-15] a task that has expired takes the place of none that is left', async () => {
    const brief = { ...quick, name: 'brief', ttlMs: 1000 }
    const t = startServer({ tools: [quick, brief], maxEndedTasks: 2 })
    const first = await t.start('quick')
    await t.start('brief')
    await t.clock.advance(3000)
    const second = await t.start('quick')
    expect(await left(t, [first, second])).toEqual([0, 1])
  })

  it('[EDGE-15] a thousand tasks that are over are kept for an owner, and more where nobody has a name', async () => {
    const named = start({ owner })
    const ofAnn = await startMany(named, 1001, 'quick', as('ann'))
    expect((await left(named, ofAnn, as('ann'))).length).toBe(1000)

    const nameless = start({})
    const all = await startMany(nameless, 1001, 'quick')
    expect((await left(nameless, all)).length).toBe(1001)
  })

  it('[EDGE-15] a worker keeps a thousand of an owner, too', async () => {
    const shared = { store: new SharedStore(), clock: createManualClock(), tools: [quick] }
    const queue = createMemoryQueue()
    const worker = createTaskWorker({ ...shared, serverInfo: { name: 'test', version: '1' }, queue })
    onTestFinished(() => worker.close())
    const t = startServer({ ...shared, executor: queue, owner })
    const all = await startMany(t, 1001, 'quick', as('ann'))
    await settle()
    expect(await left(t, all, as('ann'))).toHaveLength(1000)
  })

  it('[EDGE-15] a task counts that was cancelled before a worker had it', async () => {
    const shared = { store: new SharedStore(), clock: createManualClock(), tools: [quick] }
    const t = startServer({ ...shared, executor: createMemoryQueue(), owner, maxEndedTasksPerOwner: 1 })
    const all = await startMany(t, 3, 'quick', as('ann'))
    for (const taskId of all) await t.cancel(taskId, as('ann'))
    expect(await left(t, all, as('ann'))).toEqual([2])
  })

  it('[EDGE-15] a task counts whose process was lost, where that was found', async () => {
    const [store, clock] = [new SharedStore(), createManualClock()]
    const { kill, ...lost } = createCuttableProcess(store, clock)
    const options = { tools: [slow], owner, maxEndedTasksPerOwner: 1, leaseMs: 3000 }
    const all = await startMany(startServer({ ...options, ...lost }), 3, 'slow', as('ann'))
    const t = startServer({ ...options, store, clock })
    kill()
    await clock.advance(6000)
    expect(await left(t, all, as('ann'))).toHaveLength(1)
  })

  it('[EDGE-15] the limit holds over any store, and a store that fails to remove a task is told to onError', async () => {
    const inner = new InMemoryTaskStore()
    const store = withoutCount(inner)
    const t = start({ store, maxEndedTasks: 1 })
    expect(await left(t, await startMany(t, 3, 'quick'))).toEqual([2])

    store.remove = () => Promise.reject(new Error('the disk is full'))
    await startMany(t, 1, 'quick')
    expect(t.errors).toMatchObject([{ error: { message: 'the disk is full' }, context: { source: 'server' } }])
  })
})
