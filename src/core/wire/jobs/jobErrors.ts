import {
  isTaskError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../../protocol/errors.js'
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../protocol/extension.js'
import { cutText } from '../../protocol/text.js'
import { taskRequestError } from '../errors.js'
import { credentialsError, isUnauthorized } from '../signInErrors.js'
import { isRpcError } from '../wireErrors.js'
import { saysGone } from './jobResult.js'

/** What one tool of a job was asked. */
export interface JobRequest {
  readonly start: string
  readonly tool: string
  readonly taskId: string
  /** A text, or a JSON value, without the id of the job: messages end up on screens and in logs. */
  readonly hidden: <T>(value: T) => T
  /** What caused an error, as it may be printed. */
  readonly printable: (error: Error) => unknown
}

/** What a `tools/call` that failed means for the job. */
export function jobRequestError(error: unknown, request: JobRequest): Error {
  const { tool, taskId, hidden } = request
  if (error instanceof TaskConfigurationError) return error
  const isInterrupted = error instanceof ToolCallInterruptedError
  const isRejected = error instanceof ToolCallRejectedError
  const cause = (isInterrupted || isRejected) && error.cause !== undefined ? error.cause : error
  if (isUnauthorized(cause)) return credentialsError(cause, taskId)
  const { status, retryAfterMs } = Object(cause) as { status?: unknown; retryAfterMs?: number }
  if (typeof status === 'number' && !isTaskError(cause)) {
    const message = `The server answered "${tool}" with HTTP ${status}.`
    return new TaskRequestError(message, { kind: 'http', status, retryAfterMs, taskId, cause })
  }
  if (isInterrupted) return taskRequestError(cause, `"${tool}"`, taskId)
  if (isRejected) return rejected(error, request)
  if (error instanceof TaskProtocolError) return brokenJob(request, error.violation, error)
  // Nothing was sent, or the SDK finds fault with the result.
  if (isTaskError(error)) return new TaskRequestError(hidden(error.message), { kind: 'network', taskId, cause: error })
  const said = error instanceof Error ? hidden(cutText(error.message)) : 'nothing that can be read'
  if (isRpcError(error)) return brokenJob(request, said, request.printable(error))
  return taskRequestError(error, `"${tool}"`, taskId)
}

/** The server has answered with a JSON-RPC error. */
function rejected(error: ToolCallRejectedError, request: JobRequest): Error {
  const { tool, taskId, hidden } = request
  const { code } = error
  const cause = request.printable(error)
  const said = hidden(isRpcError(error.cause) ? cutText(error.cause.message) : error.message)
  if (code === METHOD_NOT_FOUND || isMissingTool(said, hidden(tool))) return missingTool(request, said, code)
  if (code === INVALID_PARAMS && saysGone(said)) return goneJob(request, said, cause)
  if (code === INVALID_PARAMS) return refusedArguments(request, said, cause)
  return new TaskRequestError(`The server answered "${tool}" with an error: ${said}`, {
    kind: 'server',
    code,
    taskId,
    cause,
  })
}

/** The words by which the SDKs refuse the arguments of a tool with `isError`. */
export function isRefusedArguments(said: string): boolean {
  return /\binput validation error|invalid arguments for tool|validation errors? for call\[/i.test(said)
}

export function refusedArguments({ start, tool, taskId }: JobRequest, said: string, cause?: unknown): Error {
  return new TaskConfigurationError(
    `The server refuses the arguments with which defineJob({ start: '${start}' }) calls "${tool}": ${said}. ` +
      'Name its arguments: { tool, arguments: (id) => ({ … }) }.',
    { taskId, cause },
  )
}

/** True for words by which servers say that they have no such tool: with a JSON-RPC error, or with `isError`. */
export function isMissingTool(said: string, tool: string): boolean {
  const words = said.replaceAll(tool, 'NAME')
  // "Error executing tool NAME: not enough memory" is what the tool itself says.
  return /\b((unknown|no such|invalid) tool\W+NAME|tool\W+NAME[^\w:]+((was|is) )?(not (found|known|registered)|unknown|disabled))\b/i.test(
    words,
  )
}

export function missingTool({ start, tool, taskId }: JobRequest, said: string, code: number = METHOD_NOT_FOUND): Error {
  return new TasksUnsupportedError(
    `The server has no tool "${tool}", by which defineJob({ start: '${start}' }) follows its jobs: ${said}. Check the name against listTools().`,
    { taskId, code },
  )
}

/** The server does not know the job. */
export function goneJob({ start, taskId }: JobRequest, said: string | undefined, cause?: unknown): TaskExpiredError {
  return new TaskExpiredError('unknown-task', {
    taskId,
    cause,
    message: `The server does not know this job of "${start}"${saying(said)}. It expired or was lost. Start the call again.`,
  })
}

/** A tool of a job has answered what is of no use. */
export function brokenJob({ tool, taskId }: JobRequest, violation: string, cause?: unknown): TaskProtocolError {
  return new TaskProtocolError(violation, {
    source: 'tools/call',
    taskId,
    cause,
    message: `The answer of "${tool}" says nothing about the job: ${violation}. Check \`id\` and \`read\` of defineJob against what the tool returns.`,
  })
}

function saying(said: string | undefined): string {
  return said === undefined || said === '' ? '' : ` (it says: ${said.replace(/[.\s]+$/, '')})`
}
