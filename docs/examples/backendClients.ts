import type { TaskClient } from 'taskwire'
import { createClientPool, fileStorage } from 'taskwire/backend'

const storage = fileStorage('.taskwire')

export const pool = createClientPool({
  create: () => ({
    url: 'https://mcp.example.com/mcp',
    headers: { Authorization: `Bearer ${process.env['MCP_TOKEN']}` },
    storage,
  }),
  idleMs: 5 * 60_000,
})

export function clientOfUser(userId: string): TaskClient {
  return pool.get(userId)
}
