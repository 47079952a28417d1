import type { TaskClient } from '../../core/client/taskClient.js'
import { TaskInputError } from '../../core/protocol/errors.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import type { Task } from '../../core/protocol/task.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'

/** The state of a call, in addition to TanStack's result. */
export interface ToolCallMembers {
  /** The state of the call in the store; undefined until the call is made. */
  call: ToolCallState | undefined
  /** The newest snapshot of its task. */
  task: Task | undefined
  /** The open input requests, by key. */
  inputRequests: Readonly<Record<string, InputRequest>>
  /** True from `cancel()` until the server reports how the task ended. */
  isCancelling: boolean
}

/** The actions of a call. */
export interface ToolCallActions {
  /**
   * Asks the server to stop the work. Does nothing if there is no call. Rejects if the server refuses; `onError` of the client
   * gets the error, too, and until the next poll `call.lastError` has it. You can pass it as an event handler: it causes no
   * unhandled rejection.
   */
  cancel: () => Promise<void>
  /**
   * Responds to an input request of the task. Rejects with `TaskInputError` if the response does not fit or there is no
   * call; `call.inputResponses` has the error, too. In an event handler it causes no unhandled rejection.
   */
  respond: (inputKey: string, response: InputResponse) => Promise<void>
}

/** The members added to TanStack's result: the call and its actions. */
export interface ToolCallControls extends ToolCallMembers, ToolCallActions {}

const NO_REQUESTS: Readonly<Record<string, InputRequest>> = {}

/** What is shown of a call; without a call, what is shown before there is one. */
export function toolCallMembers(call?: ToolCallState): ToolCallMembers {
  return {
    call,
    task: call?.task,
    inputRequests: call?.inputRequests ?? NO_REQUESTS,
    isCancelling: call?.isCancelling ?? false,
  }
}

/** What can be done with the call that is meant when it is done. */
export function toolCallActions(client: () => TaskClient, callId: () => string | undefined): ToolCallActions {
  return {
    cancel: () => callOf(client(), callId())?.cancel() ?? Promise.resolve(),
    respond: (inputKey, response) => respond(client(), callId(), inputKey, response),
  }
}

/** Responds to an input request of a call, and rejects if there is no such call: a response is never dropped silently. */
export function respond(
  client: TaskClient,
  callId: string | undefined,
  inputKey: string,
  response: InputResponse,
): Promise<void> {
  const handle = callOf(client, callId)
  if (handle !== undefined) return handle.respond(inputKey, response)
  const message = 'There is no call to respond to: it was not made, or it was forgotten.'
  return Promise.reject(new TaskInputError(message, { callId }))
}

function callOf(client: TaskClient, callId: string | undefined) {
  return callId === undefined ? undefined : client.getToolCall(callId)
}
