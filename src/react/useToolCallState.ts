import type { ToolCallState } from '../call/toolCallState.js'
import { useTaskClientStore } from './useTaskClientStore.js'

/** The call with this id, undefined where there is none. */
export function useToolCallState(callId: string | undefined): ToolCallState | undefined {
  return useTaskClientStore((state) => (callId === undefined ? undefined : state.calls[callId]))
}
