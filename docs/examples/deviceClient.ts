import { createTaskClient, type TaskClient } from 'taskwire'
import { deviceStorage } from './deviceStorage'

/** One client for each user who signs in. */
export function clientOf(userId: string): TaskClient {
  const client = createTaskClient({
    url: 'https://example.com/mcp',
    scope: userId,
    storage: deviceStorage({
      url: '/api/task-records',
      browserId: browserId(),
    }),
  })
  // What other devices have started since is listed when the user comes back to
  // this one.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void client.resumeToolCalls()
  })
  return client
}

function browserId(): string {
  const id = localStorage.getItem('browser-id') ?? crypto.randomUUID()
  localStorage.setItem('browser-id', id)
  return id
}
