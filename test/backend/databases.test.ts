import { Redis } from 'ioredis'
import pg from 'pg'
import { TaskConfigurationError } from 'taskwire'
import {
  postgresBackendDdl,
  postgresEnvironment,
  postgresStorage,
  redisEnvironment,
  redisStorage,
} from 'taskwire/backend'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { PATIENCE } from '../support/patience.js'
import { testEnvironment } from './environmentContract.js'
import { testSharedStorage, testStorage } from './storageContract.js'

describe('on Postgres', () => {
  let database: Database
  let pool: pg.Pool
  const schema = `backend_${process.pid}`

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 10 })
    // Of sessions that a test has cut.
    pool.on('error', () => {})
  }, 60_000)

  afterAll(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
    await database.stop()
  })

  describe('postgresStorage', () => {
    const open = () => postgresStorage({ pool, schema })
    testStorage(open)
    testSharedStorage(open)
  })

  describe('postgresEnvironment', () =>
    testEnvironment(
      () => postgresEnvironment({ pool, schema, leaseMs: 1500 }),
      // The session that listens also renews locks.
      () =>
        pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE query LIKE 'LISTEN%' OR query LIKE 'UPDATE ${schema}.locks%'`),
    ))

  it('keeps its locks while every other connection of the pool is in use', async () => {
    const small = new pg.Pool({ connectionString: database.url, max: 3 })
    const environment = postgresEnvironment({ pool: small, schema, leaseMs: 1000 })
    let letGo = () => {}
    let isLost = false
    const isGranted = new Promise<void>((resolve) => {
      const work = () => {
        resolve()
        return new Promise<void>((done) => {
          letGo = done
        })
      }
      environment.locks.request('taskwire:test:busy', {}, work).catch(() => {
        isLost = true
      })
    })
    await isGranted
    const others = await Promise.all([small.connect(), small.connect()])
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(isLost).toBe(false)
    for (const other of others) other.release()
    letGo()
    await environment.close()
    await small.end()
  })

  it('reads in one statement what is wanted at the same time, and posts in one what is said', async () => {
    const statements: string[] = []
    const counting = {
      connect: async () => {
        const client = await pool.connect()
        const query = (statement: string | pg.QueryConfig) => {
          statements.push(typeof statement === 'string' ? statement : statement.text)
          return client.query(statement as pg.QueryConfig)
        }
        return { query, on: client.on.bind(client), release: client.release.bind(client) }
      },
      on: pool.on.bind(pool),
    }
    const countOf = (text: string) => statements.filter((statement) => statement.includes(text)).length
    const storage = postgresStorage({ pool: counting as never, schema })
    for (const id of ['x', 'y']) await storage.setItem(`together:${id}`, id)
    const read = await Promise.all(['y', 'none', 'x', 'y'].map((id) => storage.getItem(`together:${id}`)))
    expect(read).toEqual(['y', undefined, 'x', 'y'])
    expect(countOf('SELECT key, value')).toBe(1)

    const [one, other] = [counting as never, pool].map((own) => postgresEnvironment({ pool: own, schema }))
    const [from, to] = [one, other].map((environment) => environment?.channel('together'))
    const heard: unknown[] = []
    to?.onMessage((message) => heard.push(message))
    await vi.waitFor(() => {
      from?.postMessage('ready')
      expect(heard).toContain('ready')
    }, PATIENCE)
    const before = countOf('pg_notify')
    for (const number of [1, 2, 3]) from?.postMessage(number)
    await vi.waitFor(() => expect(heard.slice(-3)).toEqual([1, 2, 3]), PATIENCE)
    expect(countOf('pg_notify') - before).toBeLessThanOrEqual(2)
    await Promise.all([one?.close(), other?.close()])
  })

  it('makes its tables once, however many processes begin at the same time', async () => {
    const own = `${schema}_new`
    const storages = Array.from({ length: 8 }, () => postgresStorage({ pool, schema: own }))
    await Promise.all(storages.map((storage, index) => storage.setItem(`a:${index}`, 'x')))
    expect(storages[0] && [...(await storages[0].keys('a:'))]).toHaveLength(8)
    await pool.query(`DROP SCHEMA ${own} CASCADE`)
  })

  it('says what to run where it may not make its tables, and takes those that the DDL has made', async () => {
    const own = `${schema}_ddl`
    const storage = postgresStorage({ pool, schema: own, migrate: false })
    await expect(storage.getItem('a:b')).rejects.toThrow(/Run postgresBackendDdl/)
    await pool.query(postgresBackendDdl(own))
    await storage.setItem('a:b', 'c')
    expect(await storage.getItem('a:b')).toBe('c')
    await pool.query(`DROP SCHEMA ${own} CASCADE`)
  })

  it('grants locks for a lease that is no whole number of ms', async () => {
    const environment = postgresEnvironment({ pool, schema, leaseMs: 4000 / 3 })
    expect(await environment.locks.request('a lock', {}, async () => 'held')).toBe('held')
    await environment.close()
  })

  it('refuses what is no pool, an option that it does not have and a schema that is no word', () => {
    for (const [options, message] of [
      [{ pool: {} }, /Pass a Pool of pg/],
      [{ pool, prefix: 'x' }, /no option `prefix`/],
      [{ pool, schema: 'a;b' }, /no plain name/],
    ] as const) {
      expect(() => postgresStorage(options as never)).toThrow(TaskConfigurationError)
      expect(() => postgresStorage(options as never)).toThrow(message)
      expect(() => postgresEnvironment(options as never)).toThrow(message)
    }
    expect(() => postgresEnvironment({ pool, leaseMs: 10 })).toThrow(/leaseMs is 10; it must be a number from 1000/)
  })
})

describe.skipIf(!hasRedis)(hasRedis ? 'on Redis' : WITHOUT_REDIS, () => {
  let database: Database
  let redis: Redis
  const prefix = `{backend-${process.pid}}:`

  beforeAll(async () => {
    database = await startRedis()
    redis = new Redis(database.url)
  })

  afterAll(async () => {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(keys)
    redis.disconnect()
    await database.stop()
  })

  describe('redisStorage', () => {
    const open = () => redisStorage({ redis, prefix })
    testStorage(open)
    testSharedStorage(open)
  })

  describe('redisEnvironment', () =>
    testEnvironment(
      () => redisEnvironment({ redis, prefix, leaseMs: 1500 }),
      () => redis.client('KILL', 'TYPE', 'pubsub'),
    ))

  it('leaves nothing of a user whose last record is removed', async () => {
    const storage = redisStorage({ redis, prefix: `${prefix}empty:` })
    await storage.setItem('taskwire:1:ada:call', 'x')
    await storage.removeItem('taskwire:1:ada:call')
    expect(await redis.keys(`${prefix}empty:*`)).toEqual([])
  })

  it('grants locks for a lease that is no whole number of ms', async () => {
    const environment = redisEnvironment({ redis, leaseMs: 4000 / 3 })
    expect(await environment.locks.request('a lock', {}, async () => 'held')).toBe('held')
    await environment.close()
  })

  it('refuses what is no client of ioredis, and an option that it does not have', () => {
    expect(() => redisStorage({ redis: {} as never })).toThrow(/Pass a client of ioredis/)
    expect(() => redisStorage({ redis, schema: 'x' } as never)).toThrow(/no option `schema`/)
    expect(() => redisEnvironment({ redis: {} as never })).toThrow(/Pass a client of ioredis/)
    expect(() => redisEnvironment({ redis, leaseMs: Number.NaN })).toThrow(/leaseMs is NaN/)
  })
})
