import { type Accessor, createMemo } from 'solid-js'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import { watchToolCall } from '../bindings/watchToolCall.js'
import type { ToolCallState } from '../call/toolCallState.js'
import type { TaskClient } from '../client/taskClient.js'
import { createSubscription } from './createSubscription.js'
import { useClient } from './useTaskClient.js'

/** What {@link useToolCallState} takes. */
export interface UseToolCallStateOptions extends UseTaskClientOptions<unknown> {
  /** As `call.callId` and `client.toolCallId()` have it; undefined: none. */
  callId: string | undefined
}

/**
 * The call with this id, undefined where there is none. The accessor changes when that call does, and for no other one. The
 * outcome of a call that ended in an earlier visit is fetched.
 *
 * @example
 * ```tsx
 * const call = useToolCallState(() => ({ callId: client.toolCallId('generate_report', props.week) }))
 * return <p>{call()?.phase}</p>
 * ```
 */
export function useToolCallState(options: Accessor<UseToolCallStateOptions>): Accessor<ToolCallState | undefined> {
  return createStateOfCall(
    useClient(options),
    createMemo(() => options().callId),
  )
}

export function createStateOfCall(
  client: Accessor<TaskClient>,
  callId: Accessor<string | undefined>,
): Accessor<ToolCallState | undefined> {
  return createSubscription<ToolCallState | undefined>(
    (listener) => watchToolCall(client(), callId(), listener),
    () => {
      const id = callId()
      return id === undefined ? undefined : client().getToolCallState(id)
    },
    undefined,
  )
}
