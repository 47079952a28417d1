import { type ComputedRef, computed } from 'vue'
import {
  MEMBERS,
  type ToolCallActions,
  type ToolCallMembers,
  toolCallActions,
  toolCallMembers,
} from '../bindings/toolCallControls.js'
import type { TaskClient } from '../client/taskClient.js'
import { useStateOfCall } from './useToolCallState.js'

/** What is added to TanStack's result: the call, as refs, and what can be done with it. */
export type ToolCallControls = ToolCallActions & {
  readonly [Member in keyof ToolCallMembers]: ComputedRef<ToolCallMembers[Member]>
}

/** The call with this id and what can be done with it. */
export function useToolCallControls(client: () => TaskClient, callId: () => string | undefined): ToolCallControls {
  const call = useStateOfCall(client, callId)
  const members = MEMBERS.map((name) => [name, computed(() => toolCallMembers(call.value)[name])])
  return { ...(Object.fromEntries(members) as ToolCallControls), ...toolCallActions(client, callId) }
}
