import { postgresTaskStore } from '../../../server/postgres/postgresTaskStore.js'
import { redisTaskStore } from '../../../server/redis/redisTaskStore.js'
import type { TaskStore } from '../../../server/tasks/taskStore.js'
import { missing, openPostgres } from '../openPostgres.js'

/** Where tasks are. */
export interface Source {
  readonly postgres: string | undefined
  readonly schema: string | undefined
  readonly redis: string | undefined
  readonly prefix: string | undefined
}

/** A store, and what ends its connections. */
export interface Connected {
  readonly store: TaskStore
  readonly close: () => Promise<void>
}

/** Opens the store of a database, by the client that the app has. */
export async function connect({ postgres, schema, redis, prefix }: Source): Promise<Connected> {
  if (postgres !== undefined) {
    const pool = await openPostgres(postgres)
    // To look must not make a table.
    const store = postgresTaskStore({ pool, migrate: false, ...(schema !== undefined && { schema }) })
    return { store, close: () => pool.end() }
  }
  const { Redis } = await import('ioredis').catch(missing('ioredis'))
  const client = new Redis(redis ?? '', { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  // Without a listener, an error would be printed. What is asked of the store rejects.
  client.on('error', () => {})
  const store = redisTaskStore({ redis: client, ...(prefix !== undefined && { prefix }) })
  return { store, close: async () => client.disconnect() }
}
