import type { TaskClient } from '../../core/client/taskClient.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import type { InputResponseState, ToolCallState } from '../../core/record/toolCallState.js'
import { respond } from './toolCallControls.js'

/** An input request that waits for the user or whose response is on its way, with a function to respond to it. */
export interface PendingInputRequest {
  readonly callId: string
  readonly inputKey: string
  /** The input request. Its texts come from the server: render them as text. */
  readonly request: InputRequest
  /** The call that the input request belongs to. */
  readonly call: ToolCallState
  /** The client of that call. */
  readonly client: TaskClient
  /**
   * The state of the last response: being sent, or refused. Undefined until the user has responded. If the response does
   * not fit the form, the `issues` of its `TaskInputError` name the fields and the problems.
   */
  readonly response?: InputResponseState | undefined
  /**
   * Responds to the input request. Rejects with `TaskInputError` if the response does not fit or the call is gone;
   * `response` has the error, too. In an event handler it causes no unhandled rejection.
   */
  readonly respond: (response: InputResponse) => Promise<void>
}

/** True where the call waits for an answer of the user. */
export function isAsking({ inputRequests }: ToolCallState): boolean {
  return Object.keys(inputRequests).length > 0
}

/** The input requests of calls that ask, with the client of each. */
export function pendingInputRequests(
  clients: readonly TaskClient[],
  calls: readonly ToolCallState[],
): readonly PendingInputRequest[] {
  return calls.flatMap((call) => {
    const client = clients.find((each) => each.getToolCallState(call.callId) !== undefined)
    if (client === undefined) return []
    return Object.entries(call.inputRequests).map(([inputKey, request]) => ({
      callId: call.callId,
      inputKey,
      request,
      call,
      client,
      response: Object.hasOwn(call.inputResponses, inputKey) ? call.inputResponses[inputKey] : undefined,
      respond: (response: InputResponse) => respond(client, call.callId, inputKey, response),
    }))
  })
}
