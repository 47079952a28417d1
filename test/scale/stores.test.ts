import { Redis } from 'ioredis'
import pg from 'pg'
import { migratePostgres, postgresDdl, postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workingRecord } from '../../src/tools/testing/workingRecord.js'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { startServer } from '../server/support/serverUnderTest.js'
import { describeTaskStore } from '../server/support/taskStoreContract.js'
import { slow } from '../server/support/tools.js'

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
    return postgresTaskStore({ pool, schema: `tasks_${process.pid}_${fresh}` })
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
    await store.transition(workingRecord('a', { version: 2 }), 1)
    await pending
    expect(told.at(-1)).toEqual(['a', 2])
    stop?.()
  })

  it('makes its schema once, however many processes begin at the same time', async () => {
    fresh += 1
    const schema = `tasks_${process.pid}_${fresh}`
    const stores = Array.from({ length: 10 }, () => postgresTaskStore({ pool, schema }))
    await Promise.all(stores.map((store, index) => store.create(workingRecord(`t${index}`))))
    for (const store of stores) expect(await store.get('t0')).toBeDefined()
  })

  it('lets an owner of hundreds of tasks have as many as are allowed, and no more', async () => {
    const store = createStore()
    let created = 0
    const createMany = async (count: number) => {
      const create = async (_: unknown, index: number) => {
        const record = workingRecord(`t${created}-${index}`, { owner: 'ann' })
        return (await store.createUnlessFull?.(record, 500)) === true
      }
      const results = await Promise.all(Array.from({ length: count }, create))
      created += results.filter(Boolean).length
    }
    await createMany(220)
    await createMany(20)
    await createMany(200)
    await createMany(100)
    expect(created).toBe(500)
    expect(await store.countAtWork?.('ann')).toBe(500)
  })

  it('lets one of two creations of an id through that come while another record is stored', async () => {
    const store = createStore()
    const create = (id: string) =>
      store.create(workingRecord(id)).then(
        () => 'created',
        () => 'refused',
      )
    const results = await Promise.all([create('a'), create('b'), create('c'), create('b')])
    expect(results.sort()).toEqual(['created', 'created', 'created', 'refused'])
  })

  it('reads in one statement what is wanted at the same time, up to sixteen records', async () => {
    fresh += 1
    let reads = 0
    const counting = {
      connect: async () => {
        const client = await pool.connect()
        return {
          query: (statement: string | pg.QueryConfig) => {
            if (typeof statement !== 'string' && statement.text.startsWith('SELECT task_id, state')) reads += 1
            return client.query(statement)
          },
          release: client.release.bind(client),
        }
      },
      on: pool.on.bind(pool),
    }
    const store = postgresTaskStore({ pool: counting as never, schema: `tasks_${process.pid}_${fresh}` })
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`)
    await Promise.all(ids.map((id) => store.create(workingRecord(id))))

    const found = await Promise.all(['t3', 'none', 't1', 't3'].map((id) => store.get(id)))
    expect(found.map((record) => record?.task.taskId)).toEqual(['t3', undefined, 't1', 't3'])
    expect(reads).toBe(1)

    const all = await Promise.all(ids.map((id) => store.get(id)))
    expect(all.map((record) => record?.task.taskId)).toEqual(ids)
    expect(reads).toBe(3)
  })

  it('counts, finds and changes by an index, however many records there are', async () => {
    fresh += 1
    const schema = `tasks_${process.pid}_${fresh}`
    const store = postgresTaskStore({ pool, schema })
    await store.get('none')
    await pool.query(
      `INSERT INTO ${schema}.tasks (task_id, owner, version, tool, status, is_waiting, attempt, created_at, updated_at, expires_at, at_work, lease_until, state, call, history)
       SELECT 'id' || n, 'owner' || n % 1000, 1, 'tool', 'working', n % 100 = 0, 1, n, n, n, n % 2 = 0, n, '{}', '', ''
       FROM generate_series(1, 20000) n`,
    )
    await pool.query(`ANALYZE ${schema}.tasks`)
    for (const [sql, index] of [
      [`SELECT count(*) FROM ${schema}.tasks WHERE owner = 'owner2' AND at_work`, 'tasks_owner'],
      [`SELECT task_id FROM ${schema}.tasks WHERE at_work AND lease_until <= 5 LIMIT 100`, 'tasks_lease'],
      [`SELECT min(expires_at) FROM ${schema}.tasks`, 'tasks_expiry'],
      [
        `SELECT task_id FROM ${schema}.tasks WHERE at_work AND is_waiting AND taken_until <= 5 ORDER BY created_at LIMIT 5`,
        'tasks_waiting',
      ],
      [`SELECT state FROM ${schema}.tasks WHERE task_id = ANY('{id7,id9}'::text[])`, 'tasks_pkey'],
      [`SELECT tool FROM ${schema}.tasks ORDER BY created_at DESC, task_id DESC LIMIT 50`, 'tasks_created'],
    ]) {
      const { rows } = await pool.query(`EXPLAIN ${sql}`)
      expect(JSON.stringify(rows)).toContain(index)
    }
  })

  it('has a view of tasks for people, with times, and without what the records say', async () => {
    fresh += 1
    const schema = `tasks_${process.pid}_${fresh}`
    const store = postgresTaskStore({ pool, schema })
    await store.create(workingRecord('a', { owner: 'ann', call: 'a secret', lease: { worker: '', until: 5000 } }))
    const { rows } = await pool.query(`SELECT * FROM ${schema}.tasks_view`)
    expect(rows).toMatchObject([{ task_id: 'a', owner: 'ann', tool: 'tool', status: 'working', is_waiting: true }])
    expect(rows[0].created_at).toEqual(new Date(0))
    expect(rows[0].lease_until).toEqual(new Date(5000))
    expect(JSON.stringify(rows)).not.toContain('a secret')
  })

  it('does not write what came with a call again where a lease is renewed', async () => {
    fresh += 1
    const schema = `tasks_${process.pid}_${fresh}`
    const store = postgresTaskStore({ pool, schema })
    const big = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('')
    const record = workingRecord('a', { call: big, lease: { worker: 'w', until: 5 } })
    await store.create(record)
    const written = async () =>
      BigInt((await pool.query('SELECT pg_current_wal_insert_lsn() - $1 AS at', ['0/0'])).rows[0].at)
    const before = await written()
    await store.transition({ ...record, version: 2, lease: { worker: 'w', until: 6 } }, 1, record)
    expect(Number((await written()) - before)).toBeLessThan(100_000)
    expect((await store.get('a'))?.call).toBe(big)
  })

  it('refuses, in words, a schema that is not there where it may not migrate, and one of a later release', async () => {
    fresh += 1
    const schema = `tasks_${process.pid}_${fresh}`
    await expect(postgresTaskStore({ pool, schema, migrate: false }).get('a')).rejects.toThrow(
      `Failed to use Postgres: the schema "${schema}" is not there, and version 1 is needed.`,
    )
    expect(await migratePostgres({ pool, schema })).toBe(1)
    expect(await migratePostgres({ pool, schema })).toBe(1)
    expect(await postgresTaskStore({ pool, schema, migrate: false }).get('a')).toBeUndefined()
    await pool.query(`INSERT INTO ${schema}.migrations (version) VALUES (2)`)
    const later = `the schema "${schema}" has version 2, and this release of taskwire knows 1.`
    await expect(postgresTaskStore({ pool, schema }).get('a')).rejects.toThrow(later)
    await expect(migratePostgres({ pool, schema })).rejects.toThrow(later)
  })

  it('says of a call that it was not started, and why to the operator, where the schema is not there', async () => {
    fresh += 1
    const store = postgresTaskStore({ pool, schema: `tasks_${process.pid}_${fresh}`, migrate: false })
    const t = startServer({ tools: [{ ...slow, onOrphan: 'retry' }], store })
    const { status, error } = await t.call('slow')
    expect([status, error?.message]).toEqual([
      503,
      'The call was not started: the server cannot keep tasks right now. Send it again.',
    ])
    expect(String(t.errors[0]?.error)).toContain('Run npx taskwire migrate --schema')
  })

  it('has its DDL as text, which makes the same schema by hand', async () => {
    fresh += 1
    const schema = `tasks_${process.pid}_${fresh}`
    await pool.query(`BEGIN; ${postgresDdl(schema)} COMMIT`)
    expect(await postgresTaskStore({ pool, schema, migrate: false }).get('a')).toBeUndefined()
  })

  it('takes no schema whose name is not plain', () => {
    expect(() => postgresTaskStore({ pool, schema: 'tasks; DROP' })).toThrow('has no plain name')
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

  it('gets the text of a script once, and again after it has lost its scripts', async () => {
    const own = new Redis(database.url)
    const texts: string[] = []
    const evaluate = own.eval.bind(own) as (...args: unknown[]) => Promise<unknown>
    own.eval = ((script: string, ...rest: unknown[]) => {
      texts.push(script)
      return evaluate(script, ...rest)
    }) as typeof own.eval
    const store = redisTaskStore({ redis: own, prefix: `{scripts${process.pid}}:` })
    await own.script('FLUSH')
    await store.create(workingRecord('a'))
    await store.create(workingRecord('b'))
    expect(texts).toHaveLength(1)
    await own.script('FLUSH')
    await store.create(workingRecord('c'))
    expect(texts).toHaveLength(2)
    expect(await Promise.all(['a', 'b', 'c'].map((id) => store.get(id)))).not.toContain(undefined)
    await own.quit()
  })

  it('finds lost work, and lists tasks, over a client that puts a prefix before all keys', async () => {
    const own = new Redis(database.url, { keyPrefix: 'app:' })
    const store = redisTaskStore({ redis: own, prefix: `{prefixed${process.pid}}:` })
    await store.create(workingRecord('a', { lease: { worker: 'w', until: 5 } }))
    expect(await store.lapsed?.(10, 10)).toEqual(['a'])
    expect((await store.list?.({}))?.tasks).toMatchObject([{ taskId: 'a' }])
    await store.remove('a')
    expect(await store.countAtWork?.(workingRecord('a').owner)).toBe(0)
    await own.quit()
  })

  it('is told of changes over a client that connects with its first command', async () => {
    const lazy = new Redis(database.url, { lazyConnect: true })
    const stop = await new Promise<(() => void) | undefined>((resolve) => {
      const watching = redisTaskStore({ redis: lazy }).watch?.(() => resolve(watching))
    })
    stop?.()
    lazy.disconnect()
  })

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
