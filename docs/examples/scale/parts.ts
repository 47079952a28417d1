import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { redisTaskStore } from 'taskwire/server/redis'

const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'

export const store = redisTaskStore({ redis: new Redis(url) })
export const queue = bullmqQueue({ Queue, Worker, connection: { url } })
