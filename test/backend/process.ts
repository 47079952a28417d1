// A process of a backend: `node scripts/run.mjs test/backend/process.ts redis|postgres DATABASE MCP LEASE_MS NAME`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { Redis } from 'ioredis'
import pg from 'pg'
import {
  createClientPool,
  postgresEnvironment,
  postgresStorage,
  redisEnvironment,
  redisStorage,
} from 'taskwire/backend'
import { createTaskBridge } from 'taskwire/bridge/server'

const [, , database, databaseUrl = '', mcpUrl = '', lease, name = ''] = process.argv
const leaseMs = Number(lease)

function open() {
  if (database === 'redis') {
    const redis = new Redis(databaseUrl)
    return { storage: redisStorage({ redis }), environment: redisEnvironment({ redis, leaseMs }) }
  }
  const pool = new pg.Pool({ connectionString: databaseUrl })
  return { storage: postgresStorage({ pool }), environment: postgresEnvironment({ pool, leaseMs }) }
}

const { storage, environment: whole } = open()

/** Says on standard output when this process loses a lease: by then, another one may have taken the call that it is for. */
const environment: typeof whole = {
  ...whole,
  locks: {
    request: async (lock, options, work) => {
      try {
        return await whole.locks.request(lock, options, work)
      } catch (error) {
        if (String(error).includes('its lease has ended')) console.log(JSON.stringify({ lock, lostAt: Date.now() }))
        throw error
      }
    },
  },
}
const pool = createClientPool({
  create: (user) => ({
    url: mcpUrl,
    headers: { 'x-process': name, 'x-user': user },
    push: false,
    storage,
    environment,
  }),
})
const bridge = createTaskBridge({
  clientOf: (request) => pool.get(request.headers.get('x-user') ?? 'nobody'),
  allow: { tools: ['work'] },
  onError: (error) => console.error(error),
})
const handler = toNodeHandler({ fetch: bridge.fetch })
// Node declares `method?: string | undefined`, the SDK `method?: string`: the same but for `exactOptionalPropertyTypes`.
const http = createServer((request, response) => void handler(request as NodeIncomingMessageLike, response))
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/api/calls`))

// It ends with the process that started it.
process.stdin.once('end', () => process.exit()).resume()
process.once('SIGTERM', async () => {
  await pool.close()
  await environment.close()
  process.exit()
})
