import { useCallback, useSyncExternalStore } from 'react'
import type { ToolCallState } from '../call/toolCallState.js'
import { useTaskClient } from './TaskClientProvider.js'

/** The call with this id, undefined where there is none. The component renders when that call changes, and for no other one. */
export function useToolCallState(callId: string | undefined): ToolCallState | undefined {
  const client = useTaskClient()
  const subscribe = useCallback(
    (listener: () => void) => (callId === undefined ? () => {} : client.subscribeToolCall(callId, listener)),
    [client, callId],
  )
  const getState = () => (callId === undefined ? undefined : client.getToolCallState(callId))
  return useSyncExternalStore(subscribe, getState, getState)
}
