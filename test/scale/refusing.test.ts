import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createTaskServer, type TaskQueue, type TaskStore } from 'taskwire/server'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { postgresQueue, postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { workingRecord } from '../../src/tools/testing/workingRecord.js'
import { hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { rpc } from '../server/support/rpc.js'
import { slow } from '../server/support/tools.js'

/** A database that refuses writes, with what lets it accept them again. */
interface Refusing {
  readonly store: TaskStore
  readonly queue: TaskQueue
  accept(): Promise<unknown>
}

async function readOnlyPostgres(): Promise<Refusing> {
  const database = await startPostgres()
  onTestFinished(() => database.stop())
  const schema = `refusing_${process.pid}`
  await migrated(database.url, schema)
  const owner = new pg.Client(database.url)
  await owner.connect()
  onTestFinished(() => owner.end())
  const readOnly = (value: 'on' | 'off') =>
    owner.query(`ALTER DATABASE postgres SET default_transaction_read_only = ${value}`)
  await readOnly('on')
  await owner.query('SET default_transaction_read_only = off')
  // The setting is that of sessions that begin after it.
  const pool = new pg.Pool({ connectionString: database.url, idleTimeoutMillis: 1 })
  onTestFinished(() => pool.end())
  const options = { pool, schema, prepare: false }
  const accept = async () => {
    await readOnly('off')
    await vi.waitUntil(() => pool.totalCount === 0, { timeout: 20_000, interval: 10 })
  }
  return { store: postgresTaskStore(options), queue: postgresQueue(options), accept }
}

async function migrated(url: string, schema: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url })
  await postgresTaskStore({ pool, schema }).get('none')
  await pool.end()
}

async function fullRedis(): Promise<Refusing> {
  const database = await startRedis()
  onTestFinished(() => database.stop())
  const redis = new Redis(database.url)
  onTestFinished(() => redis.disconnect())
  const prefix = `{refusing${process.pid}}`
  const queue = bullmqQueue({ Queue, Worker, connection: { url: database.url }, prefix })
  onTestFinished(() => queue.close())
  await queue.waiting?.()
  const memory = (bytes: number) => redis.config('SET', 'maxmemory', bytes)
  await memory(1)
  return { store: redisTaskStore({ redis, prefix: `${prefix}:` }), queue, accept: () => memory(0) }
}

describe.each([
  ['Postgres that is only readable', readOnlyPostgres, true],
  [hasRedis ? 'Redis that is full' : WITHOUT_REDIS, fullRedis, hasRedis],
] as const)('a call on a %s', { timeout: 90_000 }, (_, start, isThere) => {
  it.skipIf(!isThere)(
    'is refused with 503 and Retry-After, says that it was not started, and is accepted later',
    async () => {
      const { store, queue, accept } = await start()
      const options = { serverInfo: { name: 'test', version: '1.0.0' }, pollIntervalMs: 2000, onError: () => {} }
      const server = createTaskServer({ ...options, tools: [{ ...slow, onOrphan: 'retry' }], store, executor: queue })
      onTestFinished(() => server.close())
      const call = () => rpc(server, 'tools/call', { name: 'slow', arguments: {} })
      const { status, headers, error } = await call()
      expect([status, headers.get('retry-after'), error?.message]).toEqual([
        503,
        '2',
        'The call was not started: the server cannot keep tasks right now. Send it again.',
      ])
      expect((await store.list?.({}))?.tasks).toEqual([])
      await accept()
      expect((await call()).result).toMatchObject({ resultType: 'task', status: 'working' })
      expect((await store.list?.({}))?.tasks).toHaveLength(1)
    },
  )
})

it('a record that Postgres cannot index is refused alone, without those that are written with it', async () => {
  const database = await startPostgres()
  onTestFinished(() => database.stop())
  const pool = new pg.Pool({ connectionString: database.url })
  onTestFinished(() => pool.end())
  const store = postgresTaskStore({ pool, schema: `unindexed_${process.pid}` })
  await store.create(workingRecord('first'))
  // Random, for Postgres compresses what it indexes.
  const owner = Buffer.from(crypto.getRandomValues(new Uint8Array(6000))).toString('base64')
  const creations = [store.create(workingRecord('bad', { owner })), store.create(workingRecord('good'))]
  const [bad, good] = await Promise.allSettled(creations)
  expect([bad?.status, good?.status]).toEqual(['rejected', 'fulfilled'])
})
