// A job of a scheduler: `node scripts/run.mjs test/backend/cronProcess.ts redis|postgres DATABASE MCP [KEY]`. Lives for one tick, as
// docs/alarms.md has it. With a key it starts a call. Prints what it has seen.
import { Redis } from 'ioredis'
import pg from 'pg'
import { createTaskClient } from 'taskwire'
import { withoutTimers } from 'taskwire/alarms'
import { postgresStorage, redisStorage } from 'taskwire/backend'

/** What a job prints. */
export interface CronReport {
  /** When the next poll is due, ms since the epoch. */
  readonly nextWakeAt?: number | undefined
  /** The calls that have ended in this process. */
  readonly settled: readonly {
    readonly key: string | undefined
    readonly phase: string
    readonly result: unknown
  }[]
}

const [, , database, databaseUrl = '', mcpUrl = '', key] = process.argv

function open() {
  if (database === 'redis') {
    const redis = new Redis(databaseUrl)
    return { storage: redisStorage({ redis }), end: async () => redis.disconnect() }
  }
  const pool = new pg.Pool({ connectionString: databaseUrl })
  return { storage: postgresStorage({ pool }), end: () => pool.end() }
}

const { storage, end } = open()
const client = withoutTimers(createTaskClient, { url: mcpUrl, storage })
const settled: CronReport['settled'][number][] = []
client.onToolCallSettled(({ key, phase, result }) => void settled.push({ key, phase, result }))
if (key !== undefined) client.startToolCall({ name: 'wait', arguments: {} }, { key }).result.catch(() => {})
await client.tick()
const { nextWakeAt } = client
await client.close()
await end()
console.log(JSON.stringify({ nextWakeAt, settled } satisfies CronReport))
