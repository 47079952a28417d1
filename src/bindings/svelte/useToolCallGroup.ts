import type { ToolCallState } from '../../core/record/toolCallState.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { groupedCalls, type UseToolCallGroupResult } from '../shared/groupedCalls.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import type { ReactiveValue } from './reactive.js'
import { clientsOf } from './useTaskClient.js'
import { callsIn } from './useToolCalls.js'

/**
 * Many calls as one: how many are running, have completed and have failed, and their progress together. With a filter by
 * `meta`, it finds a batch again after a reload.
 *
 * @example
 * ```svelte
 * <script>
 *   const batch = useToolCallGroup(() => ({ filter: (call) => call.meta?.batch === 'trailer' }))
 * </script>
 * <progress value={batch.current.progress.progress} max={batch.current.progress.total}></progress>
 * ```
 */
export function useToolCallGroup(
  options: () => UseToolCallsOptions = () => ({}),
): ReactiveValue<UseToolCallGroupResult> {
  const clients = clientsOf(() => checkedOptions('useToolCallGroup', options()))
  const calls = callsIn(
    clients,
    (call) => options().filter?.(call) ?? true,
    (call) => options().filter?.(call) ?? false,
  )
  let seen: readonly ToolCallState[] | undefined
  let group: UseToolCallGroupResult
  return {
    get current() {
      const now = calls.current
      if (now !== seen) group = groupedCalls(clients(), now)
      seen = now
      return group
    },
  }
}
