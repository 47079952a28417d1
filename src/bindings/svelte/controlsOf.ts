import type { TaskClient } from '../../core/client/taskClient.js'
import { extendResult, getters } from '../shared/extendResult.js'
import { type ToolCallControls, toolCallActions, toolCallMembers } from '../shared/toolCallControls.js'
import { stateOfCall } from './useToolCallState.js'

/** The call with this id, by getters that are tracked, and what can be done with it. */
export function controlsOf(client: () => TaskClient, callId: () => string | undefined): ToolCallControls {
  const call = stateOfCall(client, callId)
  return extendResult(
    getters(toolCallMembers(), () => toolCallMembers(call.current)),
    toolCallActions(client, callId),
  )
}
