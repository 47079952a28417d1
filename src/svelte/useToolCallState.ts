import type { UseTaskClientOptions } from '../bindings/clients.js'
import { watchToolCall } from '../bindings/watchToolCall.js'
import type { ToolCallState } from '../call/toolCallState.js'
import type { TaskClient } from '../client/taskClient.js'
import { createReader, type ReactiveValue } from './reactive.js'
import { clientOf } from './useTaskClient.js'

/** What {@link useToolCallState} takes. */
export interface UseToolCallStateOptions extends UseTaskClientOptions<unknown> {
  /** As `call.callId` and `client.toolCallId()` have it; undefined: none. */
  callId: string | undefined
}

/**
 * The call with this id, undefined where there is none. What reads it runs again when that call changes, and for no other
 * one. The outcome of a call that ended in an earlier visit is fetched.
 *
 * @example
 * ```svelte
 * <script>
 *   const { week } = $props()
 *   const call = useToolCallState(() => ({ callId: client.toolCallId('generate_report', week) }))
 * </script>
 * {call.current?.phase}
 * ```
 */
export function useToolCallState(options: () => UseToolCallStateOptions): ReactiveValue<ToolCallState | undefined> {
  return stateOfCall(clientOf(options), () => options().callId)
}

export function stateOfCall(
  client: () => TaskClient,
  callId: () => string | undefined,
): ReactiveValue<ToolCallState | undefined> {
  const read = createReader(
    (listener, from: TaskClient, id: string | undefined) => watchToolCall(from, id, listener),
    (from, id) => (id === undefined ? undefined : from.getToolCallState(id)),
  )
  return {
    get current() {
      return read(client(), callId())
    },
  }
}
