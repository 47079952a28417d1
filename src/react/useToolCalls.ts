import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { ToolCallState } from '../call/toolCallState.js'
import { useTaskClientStore } from './useTaskClientStore.js'

/**
 * Every call of this client, those of earlier visits included, oldest first. The array keeps its
 * identity while its members do.
 *
 * @param selector Which calls. It may be written in place.
 *
 * @example
 * ```tsx
 * const running = useToolCalls((call) => call.phase === 'working')
 * ```
 */
export function useToolCalls(selector?: (call: ToolCallState) => boolean): readonly ToolCallState[] {
  const calls = useTaskClientStore(
    useShallow((state) => (selector ? Object.values(state.calls).filter(selector) : Object.values(state.calls))),
  )
  return useMemo(() => [...calls].sort((a, b) => a.startedAt - b.startedAt), [calls])
}
