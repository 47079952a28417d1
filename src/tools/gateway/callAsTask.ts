import { ProtocolError as BehindError, type InputRequest } from '@modelcontextprotocol/client'
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import type { TaskClient } from '../../core/client/taskClient.js'
import { isTaskError, TaskFailedError } from '../../core/protocol/errors.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { causes } from '../../core/wire/wireErrors.js'
import { INTERNAL_ERROR } from '../../server/base/errorCodes.js'
import { ignoreRejection } from '../../server/base/ignoreRejection.js'
import { answerFor } from './askClient.js'
import { isSessionLost, isStopped } from './callBehind.js'
import { forwardProgress } from './forwardProgress.js'
import type { CallBehind } from './toolsBehind.js'

/**
 * Calls a tool of the server behind that may answer with a task or start a job, and follows that to its end. When the signal of the
 * context aborts, the task is cancelled, or the cancel tool of the job is called; a job without one continues, and the call with it.
 *
 * @throws {ProtocolError} of the SDK's server, why there is no result; an error for which `isStopped` is true, if the connection was
 * lost; what `closed` rejects with; the reason of the signal if the call was cancelled.
 */
export async function callAsTask(
  client: TaskClient,
  { name, args, context }: CallBehind,
  closed: Promise<never>,
): Promise<CallToolResult> {
  const call = client.startToolCall({ name, arguments: { ...args } })
  const report = forwardProgress(context)
  const asked = new Set<string>()

  async function answer(key: string, request: ToolCallState['inputRequests'][string]): Promise<void> {
    asked.add(key)
    // Both are what the specification says; it was parsed.
    const response = await answerFor(context, request as InputRequest)
    await call.respond(key, response as InputResponse)
  }

  const onState = (state: ToolCallState) => {
    if (state.progress !== undefined) report(state.progress)
    else if (state.task?.statusMessage !== undefined) report({ message: state.task.statusMessage })
    for (const [key, request] of Object.entries(state.inputRequests)) {
      if (!asked.has(key)) ignoreRejection(answer(key, request))
    }
  }
  const cancel = () => void ignoreRejection(call.cancel())
  const unsubscribe = call.subscribe(onState)
  context.signal.addEventListener('abort', cancel, { once: true })
  try {
    return (await Promise.race([call.result, closed])) as CallToolResult
  } catch (error) {
    context.signal.throwIfAborted()
    throw withoutClient(error)
  } finally {
    unsubscribe()
    context.signal.removeEventListener('abort', cancel)
    // Only the task in front is needed from now on.
    void ignoreRejection(client.forget({ callId: call.callId }))
  }
}

/** What the server behind has said, without the words that are for an app. */
function withoutClient(error: unknown): unknown {
  if (error instanceof TaskFailedError) return new ProtocolError(error.code, error.message, error.data)
  for (const cause of causes(error)) {
    if (isStopped(cause) || isSessionLost(cause)) return cause
    if (cause instanceof BehindError) return new ProtocolError(cause.code, cause.message, cause.data)
  }
  return isTaskError(error) ? new ProtocolError(INTERNAL_ERROR, error.message) : error
}
