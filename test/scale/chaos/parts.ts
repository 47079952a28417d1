import { createPostgresBackend, Queue, runMigrations, Worker, withBackend } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { TaskStore } from 'taskwire/server'
import { bullmqQueue, type ClosableQueue } from 'taskwire/server/bullmq'
import { postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'

/** Which database holds tasks and queue. */
export type Backend = 'redis' | 'postgres'

/** Store and queue of one process. */
export interface Parts {
  readonly store: TaskStore
  readonly queue: ClosableQueue
  close(): Promise<void>
}

export function createParts(backend: Backend, url: string): Parts {
  return backend === 'redis' ? onRedis(url) : onPostgres(url)
}

/** To be called once, before there are processes. */
export async function prepare(backend: Backend, url: string): Promise<void> {
  if (backend === 'redis') return
  const pool = new pg.Pool({ connectionString: url })
  await runMigrations(pool)
  await pool.end()
}

function onRedis(url: string): Parts {
  const redis = new Redis(url)
  redis.on('error', () => {})
  const queue = bullmqQueue({ Queue, Worker, connection: { url } })
  return {
    store: redisTaskStore({ redis }),
    queue,
    async close() {
      await queue.close()
      redis.disconnect()
    },
  }
}

function onPostgres(url: string): Parts {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  pool.on('error', () => {})
  const queue = bullmqQueue({ ...withBackend(createPostgresBackend), connection: { connectionString: url, max: 8 } })
  return {
    store: postgresTaskStore({ pool }),
    queue,
    async close() {
      await queue.close()
      await pool.end()
    },
  }
}
