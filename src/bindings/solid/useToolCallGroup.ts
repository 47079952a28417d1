import { type Accessor, createMemo } from 'solid-js'
import { byStart } from '../../core/client/toolCallGroup.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { groupedCalls, type UseToolCallGroupResult } from '../shared/groupedCalls.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import { useClients } from './useTaskClient.js'
import { createCallsOf } from './useToolCalls.js'

/**
 * Many calls as one: how many are running, have completed and have failed, and their progress together. With a filter by
 * `meta`, it finds a batch again after a reload.
 *
 * @example
 * ```tsx
 * const batch = useToolCallGroup(() => ({ filter: (call) => call.meta?.batch === 'trailer' }))
 * return <progress value={batch().progress.progress} max={batch().progress.total} />
 * ```
 */
export function useToolCallGroup(
  options: Accessor<UseToolCallsOptions> = () => ({}),
): Accessor<UseToolCallGroupResult> {
  const clients = useClients(() => checkedOptions('useToolCallGroup', options()))
  const calls = createCallsOf(
    clients,
    (call) => options().filter?.(call) ?? true,
    (call) => options().filter?.(call) ?? false,
  )
  return createMemo(() => groupedCalls(clients(), byStart(calls())))
}
