import { createPostgresBackend, Queue, runMigrations, Worker, withBackend } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import {
  createTaskServer,
  createTaskWorker,
  defineTool,
  type TaskJob,
  type TaskQueue,
  type TaskStore,
} from 'taskwire/server'
import { bullmqQueue, type ClosableQueue } from 'taskwire/server/bullmq'
import { postgresQueue, postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { workingRecord } from '../../src/tools/testing/workingRecord.js'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { listen } from '../server/support/listening.js'
import { type Json, rpc } from '../server/support/rpc.js'
import { text } from '../server/support/tools.js'
import { PATIENCE } from '../support/patience.js'

const serverInfo = { name: 'test', version: '1.0.0' }

/** Real time, so it waits for the pushed end of the task and never for a while. */
async function outcomeOf(server: ReturnType<typeof createTaskServer>, taskId: string): Promise<Json> {
  const stream = await listen({ server } as Parameters<typeof listen>[0], { taskIds: [taskId] })
  await stream.over
  return (await rpc(server, 'tasks/get', { taskId })).result ?? {}
}

const greet = defineTool({
  name: 'greet',
  inputSchema: z.object({ name: z.string() }),
  taskSupport: 'required',
  async handler({ name }, { elicit }) {
    const answer = await elicit({ message: `Greet ${name}?`, requestedSchema: z.object({ sure: z.boolean() }) })
    return text(`${answer.action} ${name}`)
  },
})

/** A queue and a store over one database, and how to make more of each, as another process would. */
interface Parts {
  store(): TaskStore
  queue(): TaskQueue & Partial<ClosableQueue>
}

function describeWork(parts: () => Parts): void {
  it('has the work done by a worker, which gets what clients answer', async () => {
    const { store, queue } = parts()
    const executor = queue()
    const server = createTaskServer({ serverInfo, tools: [greet], store: store(), executor })
    const worker = createTaskWorker({ serverInfo, tools: [greet], store: store(), queue: queue() })
    onTestFinished(async () => {
      await server.close()
      await worker.close()
      await executor.close?.()
    })
    const { result } = await rpc(server, 'tools/call', { name: 'greet', arguments: { name: 'Ann' } })
    const taskId = String(result?.['taskId'])
    const stream = await listen({ server } as Parameters<typeof listen>[0], { taskIds: [taskId] })
    await stream.seen((message) => JSON.stringify(message).includes('input_required'))
    await rpc(server, 'tasks/update', { taskId, inputResponses: { 'elicitation-1': { action: 'decline' } } })
    expect(await outcomeOf(server, taskId)).toMatchObject({ status: 'completed', result: text('decline Ann') })
  })
}

function describeQueue(parts: () => Parts): void {
  describeWork(parts)

  it('counts the jobs that wait for a worker, whether it has added one or not', async () => {
    const { queue } = parts()
    const [starting, other] = [queue(), queue()]
    onTestFinished(async () => {
      await starting.close?.()
      await other.close?.()
    })
    expect(await other.waiting?.()).toBe(0)
    for (let index = 0; index < 3; index += 1) {
      await starting.start({ taskId: `waiting-${index}`, tool: 'none', attempt: 1 })
    }
    expect([await starting.waiting?.(), await other.waiting?.()]).toEqual([3, 3])
    const taken = new Promise<void>((resolve) => {
      const run = () => {
        resolve()
        return new Promise<void>(() => {})
      }
      const worker = queue().work(run, { concurrency: 1, leaseMs: 30_000, onError: () => {} })
      onTestFinished(async () => {
        await worker.stop()
        await worker.close()
      })
    })
    await taken
    expect(await other.waiting?.()).toBe(2)
  })

  it('adds a job once, however often it is started', async () => {
    const { queue } = parts()
    const starting = queue()
    const job = { taskId: `twice-${process.pid}`, tool: 'none', attempt: 1 }
    await Promise.all([starting.start(job), starting.start(job), starting.start(job)])
    await starting.start({ ...job, taskId: `last-${process.pid}` })
    const taken: TaskJob[] = []
    await new Promise<void>((resolve) => {
      const worker = queue().work(
        async (one) => {
          taken.push(one)
          if (one.taskId.startsWith('last')) resolve()
        },
        { concurrency: 1, leaseMs: 30_000, onError: () => {} },
      )
      onTestFinished(async () => {
        await worker.stop()
        await worker.close()
        await starting.close?.()
      })
    })
    expect(taken.filter(({ taskId }) => taskId === job.taskId)).toEqual([job])
  })
}

describe('BullMQ on Postgres', () => {
  let database: Database
  let pool: pg.Pool
  const Classes = withBackend(createPostgresBackend)
  let round = 0

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 20 })
    pool.on('error', () => {})
    await runMigrations(pool)
  }, 60_000)

  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  describeQueue(() => {
    round += 1
    const name = `queue${process.pid}_${round}`
    return {
      store: () => postgresTaskStore({ pool, schema: name }),
      queue: () => bullmqQueue({ ...Classes, connection: { connectionString: database.url }, name }),
    }
  })
})

describe('the table of tasks on Postgres', () => {
  let database: Database
  let pool: pg.Pool
  let round = 0

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 20 })
  }, 60_000)

  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  const parts = () => {
    round += 1
    const schema = `queue${process.pid}_${round}`
    return { store: () => postgresTaskStore({ pool, schema }), queue: () => postgresQueue({ pool, schema }) }
  }
  describeWork(parts)

  it('notifies workers of a task where one of them waits, and of no task where none does', async () => {
    const { store, queue } = parts()
    const schema = `queue${process.pid}_${round}`
    const waiting = (taskId: string) => workingRecord(taskId, { attempt: 0, lease: { worker: '', until: Date.now() } })
    const heard: (string | undefined)[] = []
    const client = await pool.connect()
    client.on('notification', ({ payload }) => heard.push(payload))
    onTestFinished(() => client.release(true))
    await store().create(waiting('first'))
    await client.query(`LISTEN ${schema}_jobs`)
    /** What was heard until now: notifications come in the order in which they were sent. */
    const heardOf = async (name: string) => {
      await pool.query(`SELECT pg_notify('${schema}_jobs', '${name}')`)
      await vi.waitFor(() => expect(heard).toContain(name), PATIENCE)
      return heard.splice(0).slice(0, -1)
    }
    const workersWaiting = async () =>
      (await pool.query("SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'"))
        .rows[0].n
    await store().create(waiting('without a worker'))
    expect(await heardOf('no worker')).toEqual([])

    const jobs: { taskId: string; end(): void }[] = []
    const begun = (taskId: string) =>
      vi.waitFor(() => expect(jobs.map((job) => job.taskId)).toContain(taskId), PATIENCE)
    const run = ({ taskId }: TaskJob) => new Promise<void>((end) => jobs.push({ taskId, end }))
    const worker = queue().work(run, { concurrency: 3, leaseMs: 30_000, onError: () => {} })
    onTestFinished(() => worker.stop())
    await begun('without a worker')
    await vi.waitFor(async () => expect(await workersWaiting()).toBe(1), PATIENCE)
    await store().create(waiting('with room'))
    await begun('with room')
    expect(await heardOf('room')).toEqual([''])

    await vi.waitFor(async () => expect(await workersWaiting()).toBe(0), PATIENCE)
    await store().create(waiting('without room'))
    expect(await heardOf('full')).toEqual([])
    for (const { end } of jobs) end()
    await begun('without room')
  })

  it.each([
    ['a task that waits is a job, which one of many workers takes', 5],
    ['one worker takes the tasks that wait in the order of their creation', 1],
  ])('is the queue: %s', async (_, workers) => {
    const { store, queue } = parts()
    const created = Array.from({ length: 30 }, (_, index) =>
      workingRecord(`t${index}`, { attempt: 0, lease: { worker: '', until: Date.now() + 60_000 } }),
    ).map((record, index) => ({ ...record, task: { ...record.task, createdAt: new Date(index).toISOString() } }))
    await Promise.all(created.map((record) => store().create(record)))
    expect(await queue().waiting?.()).toBe(30)
    const taken: TaskJob[] = []
    await new Promise<void>((resolve) => {
      const run = async (job: TaskJob) => {
        taken.push(job)
        if (taken.length === 30) resolve()
      }
      for (let index = 0; index < workers; index += 1) {
        const worker = queue().work(run, { concurrency: workers === 1 ? 1 : 2, leaseMs: 30_000, onError: () => {} })
        onTestFinished(() => worker.stop())
      }
    })
    expect(new Set(taken.map(({ taskId }) => taskId)).size).toBe(30)
    // Of several workers, whichever hears of its job first begins first.
    const order = taken.map(({ taskId }) => taskId)
    const known = created.map(({ task }) => task.taskId)
    expect(workers === 1 ? order : order.sort()).toEqual(workers === 1 ? known : known.sort())
    expect(taken).toContainEqual({ taskId: 't0', tool: 'tool', attempt: 1 })
  })
})

describe.skipIf(!hasRedis)(hasRedis ? 'BullMQ on Redis' : WITHOUT_REDIS, () => {
  let database: Database
  let redis: Redis
  let round = 0

  beforeAll(async () => {
    database = await startRedis()
    redis = new Redis(database.url)
  })

  afterAll(async () => {
    await redis.quit()
    await database.stop()
  })

  describeQueue(() => {
    round += 1
    const name = `queue${process.pid}_${round}`
    return {
      store: () => redisTaskStore({ redis, prefix: `{${name}}:` }),
      queue: () => bullmqQueue({ Queue, Worker, connection: { url: database.url }, name }),
    }
  })
})
