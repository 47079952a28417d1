import type { TaskClient } from '../client/taskClient.js'

/**
 * Calls the listener when the call changes. The outcome of a call that ended in an earlier visit is fetched. Returns a
 * function that unsubscribes.
 */
export function watchToolCall(
  client: Pick<TaskClient, 'subscribeToolCall' | 'getToolCallState' | 'getToolCall'>,
  callId: string | undefined,
  listener: () => void,
): () => void {
  if (callId === undefined) return () => {}
  const fetchOutcome = () => {
    if (client.getToolCallState(callId)?.phase === 'ended') client.getToolCall(callId)
  }
  const unsubscribe = client.subscribeToolCall(callId, () => {
    listener()
    fetchOutcome()
  })
  fetchOutcome()
  return unsubscribe
}
