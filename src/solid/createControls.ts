import type { Accessor } from 'solid-js'
import { extendResult, getters } from '../bindings/extendResult.js'
import { type ToolCallControls, toolCallActions, toolCallMembers } from '../bindings/toolCallControls.js'
import type { TaskClient } from '../client/taskClient.js'
import { createStateOfCall } from './useToolCallState.js'

/** The call with this id, by getters that are tracked, and what can be done with it. */
export function createControls(client: Accessor<TaskClient>, callId: Accessor<string | undefined>): ToolCallControls {
  const call = createStateOfCall(client, callId)
  return extendResult(
    getters(toolCallMembers(), () => toolCallMembers(call())),
    toolCallActions(client, callId),
  )
}
