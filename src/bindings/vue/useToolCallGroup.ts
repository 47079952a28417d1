import { type ComputedRef, computed, type MaybeRefOrGetter, toValue } from 'vue'
import { byStart } from '../../core/client/toolCallGroup.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { groupedCalls, type UseToolCallGroupResult } from '../shared/groupedCalls.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import { useClients } from './useTaskClient.js'
import { useCallsOf } from './useToolCalls.js'

/**
 * Many calls as one: how many are running, have completed and have failed, and their progress together. With a filter by
 * `meta`, it finds a batch again after a reload.
 *
 * @example
 * ```ts
 * const batch = useToolCallGroup({ filter: (call) => call.meta?.batch === 'trailer' })
 * // <progress :value="batch.progress.progress" :max="batch.progress.total" />
 * ```
 */
export function useToolCallGroup(
  options: MaybeRefOrGetter<UseToolCallsOptions> = {},
): ComputedRef<UseToolCallGroupResult> {
  const clients = useClients(() => checkedOptions('useToolCallGroup', toValue(options)))
  const calls = useCallsOf(
    clients,
    (call) => toValue(options).filter?.(call) ?? true,
    (call) => toValue(options).filter?.(call) ?? false,
  )
  return computed(() => groupedCalls(clients(), byStart(calls.value)))
}
