import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallStateOptions } from '../shared/toolCallOptions.js'
import { stateOf, watchToolCall } from '../shared/watchToolCall.js'
import { createReader, type ReactiveValue } from './reactive.js'
import { clientOf } from './useTaskClient.js'

/**
 * The call with this id, or undefined. The value changes only when that call changes. If the call ended in an earlier
 * visit, the function fetches its outcome.
 *
 * @example
 * ```svelte
 * <script>
 *   const { week } = $props()
 *   const call = useToolCallState(() => ({ callId: client.toolCallId('generate_report', week) }))
 * </script>
 * {call.current?.phase}
 * ```
 */
export function useToolCallState(options: () => UseToolCallStateOptions): ReactiveValue<ToolCallState | undefined> {
  const read = () => checkedOptions('useToolCallState', options())
  return stateOfCall(clientOf(read), () => read().callId)
}

export function stateOfCall(
  client: () => TaskClient,
  callId: () => string | undefined,
): ReactiveValue<ToolCallState | undefined> {
  const read = createReader(
    (listener, from: TaskClient, id: string | undefined) => watchToolCall(from, id, listener),
    stateOf,
  )
  return {
    get current() {
      return read(client(), callId())
    },
  }
}
