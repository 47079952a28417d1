import type { Accessor } from 'solid-js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { extendResult, getters } from '../shared/extendResult.js'
import { type ToolCallControls, toolCallActions, toolCallMembers } from '../shared/toolCallControls.js'
import { createStateOfCall } from './useToolCallState.js'

/** The call with this id, by getters that are tracked, and what can be done with it. */
export function createControls(client: Accessor<TaskClient>, callId: Accessor<string | undefined>): ToolCallControls {
  const call = createStateOfCall(client, callId)
  return extendResult(
    getters(toolCallMembers(), () => toolCallMembers(call())),
    toolCallActions(client, callId),
  )
}
