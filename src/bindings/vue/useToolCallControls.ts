import type { TaskClient } from '../../core/client/taskClient.js'
import {
  type ToolCallActions,
  type ToolCallMembers,
  toolCallActions,
  toolCallMembers,
} from '../shared/toolCallControls.js'
import { type RefsOf, refsOf } from './refsOf.js'
import { useStateOfCall } from './useToolCallState.js'

/** The members added to TanStack's result: the call, as refs, and its actions. */
export type ToolCallControls = ToolCallActions & RefsOf<ToolCallMembers>

/** The call with this id and what can be done with it. */
export function useToolCallControls(client: () => TaskClient, callId: () => string | undefined): ToolCallControls {
  const call = useStateOfCall(client, callId)
  return { ...refsOf(toolCallMembers(), () => toolCallMembers(call.value)), ...toolCallActions(client, callId) }
}
