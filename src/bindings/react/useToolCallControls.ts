import { useMemo } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { type ToolCallControls, toolCallActions, toolCallMembers } from '../shared/toolCallControls.js'
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
