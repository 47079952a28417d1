import type { InputRequest } from '@modelcontextprotocol/client'
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import type { TaskClient } from '../../core/client/taskClient.js'
import { isTaskError, TaskFailedError } from '../../core/protocol/errors.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { INTERNAL_ERROR } from '../../server/base/errorCodes.js'
import { ignoreRejection } from '../../server/base/ignoreRejection.js'
import { answerFor } from './askClient.js'
import { forwardProgress } from './forwardProgress.js'
import type { CallBehind } from './toolsBehind.js'

/**
 * Calls the start tool of a job of the server behind, and follows the job to its end. When the signal of the context aborts, the
 * tool for that is called; a job without one continues, and the call with it.
 *
 * @throws {ProtocolError} of the SDK's server, why the job has no result; what `closed` rejects with; the reason of the signal
 * where the job was cancelled.
 */
export async function callJob(
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
    if (error instanceof TaskFailedError) throw new ProtocolError(error.code, error.message, error.data)
    if (isTaskError(error)) throw new ProtocolError(INTERNAL_ERROR, error.message)
    throw error
  } finally {
    unsubscribe()
    context.signal.removeEventListener('abort', cancel)
  }
}
