import { useCallback, useSyncExternalStore } from 'react'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import { watchToolCall } from '../bindings/watchToolCall.js'
import type { ToolCallState } from '../call/toolCallState.js'
import type { TaskClient } from '../client/taskClient.js'
import { useTaskClient } from './useTaskClient.js'

/** What {@link useToolCallState} takes. */
export interface UseToolCallStateOptions<T> extends UseTaskClientOptions<T> {
  /** As `call.callId` and `client.toolCallId()` have it; undefined: none. */
  callId: string | undefined
}

/**
 * The call with this id, undefined where there is none. The component renders when that call changes, and for no other
 * one. The outcome of a call that ended in an earlier visit is fetched.
 *
 * @example
 * ```tsx
 * const call = useToolCallState({ callId: client.toolCallId('generate_report', 'weekly') })
 * ```
 */
export function useToolCallState<T>({ callId, client }: UseToolCallStateOptions<T>): ToolCallState | undefined {
  return useStateOfCall(useTaskClient({ client }), callId)
}

export function useStateOfCall(
  client: Pick<TaskClient, 'subscribeToolCall' | 'getToolCallState' | 'getToolCall'>,
  callId: string | undefined,
): ToolCallState | undefined {
  const subscribe = useCallback((listener: () => void) => watchToolCall(client, callId, listener), [client, callId])
  const getState = () => (callId === undefined ? undefined : client.getToolCallState(callId))
  // A part of a page that is hydrated late finds calls that the provider has taken up: the server had none.
  return useSyncExternalStore(subscribe, getState, () => undefined)
}
