import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'

/** What is used of a client to follow a call of any tool. */
export type CallsOfClient = Pick<TaskClient, 'subscribeToolCall' | 'getToolCallState' | 'getToolCall'>

/**
 * Calls the listener when the call changes. The outcome of a call that ended in an earlier visit is fetched. Returns a
 * function that unsubscribes.
 */
export function watchToolCall(client: CallsOfClient, callId: string | undefined, listener: () => void): () => void {
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

/** The call with this id, or undefined. */
export function stateOf(client: CallsOfClient, callId: string | undefined): ToolCallState | undefined {
  return callId === undefined ? undefined : client.getToolCallState(callId)
}
