import { useMemo } from 'react'
import type { ToolCallState } from '../call/toolCallState.js'
import type { TaskClient } from '../client/taskClient.js'
import { TaskInputError } from '../protocol/errors.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { Task } from '../protocol/task.js'
import { useStateOfCall } from './useToolCallState.js'

/** What the hooks add to TanStack's result: the call, and what can be done with it. */
export interface ToolCallControls {
  /** The call as the store has it; undefined until it is made. */
  call: ToolCallState | undefined
  /** The newest snapshot of its task. */
  task: Task | undefined
  /** The open input requests, by key. */
  inputRequests: Readonly<Record<string, InputRequest>>
  /**
   * Asks the server to stop the work. Without a call it does nothing. A refusal rejects it and stands in
   * `call.lastError`; `onClick={cancel}` leaves no unhandled rejection behind.
   */
  cancel: () => Promise<void>
  /**
   * Responds to an input request of the task. Rejects with `TaskInputError` where the response does not fit or there is
   * no call. A refusal also stands in `call.inputResponses`; `onClick` handlers leave no unhandled rejection behind.
   */
  respond: (inputKey: string, response: InputResponse) => Promise<void>
  /** From `cancel()` until the server's truth arrives. */
  isCancelling: boolean
}

const NO_REQUESTS: Readonly<Record<string, InputRequest>> = {}

/** The call with this id and what can be done with it. The functions stay the same while the call does. */
export function useToolCallControls(client: TaskClient, callId: string | undefined): ToolCallControls {
  const call = useStateOfCall(client, callId)
  const actions = useMemo(
    () => ({
      cancel: () => cancel(client, callId),
      respond: (inputKey: string, response: InputResponse) => respond(client, callId, inputKey, response),
    }),
    [client, callId],
  )
  return {
    call,
    task: call?.task,
    inputRequests: call?.inputRequests ?? NO_REQUESTS,
    isCancelling: call?.isCancelling ?? false,
    ...actions,
  }
}

/**
 * Responds to an input request of a call, and rejects if there is no such call: a response is never dropped silently.
 */
export function respond(
  client: TaskClient,
  callId: string | undefined,
  inputKey: string,
  response: InputResponse,
): Promise<void> {
  const handle = callId === undefined ? undefined : client.getToolCall(callId)
  if (handle === undefined) {
    const message = 'There is no call to respond to: it was not made, or it was forgotten.'
    return Promise.reject(new TaskInputError(message, { callId }))
  }
  const sent = handle.respond(inputKey, response)
  // The state carries the refusal, so that a click handler may let go of the promise.
  sent.catch(() => {})
  return sent
}

function cancel(client: TaskClient, callId: string | undefined): Promise<void> {
  const handle = callId === undefined ? undefined : client.getToolCall(callId)
  const cancelled = handle?.cancel() ?? Promise.resolve()
  // The state carries the refusal, so that a click handler may let go of the promise.
  cancelled.catch(() => {})
  return cancelled
}
