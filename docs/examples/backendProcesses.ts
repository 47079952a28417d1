import { Redis } from 'ioredis'
import {
  createClientPool,
  redisEnvironment,
  redisStorage,
} from 'taskwire/backend'

const redis = new Redis('redis://localhost:6379')
const storage = redisStorage({ redis })
const environment = redisEnvironment({ redis })

export const pool = createClientPool({
  create: () => ({ url: 'https://mcp.example.com/mcp', storage, environment }),
})

process.once('SIGTERM', async () => {
  await pool.close()
  await environment.close()
  redis.disconnect()
  process.exit()
})
