import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createHealthHandler, createTaskWorker, InMemoryTaskStore } from 'taskwire/server'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { migratePostgres, postgresQueue, postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { describe, expect, it } from 'vitest'
import { createMemoryQueue } from './support/memoryQueue.js'

// Nothing connects before it is used.
const pool = new pg.Pool()
const client = new pg.Client()
const redis = new Redis({ lazyConnect: true })
const serverInfo = { name: 'test', version: '1.0.0' }

describe('what a store, a queue, a worker or a health handler cannot be made of', () => {
  it.each<[string, (options: never) => unknown, unknown, string]>([
    ['no pool', postgresTaskStore, {}, 'the task store in Postgres: `pool` is missing. Pass a Pool of pg'],
    ['nothing', postgresTaskStore, undefined, '`pool` is missing'],
    ['the pool itself', postgresTaskStore, pool, '`pool` is missing'],
    ['a URL as pool', postgresTaskStore, { pool: 'postgres://db' }, '`pool` is a string. Pass a Pool of pg'],
    [
      'a client as pool',
      postgresTaskStore,
      { pool: client },
      '`pool` is of the class Client. Pass a Pool of pg, not a Client',
    ],
    [
      'another option',
      postgresTaskStore,
      { pool, table: 'x' },
      'there is no option `table`. The options are pool, schema',
    ],
    ['a queue without a pool', postgresQueue, {}, 'the queue in Postgres: `pool` is missing'],
    ['no Redis', redisTaskStore, {}, 'the task store in Redis: `redis` is missing. Pass a client of ioredis.'],
    ['the client of Redis itself', redisTaskStore, redis, '`redis` is missing'],
    ['a URL as Redis', redisTaskStore, { redis: 'redis://db' }, '`redis` is a string. Pass a client of ioredis'],
    ['a prefix by another name', redisTaskStore, { redis, perfix: 'x' }, 'there is no option `perfix`'],
    ['no classes', bullmqQueue, { connection: {} }, 'the queue of BullMQ: `Queue` is missing. Pass the class Queue'],
    ['no class', bullmqQueue, { Queue: {}, Worker, connection: {} }, '`Queue` is something else'],
    ['no connection', bullmqQueue, { Queue, Worker }, '`connection` is missing'],
    ['nothing that has health', createHealthHandler, undefined, 'the health handler: `part` is missing'],
    [
      'a store of one process for a worker',
      createTaskWorker,
      { serverInfo, tools: [], store: new InMemoryTaskStore(), queue: createMemoryQueue() },
      'the task worker: the `store` cannot find work that was lost',
    ],
  ])('is refused in words: %s', (_, create, options, message) => {
    expect(() => create(options as never)).toThrow(message)
    expect(() => create(options as never)).toThrow(expect.objectContaining({ name: 'TaskConfigurationError' }))
  })

  it.each([undefined, {}, pool, { pool: client }])(
    'nor can a migration of %o, which rejects in words',
    async (options) => {
      await expect(migratePostgres(options as never)).rejects.toThrow(
        /the tables in Postgres: `pool` is .*Pass a Pool of pg/,
      )
    },
  )
})
