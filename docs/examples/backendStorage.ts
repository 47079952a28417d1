import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { postgresStorage, redisStorage } from 'taskwire/backend'

export const inRedis = redisStorage({
  redis: new Redis('redis://localhost:6379'),
})

export const inPostgres = postgresStorage({
  pool: new Pool({ connectionString: 'postgres://localhost/app' }),
})
