import { type MaybeRefOrGetter, type ShallowRef, toValue } from 'vue'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallStateOptions } from '../shared/toolCallOptions.js'
import { stateOf, watchToolCall } from '../shared/watchToolCall.js'
import { useSubscription } from './useSubscription.js'
import { useClient } from './useTaskClient.js'

/**
 * The call with this id, or undefined. The ref changes only when that call changes. If the call ended in an earlier visit,
 * the composable fetches its outcome.
 *
 * @example
 * ```ts
 * const call = useToolCallState(() => ({ callId: client.toolCallId('generate_report', props.week) }))
 * ```
 */
export function useToolCallState(
  options: MaybeRefOrGetter<UseToolCallStateOptions>,
): Readonly<ShallowRef<ToolCallState | undefined>> {
  const read = () => checkedOptions('useToolCallState', toValue(options))
  return useStateOfCall(useClient(read), () => read().callId)
}

export function useStateOfCall(
  client: () => TaskClient,
  callId: () => string | undefined,
): Readonly<ShallowRef<ToolCallState | undefined>> {
  return useSubscription<ToolCallState | undefined>(
    [client, callId],
    (listener) => watchToolCall(client(), callId(), listener),
    () => stateOf(client(), callId()),
    undefined,
  )
}
