import { useCallback, useSyncExternalStore } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { callsOf, NO_CALLS, watchCalls } from '../shared/callsOf.js'

/** The calls of several clients that pass the filter. The array keeps its identity while its members do. */
export function useCallsOf(
  clients: readonly TaskClient[],
  filter: (call: ToolCallState) => boolean,
): readonly ToolCallState[] {
  const subscribe = useCallback((listener: () => void) => watchCalls(clients, listener), [clients])
  const select = useShallow(() => callsOf(clients).filter(filter))
  return useSyncExternalStore(
    subscribe,
    () => select(undefined),
    () => NO_CALLS,
  )
}
