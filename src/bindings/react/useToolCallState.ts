import { useCallback, useSyncExternalStore } from 'react'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallStateOptions } from '../shared/toolCallOptions.js'
import { type CallsOfClient, stateOf, watchToolCall } from '../shared/watchToolCall.js'
import { useClient } from './useTaskClient.js'

/**
 * The call with this id, or undefined. The component renders only when that call changes. If the call ended in an earlier
 * visit, the hook fetches its outcome.
 *
 * @example
 * ```tsx
 * const call = useToolCallState({ callId: client.toolCallId('generate_report', 'weekly') })
 * ```
 */
export function useToolCallState<T>(options: UseToolCallStateOptions<T>): ToolCallState | undefined {
  return useStateOfCall(useClient(checkedOptions('useToolCallState', options)), options.callId)
}

export function useStateOfCall(client: CallsOfClient, callId: string | undefined): ToolCallState | undefined {
  const subscribe = useCallback((listener: () => void) => watchToolCall(client, callId, listener), [client, callId])
  const getState = () => stateOf(client, callId)
  // A part of a page that is hydrated late finds calls that the provider has resumed, and the server had none.
  return useSyncExternalStore(subscribe, getState, () => undefined)
}
