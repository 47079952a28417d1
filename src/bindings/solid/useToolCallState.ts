import { type Accessor, createMemo } from 'solid-js'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseToolCallStateOptions } from '../shared/toolCallOptions.js'
import { stateOf, watchToolCall } from '../shared/watchToolCall.js'
import { createSubscription } from './createSubscription.js'
import { useClient } from './useTaskClient.js'

/**
 * The call with this id, or undefined. The accessor changes only when that call changes. If the call ended in an earlier
 * visit, the primitive fetches its outcome.
 *
 * @example
 * ```tsx
 * const call = useToolCallState(() => ({ callId: client.toolCallId('generate_report', props.week) }))
 * return <p>{call()?.phase}</p>
 * ```
 */
export function useToolCallState(options: Accessor<UseToolCallStateOptions>): Accessor<ToolCallState | undefined> {
  const read = () => checkedOptions('useToolCallState', options())
  return createStateOfCall(
    useClient(read),
    createMemo(() => read().callId),
  )
}

export function createStateOfCall(
  client: Accessor<TaskClient>,
  callId: Accessor<string | undefined>,
): Accessor<ToolCallState | undefined> {
  return createSubscription<ToolCallState | undefined>(
    (listener) => watchToolCall(client(), callId(), listener),
    () => stateOf(client(), callId()),
    undefined,
  )
}
