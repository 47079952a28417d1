import type { TaskClient } from '../../core/client/taskClient.js'
import { cancelCalls, groupOf, type ToolCallGroupState } from '../../core/client/toolCallGroup.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'

/** The return value of `useToolCallGroup`: the counts and progress of the calls, and actions on all of them. */
export interface UseToolCallGroupResult extends ToolCallGroupState {
  /**
   * Asks the server to stop the calls that are running. Rejects if the server refuses; `onError` of the client gets the error,
   * too, and until its next poll `lastError` of the call has it. You can pass it as an event handler: it causes no unhandled
   * rejection.
   */
  readonly cancelAll: () => Promise<void>
}

/** What is shown of many calls of these clients. */
export function groupedCalls(clients: readonly TaskClient[], calls: readonly ToolCallState[]): UseToolCallGroupResult {
  return { ...groupOf(calls), cancelAll: () => cancelCalls(clients, calls) }
}
