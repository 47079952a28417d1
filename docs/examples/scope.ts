import { createTaskClient, type TaskClient } from 'taskwire'

/**
 * One client for each user: records of one scope are invisible to every other.
 */
export function clientOf(userId: string): TaskClient {
  return createTaskClient({ url: 'https://example.com/mcp', scope: userId })
}

export async function signOut(client: TaskClient): Promise<void> {
  await client.forget() // removes the records of this scope, in all tabs
  await client.close() // ends polling here; tasks keep running at the server
}
