import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { defineTool } from 'taskwire/server'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { redisTaskStore } from 'taskwire/server/redis'
import { z } from 'zod'

const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'

export const serverInfo = { name: 'reports', version: '1.0.0' }
export const store = redisTaskStore({ redis: new Redis(url) })
export const queue = bullmqQueue({ Queue, Worker, connection: { url } })
export const tools = [
  defineTool({
    name: 'generate_report',
    description: 'Writes the report of a quarter. Takes half a minute.',
    inputSchema: z.object({ quarter: z.string() }),
    taskSupport: 'optional',
    // A worker that is lost is replaced: writing the report twice does no harm.
    annotations: { idempotentHint: true },
    async handler({ quarter }, { progress, sleep }) {
      for (const region of ['Europe', 'Asia', 'America']) {
        await progress(`Collecting the figures of ${region}`)
        await sleep(10_000)
      }
      return { content: [{ type: 'text', text: `The report of ${quarter}` }] }
    },
  }),
]
