import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { ToolCallState } from '../call/toolCallState.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { useTaskClient } from './TaskClientProvider.js'
import { useTaskClientStore } from './useTaskClientStore.js'
import { respond } from './useToolCallControls.js'

/** A question that waits for the user, and how to answer it. */
export interface PendingInputRequest {
  readonly callId: string
  readonly inputKey: string
  /** The question. Its texts come from the server: render them as text. */
  readonly request: InputRequest
  /** The call that asks. */
  readonly call: ToolCallState
  /** Answers it. Rejects with `TaskInputError` where the answer does not fit or the call is gone. */
  readonly respond: (response: InputResponse) => Promise<void>
}

/**
 * Every question that waits for the user, of all calls, those of earlier visits and of other tabs
 * included; their number is what needs attention. The array keeps its identity while the questions do.
 *
 * @example
 * ```tsx
 * const [question] = useInputRequests()
 * if (question?.request.method === 'elicitation/create') {
 *   return <Approval text={question.request.params.message} onAnswer={question.respond} />
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
          respond: (response: InputResponse) => respond(client, call.callId, inputKey, response),
        })),
      ),
    [client, calls],
  )
}
