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
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { testEnvironment } from './environmentContract.js'
import { testSharedStorage, testStorage } from './storageContract.js'

describe('on Postgres', () => {
  let database: Database
  let pool: pg.Pool
  const schema = `backend_${process.pid}`

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 10 })
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
      () => pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"),
    ))

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

  it('refuses what is no client of ioredis, and an option that it does not have', () => {
    expect(() => redisStorage({ redis: {} as never })).toThrow(/Pass a client of ioredis/)
    expect(() => redisStorage({ redis, schema: 'x' } as never)).toThrow(/no option `schema`/)
    expect(() => redisEnvironment({ redis: {} as never })).toThrow(/Pass a client of ioredis/)
    expect(() => redisEnvironment({ redis, leaseMs: Number.NaN })).toThrow(/leaseMs is NaN/)
  })
})
