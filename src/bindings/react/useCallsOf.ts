import { useCallback, useSyncExternalStore } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { callsOf, NO_CALLS, watchCalls } from '../shared/callsOf.js'
import { useLatest } from './useLatest.js'

/**
 * The calls of several clients that pass the filter. The array keeps its identity while its members do. `isHeld`: which of them stay in
 * memory while the component is mounted.
 */
export function useCallsOf(
  clients: readonly TaskClient[],
  filter: (call: ToolCallState) => boolean,
  isHeld?: (call: ToolCallState) => boolean,
): readonly ToolCallState[] {
  const held = useLatest(isHeld)
  const isHolding = isHeld !== undefined
  const subscribe = useCallback(
    (listener: () => void) => watchCalls(clients, listener, isHolding ? (call) => held()?.(call) ?? false : undefined),
    [clients, held, isHolding],
  )
  const select = useShallow(() => callsOf(clients).filter(filter))
  return useSyncExternalStore(
    subscribe,
    () => select(undefined),
    () => NO_CALLS,
  )
}
