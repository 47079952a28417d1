import { useMemo } from 'react'
import { type ToolCallControls, toolCallActions, toolCallMembers } from '../bindings/toolCallControls.js'
import type { TaskClient } from '../client/taskClient.js'
import { useStateOfCall } from './useToolCallState.js'

/** The call with this id and what can be done with it. The functions stay the same while the call does. */
export function useToolCallControls(client: TaskClient, callId: string | undefined): ToolCallControls {
  const call = useStateOfCall(client, callId)
  const actions = useMemo(
    () =>
      toolCallActions(
        () => client,
        () => callId,
      ),
    [client, callId],
  )
  return { ...toolCallMembers(call), ...actions }
}
