import { useMemo } from 'react'
import { byStart } from '../../core/client/toolCallGroup.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import { useCallsOf } from './useCallsOf.js'
import { useTaskClients } from './useTaskClient.js'

/**
 * Every call of one client or of several, including those of earlier visits, oldest first. The array keeps its identity as
 * long as its members keep theirs.
 *
 * @example
 * ```tsx
 * const running = useToolCalls({ filter: (call) => call.phase === 'working' })
 * ```
 */
export function useToolCalls(options: UseToolCallsOptions = {}): readonly ToolCallState[] {
  const { filter = () => true, ...from } = checkedOptions('useToolCalls', options)
  const calls = useCallsOf(useTaskClients(from), filter)
  return useMemo(() => byStart(calls), [calls])
}
