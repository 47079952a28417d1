import { type ComputedRef, computed, type MaybeRefOrGetter, toValue } from 'vue'
import type { TaskClient } from '../../core/client/taskClient.js'
import { byStart, keepSame } from '../../core/client/toolCallGroup.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { callsOf, NO_CALLS, watchCalls } from '../shared/callsOf.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import { useSubscription } from './useSubscription.js'
import { useClients } from './useTaskClient.js'

/**
 * Every call of one client or of several, including those of earlier visits, oldest first. The array keeps its identity
 * as long as its members keep theirs.
 *
 * @example
 * ```ts
 * const running = useToolCalls({ filter: (call) => call.phase === 'working' })
 * ```
 */
export function useToolCalls(
  options: MaybeRefOrGetter<UseToolCallsOptions> = {},
): ComputedRef<readonly ToolCallState[]> {
  const read = () => checkedOptions('useToolCalls', toValue(options))
  const calls = useCallsOf(useClients(read), (call) => toValue(options).filter?.(call) ?? true)
  return computed(() => byStart(calls.value))
}

/** The calls of several clients that pass the filter. The array keeps its identity while its members do. */
export function useCallsOf(
  clients: () => readonly TaskClient[],
  filter: (call: ToolCallState) => boolean,
  isHeld?: (call: ToolCallState) => boolean,
): ComputedRef<readonly ToolCallState[]> {
  const sameClients = computed<readonly TaskClient[]>((previous) => keepSame(previous, clients()))
  const all = useSubscription(
    [sameClients],
    (listener) => watchCalls(sameClients.value, listener, isHeld),
    () => callsOf(sameClients.value),
    NO_CALLS,
  )
  return computed<readonly ToolCallState[]>((previous) => keepSame(previous, all.value.filter(filter)))
}
