import { useMemo } from 'react'
import { byStart } from '../../core/client/toolCallGroup.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { groupedCalls, type UseToolCallGroupResult } from '../shared/groupedCalls.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import { useCallsOf } from './useCallsOf.js'
import { useTaskClients } from './useTaskClient.js'

/**
 * Many calls as one: how many are running, have completed and have failed, and their progress together. With a filter by
 * `meta`, it finds a batch again after a reload.
 *
 * @example
 * ```tsx
 * const { progress, running, cancelAll } = useToolCallGroup({ filter: (call) => call.meta?.batch === 'trailer' })
 * return (
 *   <>
 *     <progress value={progress.progress} max={progress.total} /> {running} running
 *     <button onClick={cancelAll}>Stop</button>
 *   </>
 * )
 * ```
 */
export function useToolCallGroup(options: UseToolCallsOptions = {}): UseToolCallGroupResult {
  const { filter, ...from } = checkedOptions('useToolCallGroup', options)
  const clients = useTaskClients(from)
  const calls = useCallsOf(clients, filter ?? (() => true), filter)
  return useMemo(() => groupedCalls(clients, byStart(calls)), [clients, calls])
}
