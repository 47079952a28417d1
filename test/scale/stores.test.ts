import { Redis } from 'ioredis'
import pg from 'pg'
import { postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workingRecord } from '../../src/testing/workingRecord.js'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { describeTaskStore } from '../server/support/taskStoreContract.js'

let fresh = 0

describe('the store on Postgres', () => {
  let database: Database
  let pool: pg.Pool

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 10 })
    // Clients that are idle when the database is stopped.
    pool.on('error', () => {})
  }, 60_000)

  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  const createStore = () => {
    fresh += 1
    return postgresTaskStore({ pool, table: `tasks_${process.pid}_${fresh}` })
  }
  describeTaskStore('postgresTaskStore', createStore)

  it('is told of what happens on another connection, and of what it may have missed when its own was cut', async () => {
    const store = createStore()
    const told: unknown[] = []
    let next = () => {}
    const news = () => new Promise<void>((resolve) => (next = resolve))
    let pending = news()
    const stop = store.watch?.((...change) => {
      told.push(change)
      next()
    })
    await pending
    expect(told).toEqual([[]])
    pending = news()
    await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    await pending
    expect(told).toEqual([[], []])
    pending = news()
    await store.create(workingRecord('a'))
    await pending
    expect(told.at(-1)).toEqual(['a', 1])
    stop?.()
  })

  it('makes its table once, however many processes begin at the same time', async () => {
    fresh += 1
    const table = `tasks_${process.pid}_${fresh}`
    const stores = Array.from({ length: 10 }, () => postgresTaskStore({ pool, table }))
    await Promise.all(stores.map((store, index) => store.create(workingRecord(`t${index}`))))
    for (const store of stores) expect(await store.get('t0')).toBeDefined()
  })

  it('counts, finds and changes by an index, however many records there are', async () => {
    fresh += 1
    const table = `tasks_${process.pid}_${fresh}`
    const store = postgresTaskStore({ pool, table })
    await store.get('none')
    await pool.query(
      `INSERT INTO ${table} SELECT 'id' || n, 'owner' || n % 1000, 1, n, n % 2 = 0, n, '{}', 'tool', 'working', false, 1, n, n
         FROM generate_series(1, 20000) n`,
    )
    await pool.query(`ANALYZE ${table}`)
    for (const [sql, index] of [
      [`SELECT count(*) FROM ${table} WHERE owner = 'owner2' AND at_work`, 'owner'],
      [`SELECT task_id FROM ${table} WHERE at_work AND lease_until <= 5 LIMIT 100`, 'lease'],
      [`SELECT min(expires_at) FROM ${table}`, 'expiry'],
      [`SELECT record FROM ${table} WHERE task_id = 'id7'`, 'pkey'],
      [`SELECT tool FROM ${table} ORDER BY created_at DESC, task_id DESC LIMIT 50`, 'created'],
    ]) {
      const { rows } = await pool.query(`EXPLAIN ${sql}`)
      expect(JSON.stringify(rows)).toContain(`${table}_${index}`)
    }
  })

  it('has a view of tasks for people, with times, and without what the records say', async () => {
    fresh += 1
    const table = `tasks_${process.pid}_${fresh}`
    const store = postgresTaskStore({ pool, table })
    await store.create(workingRecord('a', { owner: 'ann', call: 'a secret', lease: { worker: '', until: 5000 } }))
    const { rows } = await pool.query(`SELECT * FROM ${table}_view`)
    expect(rows).toMatchObject([{ task_id: 'a', owner: 'ann', tool: 'tool', status: 'working', is_waiting: true }])
    expect(rows[0].created_at).toEqual(new Date(0))
    expect(rows[0].lease_until).toEqual(new Date(5000))
    expect(JSON.stringify(rows)).not.toContain('a secret')
  })

  it('takes no table whose name is not plain', () => {
    expect(() => postgresTaskStore({ pool, table: 'tasks; DROP' })).toThrow('has no plain name')
  })
})

describe.skipIf(!hasRedis)(hasRedis ? 'Redis' : WITHOUT_REDIS, () => {
  let database: Database
  let redis: Redis

  beforeAll(async () => {
    database = await startRedis()
    redis = new Redis(database.url)
  })

  afterAll(async () => {
    await redis.quit()
    await database.stop()
  })

  const createStore = () => {
    fresh += 1
    return redisTaskStore({ redis, prefix: `{test${process.pid}.${fresh}}:` })
  }
  describeTaskStore('redisTaskStore', createStore)

  it('drops from its list what Redis has forgotten', async () => {
    fresh += 1
    const prefix = `{test${process.pid}.${fresh}}:`
    const store = redisTaskStore({ redis, prefix })
    for (const id of ['a', 'b', 'c']) await store.create(workingRecord(id, { expiresAt: 5 }))
    expect((await store.list?.({}))?.tasks).toEqual([])
    await store.create(workingRecord('d'))
    await store.create(workingRecord('e'))
    expect(await redis.zcard(`${prefix}created`)).toBeLessThan(5)
  })

  it('has Redis forget a record at its end, and counts it no more', async () => {
    const store = createStore()
    await store.create(workingRecord('past', { owner: 'ann', expiresAt: 1, lease: { worker: 'w', until: 1 } }))
    expect(await store.get('past')).toBeUndefined()
    expect(await store.countAtWork?.('ann')).toBe(0)
    expect(await store.lapsed?.(5, 10)).toEqual([])
  })

  it('tells what may have been missed when its connection was cut', async () => {
    const store = createStore()
    const told: unknown[] = []
    let next = () => {}
    const news = () => new Promise<void>((resolve) => (next = resolve))
    let pending = news()
    const stop = store.watch?.((...change) => {
      told.push(change)
      next()
    })
    await pending
    pending = news()
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await pending
    expect(told).toEqual([[], []])
    stop?.()
  })
})
