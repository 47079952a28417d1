import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { TaskQueue, TaskStore } from 'taskwire/server'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { postgresQueue, postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'

/** Which database holds tasks and queue. */
export type Backend = 'redis' | 'postgres'

/** Store and queue of one process. */
export interface Parts {
  readonly store: TaskStore
  readonly queue: TaskQueue
  close(): Promise<void>
}

export function createParts(backend: Backend, url: string): Parts {
  return backend === 'redis' ? onRedis(url) : onPostgres(url)
}

function onRedis(url: string): Parts {
  const redis = new Redis(url)
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
  const pool = new pg.Pool({ connectionString: url })
  return { store: postgresTaskStore({ pool }), queue: postgresQueue({ pool }), close: () => pool.end() }
}
