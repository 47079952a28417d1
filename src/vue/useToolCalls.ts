import { type ComputedRef, computed, type MaybeRefOrGetter, toValue } from 'vue'
import { callsOf, NO_CALLS, watchCalls } from '../bindings/callsOf.js'
import { checkedOptions } from '../bindings/checkedOptions.js'
import type { UseToolCallsOptions } from '../bindings/toolCallOptions.js'
import type { TaskClient } from '../client/taskClient.js'
import { byStart, keepSame } from '../client/toolCallGroup.js'
import type { ToolCallState } from '../core/record/toolCallState.js'
import { useSubscription } from './useSubscription.js'
import { useClients } from './useTaskClient.js'

/**
 * Every call of a client, or of several, those of earlier visits included, oldest first. The array keeps its
 * identity while its members do.
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
): ComputedRef<readonly ToolCallState[]> {
  const sameClients = computed<readonly TaskClient[]>((previous) => keepSame(previous, clients()))
  const all = useSubscription(
    [sameClients],
    (listener) => watchCalls(sameClients.value, listener),
    () => callsOf(sameClients.value),
    NO_CALLS,
  )
  return computed<readonly ToolCallState[]>((previous) => keepSame(previous, all.value.filter(filter)))
}
