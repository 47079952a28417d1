import { useEffect } from 'react'
import type { ToolCallState } from '../engine/toolCallState.js'
import { useTaskClient } from './TaskClientProvider.js'
import { useTaskClientStore } from './useTaskClientStore.js'

/** The call with this id, undefined where there is none. */
export function useToolCallState(callId: string | undefined): ToolCallState | undefined {
  const client = useTaskClient()
  const call = useTaskClientStore((state) => (callId === undefined ? undefined : state.calls[callId]))
  const shownId = call?.callId
  // A page lets go of ended calls that nobody listens to; one that is shown has to stay.
  useEffect(
    () => (shownId === undefined ? undefined : client.getToolCall(shownId)?.subscribe(() => {})),
    [client, shownId],
  )
  return call
}
