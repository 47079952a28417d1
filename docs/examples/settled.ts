import type { TaskClient } from 'taskwire'

/** Returns a function that unsubscribes. */
export function notifyOfSettledCalls(client: TaskClient): () => void {
  return client.onToolCallSettled((call) => {
    if (document.visibilityState === 'visible') return
    new Notification(`${call.name} has ended`, { tag: call.callId })
  })
}
