import type { TaskClient } from 'taskwire'

/** Stops everything that runs, then signs the user out. */
export async function cancelAndSignOut(client: TaskClient): Promise<void> {
  // Rejects if the server refuses to cancel a task. The others are cancelled
  // all the same.
  await client.toolCalls().cancelAll().catch(console.warn)
  await client.forget()
  await client.signOut()
}
