import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { InputResponseState, ToolCallState } from '../call/toolCallState.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { useTaskClient } from './TaskClientProvider.js'
import { useTaskClientStore } from './useTaskClientStore.js'
import { respond } from './useToolCallControls.js'

/** An input request that waits for the user, or whose answer is on its way, and how to answer it. */
export interface PendingInputRequest {
  readonly callId: string
  readonly inputKey: string
  /** The input request. Its texts come from the server: render them as text. */
  readonly request: InputRequest
  /** The call that asks. */
  readonly call: ToolCallState
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
 * Every input request that waits for the user, of all calls, those of earlier visits and of other tabs included; their
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
export function useInputRequests(): readonly PendingInputRequest[] {
  const client = useTaskClient()
  const calls = useTaskClientStore(
    useShallow((state) => Object.values(state.calls).filter((call) => Object.keys(call.inputRequests).length > 0)),
  )
  return useMemo(
    () =>
      calls.flatMap((call) =>
        Object.entries(call.inputRequests).map(([inputKey, request]) => ({
          callId: call.callId,
          inputKey,
          request,
          call,
          response: Object.hasOwn(call.inputResponses, inputKey) ? call.inputResponses[inputKey] : undefined,
          respond: (response: InputResponse) => respond(client, call.callId, inputKey, response),
        })),
      ),
    [client, calls],
  )
}
