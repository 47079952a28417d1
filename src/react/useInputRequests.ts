import { useMemo } from 'react'
import type { InputResponseState, ToolCallState } from '../call/toolCallState.js'
import type { TaskClient } from '../client/taskClient.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { useCallsOf } from './useCallsOf.js'
import { type UseTaskClientsOptions, useTaskClients } from './useTaskClient.js'
import { respond } from './useToolCallControls.js'

/** An input request that waits for the user, or whose answer is on its way, and how to answer it. */
export interface PendingInputRequest {
  readonly callId: string
  readonly inputKey: string
  /** The input request. Its texts come from the server: render them as text. */
  readonly request: InputRequest
  /** The call that asks. */
  readonly call: ToolCallState
  /** The client of that call. */
  readonly client: TaskClient
  /**
   * How the last response fares: on its way, or not taken. Undefined while nobody has answered. Where a form was filled
   * in wrongly, the `issues` of its {@link TaskInputError} say so by field.
   */
  readonly response?: InputResponseState | undefined
  /**
   * Responds to it. Rejects with `TaskInputError` if the response does not fit or the call is gone. A refusal also
   * stands in `response`; `onClick={() => respond(answer)}` leaves no unhandled rejection behind.
   */
  readonly respond: (response: InputResponse) => Promise<void>
}

/**
 * Every input request that waits for the user, of all calls of a client, or of several, those of earlier visits and of other tabs included; their
 * number is what needs attention. An input request stays listed until the server has taken its response, so that a form
 * keyed by `callId` and `inputKey` keeps what was typed. The array keeps its identity while the calls that ask do.
 *
 * @example
 * ```tsx
 * const [input] = useInputRequests()
 * if (input?.request.method === 'elicitation/create') {
 *   return <Approval text={input.request.params.message} onRespond={input.respond} />
 * }
 * ```
 */
export function useInputRequests(options: UseTaskClientsOptions = {}): readonly PendingInputRequest[] {
  const clients = useTaskClients(options)
  const calls = useCallsOf(clients, isAsking)
  return useMemo(
    () =>
      calls.flatMap((call) => {
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
      }),
    [clients, calls],
  )
}

function isAsking({ inputRequests }: ToolCallState): boolean {
  return Object.keys(inputRequests).length > 0
}
