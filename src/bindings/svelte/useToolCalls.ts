import type { TaskClient } from '../../core/client/taskClient.js'
import { byStart, keepSame } from '../../core/client/toolCallGroup.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { callsOf, watchCalls } from '../shared/callsOf.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallsOptions } from '../shared/toolCallOptions.js'
import { createReader, type ReactiveValue } from './reactive.js'
import { clientsOf } from './useTaskClient.js'

/**
 * Every call of one client or of several, including those of earlier visits, oldest first. The array keeps its identity
 * as long as its members keep theirs.
 *
 * @example
 * ```svelte
 * <script>
 *   const running = useToolCalls(() => ({ filter: (call) => call.phase === 'working' }))
 * </script>
 * {running.current.length} running
 * ```
 */
export function useToolCalls(options: () => UseToolCallsOptions = () => ({})): ReactiveValue<readonly ToolCallState[]> {
  const read = () => checkedOptions('useToolCalls', options())
  return callsIn(clientsOf(read), (call) => options().filter?.(call) ?? true)
}

/** The calls of several clients that pass the filter, oldest first. The array keeps its identity while its members do. */
export function callsIn(
  clients: () => readonly TaskClient[],
  filter: (call: ToolCallState) => boolean,
  isHeld?: (call: ToolCallState) => boolean,
): ReactiveValue<readonly ToolCallState[]> {
  let calls: readonly ToolCallState[] = []
  const read = createReader(
    (listener, ...from: readonly TaskClient[]) => watchCalls(from, listener, isHeld),
    (...from) => {
      calls = keepSame(calls, byStart(callsOf(from).filter(filter)))
      return calls
    },
  )
  return {
    get current() {
      return read(...clients())
    },
  }
}
