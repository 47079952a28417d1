import { createClientPool, fileStorage } from 'taskwire/backend'
import { createWebhooks } from 'taskwire/backend/webhooks'

const storage = fileStorage('.taskwire')

const webhooks = createWebhooks({
  storage,
  endpoint: {
    url: 'https://example.com/hooks/calls',
    secret: process.env['WEBHOOK_SECRET'] ?? '',
  },
  onError: (error, userId) => console.error(userId, error),
})

export const pool = createClientPool({
  create: () => ({ url: 'https://mcp.example.com/mcp', storage }),
  onCreate: webhooks.watch,
})

// Follows the calls that ran when the process ended before.
await webhooks.resume(pool.get)

process.once('SIGTERM', async () => {
  await pool.close()
  await webhooks.close()
  process.exit()
})
