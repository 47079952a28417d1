import { randomBytes } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createTaskServer, createTaskWorker, defineTool, type TaskQueue, type TaskStore } from 'taskwire/server'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { postgresQueue, postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { rpc } from '../server/support/rpc.js'
import { text } from '../server/support/tools.js'

const serverInfo = { name: 'test', version: '1.0.0' }
const ARGUMENT = 1_000_000
/** How many changes are made while it is measured: 20 of the progress, the others renewals of the lease. */
const CHANGES = 24
const LEASE_MS = 2000

interface Parts {
  readonly store: TaskStore
  readonly queue: TaskQueue
  /** How many bytes the database has been sent, or has written, so far. */
  bytes(): Promise<number>
}

/** How many bytes the progress and the renewals of one task with a large argument cost. */
async function bytesOfChanges({ store, queue, bytes }: Parts, sealing = {}): Promise<number> {
  let changes = 0
  let onChange = () => {}
  const counted: TaskStore = {
    ...store,
    async transition(...args) {
      const isDone = await store.transition(...args)
      changes += 1
      onChange()
      return isDone
    },
  }
  let resolve = (_: number) => {}
  const measured = new Promise<number>((settle) => (resolve = settle))
  const tool = defineTool({
    name: 'large',
    inputSchema: z.object({ file: z.string() }),
    taskSupport: 'required',
    async handler({ file }, { progress }) {
      const before = await bytes()
      const first = changes
      for (let step = 0; step < 20; step += 1) await progress(step, 20)
      await new Promise<void>((enough) => {
        onChange = () => changes - first >= CHANGES && enough()
        onChange()
      })
      resolve((await bytes()) - before)
      return text(`${file.length}`)
    },
  })
  const options = { serverInfo, tools: [tool], leaseMs: LEASE_MS, ...sealing }
  const server = createTaskServer({ ...options, store, executor: queue, maxRequestBodySize: 4 * ARGUMENT })
  const worker = createTaskWorker({ ...options, store: counted, queue })
  onTestFinished(async () => {
    await server.close()
    await worker.close()
  })
  // Postgres would compress what is the same.
  const file = randomBytes((ARGUMENT * 3) / 4).toString('base64')
  await rpc(server, 'tools/call', { name: 'large', arguments: { file } })
  return measured
}

const plain = {}
/** In place of a cipher. */
const sealed = {
  seal: (content: string) => Buffer.from(content).toString('base64'),
  open: (content: string) => Buffer.from(content, 'base64').toString(),
}
const BOTH = [
  ['in clear text', plain],
  ['sealed', sealed],
] as const

describe('the progress and the lease of a task with an argument of 1 MB', { timeout: 60_000 }, () => {
  it.each(BOTH)('are written to Postgres without the argument: %s', async (_, sealing) => {
    const database = await startPostgres()
    const pool = new pg.Pool({ connectionString: database.url })
    onTestFinished(async () => {
      await pool.end()
      await database.stop()
    })
    const read = async () => BigInt((await pool.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS at")).rows[0].at)
    const start = await read()
    const bytes = async () => Number((await read()) - start)
    const parts = { store: postgresTaskStore({ pool }), queue: postgresQueue({ pool }), bytes }
    const written = await bytesOfChanges(parts, sealing)
    expect(written).toBeLessThan(ARGUMENT / 2)
  })

  const name = hasRedis ? 'are sent to Redis without the argument: %s' : WITHOUT_REDIS
  it.skipIf(!hasRedis).each(BOTH)(name, async (_, sealing) => {
    const database = await startRedis()
    const redis = new Redis(database.url)
    const queue = bullmqQueue({ Queue, Worker, connection: { url: database.url } })
    onTestFinished(async () => {
      await queue.close()
      redis.disconnect()
      await database.stop()
    })
    const bytes = async () => Number(/total_net_input_bytes:(\d+)/.exec(await redis.info('stats'))?.[1])
    const parts = { store: redisTaskStore({ redis }), queue, bytes }
    expect(await bytesOfChanges(parts, sealing)).toBeLessThan(ARGUMENT / 10)
  })
})
