import type { TaskClient } from 'taskwire'

export async function signOut(client: TaskClient): Promise<void> {
  await client.forget()
  await client.signOut()
}
