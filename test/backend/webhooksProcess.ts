// A process of a backend that sends webhooks: `node scripts/run.mjs test/backend/webhooksProcess.ts STORAGE MCP RECEIVER SECRET`. STORAGE is a
// folder, or the URL of a Redis that several processes share. Each line of its input is the key of a call that it makes.
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { createClientPool, fileStorage, redisEnvironment, redisStorage } from 'taskwire/backend'
import { createWebhooks } from 'taskwire/backend/webhooks'

const [, , place = '', mcpUrl = '', url = '', secret = ''] = process.argv
const redis = place.startsWith('redis:') ? new Redis(place) : undefined
const storage = redis ? redisStorage({ redis }) : fileStorage(place)
const environment = redis ? redisEnvironment({ redis, leaseMs: 3000 }) : {}
const webhooks = createWebhooks({
  storage,
  environment,
  endpoint: { url, secret },
  onError: (error) => console.error(error),
})
const pool = createClientPool({
  create: () => ({ url: mcpUrl, push: false, storage, environment }),
  onCreate: webhooks.watch,
})
await webhooks.resume(pool.get)

// It ends with the process that started it.
const lines = createInterface({ input: process.stdin }).once('close', () => process.exit())
lines.on('line', (key) => {
  const { result } = pool.get('ada').startToolCall({ name: 'work', arguments: { seconds: redis ? 10 : 2 } }, { key })
  result.catch((error: unknown) => console.error(error))
})
console.log('ready')
