import { ProtocolError as BehindError, type InputRequest } from '@modelcontextprotocol/client'
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import { isTaskError, TaskFailedError, TaskInputRequiredError } from '../../core/protocol/errors.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import { isUnauthorized } from '../../core/wire/signInErrors.js'
import { causes } from '../../core/wire/wireErrors.js'
import { INTERNAL_ERROR } from '../../server/base/errorCodes.js'
import { answerFor } from './askClient.js'
import { isSessionLost, isStopped } from './callBehind.js'
import type { ConnectedBehind } from './connectBehind.js'
import type { CallBehind } from './toolsBehind.js'
import type { RequestMeta } from './withRequestMeta.js'

/** Refused polls in a row, about a day of them, after which the task counts as lost: its user may sign in again tomorrow. */
const MAX_REFUSED_POLLS = 5760

/** The same once the call was cancelled: about eight minutes. */
const MAX_REFUSED_AFTER_CANCEL = 20

/**
 * Calls a tool of the server behind that may answer with a task or start a job, and follows that to its end. When the signal of the
 * context aborts, the task is cancelled, or the cancel tool of the job is called; a job without one continues, and the call with it.
 *
 * @throws {ProtocolError} of the SDK's server, why there is no result; an error for which `isStopped` is true, if the connection was
 * lost; what `closed` rejects with; the reason of the signal if the call was cancelled.
 */
export async function callAsTask(
  { taskClient: client, closed }: ConnectedBehind,
  { name, args, context }: CallBehind,
  { meta, report }: RequestMeta,
): Promise<CallToolResult> {
  const removeMeta = client.addCallMeta(() => () => meta)
  const call = client.startToolCall({ name, arguments: { ...args } })
  removeMeta()
  const asked = new Set<string>()
  let giveUp: (error: unknown) => void = () => {}
  const unanswered = new Promise<never>((_, reject) => {
    giveUp = reject
  })

  async function answer(key: string, request: ToolCallState['inputRequests'][string]): Promise<void> {
    asked.add(key)
    // Both are what the specification says; it was parsed.
    const response = await answerFor(context, request as InputRequest)
    try {
      await call.respond(key, response as InputResponse)
    } catch {
      // The server behind has refused the response, unless the input request was withdrawn.
      if (key in call.getState().inputRequests) await answer(key, request)
    }
  }

  const onState = (state: ToolCallState) => {
    if (state.progress !== undefined) report(state.progress)
    else if (state.task?.statusMessage !== undefined) report({ message: state.task.statusMessage })
    for (const [key, request] of Object.entries(state.inputRequests)) {
      if (!asked.has(key)) answer(key, request).catch(giveUp)
    }
    const mostRefused = context.signal.aborted ? MAX_REFUSED_AFTER_CANCEL : MAX_REFUSED_POLLS
    if (state.network === 'paused' && state.failureCount >= mostRefused) giveUp(state.lastError)
  }
  const cancel = () => void ignoreRejection(call.cancel())
  const unsubscribe = call.subscribe(onState)
  context.signal.addEventListener('abort', cancel, { once: true })
  try {
    return (await Promise.race([call.result, closed, unanswered])) as CallToolResult
  } catch (error) {
    context.signal.throwIfAborted()
    // Nobody can answer, so the task would wait for ever. With a refused token it cannot be cancelled.
    const { network } = call.getState()
    if (!isSettled(call.getState()) && network !== 'paused') await Promise.race([call.cancel(), closed]).catch(() => {})
    const isRefused = call.getState().task === undefined
    // Where there is a task, the tool has begun, whatever became of the session.
    throw isRefused && isSessionLost(error) ? error : withoutClient(error, isRefused)
  } finally {
    unsubscribe()
    context.signal.removeEventListener('abort', cancel)
    // Only the task in front is needed from now on.
    void ignoreRejection(client.forget({ callId: call.callId }))
  }
}

/**
 * What the server behind has said, without the words that are for an app. Of credentials only where there is no task: one
 * that runs must not be started again.
 */
function withoutClient(error: unknown, isRefused: boolean): unknown {
  if (error instanceof TaskInputRequiredError) {
    return new ProtocolError(
      INTERNAL_ERROR,
      'The server behind the gateway asked for input that its client cannot give.',
    )
  }
  if (error instanceof TaskFailedError) return new ProtocolError(error.code, error.message, error.data)
  for (const cause of causes(error)) {
    if (isStopped(cause) || (isRefused && isUnauthorized(cause))) return cause
    if (cause instanceof BehindError) return new ProtocolError(cause.code, cause.message, cause.data)
  }
  return isTaskError(error) ? new ProtocolError(INTERNAL_ERROR, error.message) : error
}
