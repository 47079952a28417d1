import { useCallback, useEffect, useSyncExternalStore } from 'react'
import type { ToolCallState } from '../call/toolCallState.js'
import { useTaskClient } from './TaskClientProvider.js'

/**
 * The call with this id, undefined where there is none. The component renders when that call changes, and for no other
 * one. The outcome of a call that ended in an earlier visit is fetched.
 */
export function useToolCallState(callId: string | undefined): ToolCallState | undefined {
  const client = useTaskClient()
  const subscribe = useCallback(
    (listener: () => void) => (callId === undefined ? () => {} : client.subscribeToolCall(callId, listener)),
    [client, callId],
  )
  const getState = () => (callId === undefined ? undefined : client.getToolCallState(callId))
  const call = useSyncExternalStore(subscribe, getState, getState)
  const endedId = call?.phase === 'ended' ? callId : undefined
  useEffect(() => {
    if (endedId !== undefined) client.getToolCall(endedId)
  }, [client, endedId])
  return call
}
