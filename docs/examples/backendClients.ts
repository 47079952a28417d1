import { createTaskClient, type TaskClient } from 'taskwire'
import { fileStorage } from './backendStorage.ts'

const clients = new Map<string, TaskClient>()

/** One client for each user, for as long as the process lives. */
export function clientOfUser(userId: string): TaskClient {
  const known = clients.get(userId)
  if (known !== undefined) return known
  const client = createTaskClient({
    url: 'https://mcp.example.com/mcp',
    transportOptions: { requestInit: { headers: { Authorization: `Bearer ${process.env['MCP_TOKEN']}` } } },
    scope: userId, // keeps the records of users apart
    storage: fileStorage('.taskwire'),
  })
  clients.set(userId, client)
  return client
}
