import { createClientPool, fileStorage } from 'taskwire/backend'
import { createPush } from 'taskwire/backend/push'

const storage = fileStorage('.taskwire')

export const push = createPush({
  storage,
  vapid: {
    publicKey: process.env['VAPID_PUBLIC_KEY'] ?? '',
    privateKey: process.env['VAPID_PRIVATE_KEY'] ?? '',
    subject: 'mailto:ops@example.com',
  },
  // Who has cancelled a report knows that it has ended.
  filter: ({ phase }) => phase !== 'cancelled',
  // A tool that has failed has a result, too.
  message: ({ result }) => ({
    title: result && !result.isError ? 'Report ready' : 'Report failed',
    url: '/reports',
  }),
  onError: (error) => console.error(error),
})

export const pool = createClientPool({
  create: () => ({ url: 'https://mcp.example.com/mcp', storage }),
  onCreate: push.watch,
})

// Follows the calls that ran when the process ended before.
await push.resume(pool.get)

process.once('SIGTERM', async () => {
  await pool.close()
  await push.close()
  process.exit()
})
