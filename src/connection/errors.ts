import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { asError } from '../protocol/asError.js'
import {
  ConnectionFailedError,
  isTaskError,
  TaskExpiredError,
  type TaskProtocolSource,
  TaskRequestError,
  TasksUnsupportedError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import {
  INVALID_PARAMS,
  isIdempotencyConflict,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
  TASKS_EXTENSION,
} from '../protocol/extension.js'
import { isJsonObject, isTooDeep, type JsonObject } from '../protocol/json.js'
import { cutText, withoutId } from '../protocol/text.js'

const CORS_HINT =
  'If the server is on another origin, it must allow it: Access-Control-Allow-Origin, and Access-Control-Allow-Headers ' +
  'with content-type, mcp-protocol-version, mcp-method and mcp-name.'

const SIGN_IN_HINT = 'A sign-in that came to nothing is tried again after connect().'

/** What a failed `tasks/*` request means for the task. */
export function taskRequestError(error: unknown, source: TaskProtocolSource, taskId: string): Error {
  if (error instanceof TaskRequestError && error.taskId === undefined) {
    const { message, kind, status, retryAfterMs } = error
    return new TaskRequestError(message, { kind, status, retryAfterMs, taskId, cause: error.cause })
  }
  if (isTaskError(error)) return error
  const options = { taskId, cause: error }
  if (isUnauthorized(error)) return credentialsError(error, taskId)
  const rpc = isPassing(error) ? undefined : jsonRpcError(error, taskId)
  // For an update it may as well mean the response, for a stream its filter.
  if (rpc?.code === INVALID_PARAMS && source !== 'tasks/update' && source !== 'notifications/tasks')
    return new TaskExpiredError('unknown-task', options)
  if (rpc?.code === METHOD_NOT_FOUND || rpc?.code === MISSING_CLIENT_CAPABILITY) {
    return new TasksUnsupportedError(`The server refuses ${source} (${rpc.code}: ${rpc.message}).`, {
      ...options,
      code: rpc.code,
    })
  }
  if (rpc)
    return new TaskRequestError(`The server answered ${source} with an error: ${rpc.message}`, {
      ...options,
      kind: 'server',
      code: rpc.code,
    })
  if (error instanceof SdkHttpError) {
    return new TaskRequestError(`The server answered ${source} with HTTP ${error.status}.`, {
      ...options,
      kind: 'http',
      status: error.status,
    })
  }
  if (isMalformed(error)) {
    return new TaskRequestError(`The response to ${source} is no MCP message. Is a proxy or a login page in between?`, {
      ...options,
      kind: 'malformed',
    })
  }
  const reason = withoutId(messageOf(error), taskId)
  return new TaskRequestError(`The server could not be reached: ${reason}`, { ...options, kind: 'network' })
}

type Era = 'modern' | 'legacy'

const REVISION: Record<Era, string> = { modern: '2026-07-28', legacy: '2025-11-25 or earlier' }

/**
 * What a failed request for a task means where the task was made in another era than the one that the
 * server speaks now: tasks do not survive that.
 */
export function eraChangedError(error: unknown, taskId: string, taskEra: Era | undefined, serverEra: Era): unknown {
  const isUnknown = error instanceof TaskExpiredError || error instanceof TasksUnsupportedError
  if (taskEra === undefined || taskEra === serverEra || !isUnknown) return error
  return new TaskExpiredError('unknown-task', {
    taskId,
    cause: error,
    message:
      `The task was started while the server spoke MCP ${REVISION[taskEra]}; now it speaks ${REVISION[serverEra]} and does not know it. ` +
      'Start the call again.',
  })
}

/** Errors that stand for a sign-in that failed; their cause does not show it any more. */
const failedSignIns = new WeakSet<object>()

/** The server asks for credentials. */
export function credentialsError(cause: unknown, taskId?: string): TaskRequestError {
  const error = new TaskRequestError('The server asks for credentials. Sign in again; the task goes on meanwhile.', {
    kind: 'auth',
    cause,
    taskId,
  })
  if (isSignInFailure(cause)) failedSignIns.add(error)
  return error
}

/** True if the SDK has tried to sign in, and the server refuses the request all the same. */
export function isSignInFailure(error: unknown): boolean {
  return causes(error).some(
    (one) =>
      failedSignIns.has(Object(one)) ||
      one instanceof UnauthorizedError ||
      // A connection that is refused where there is no provider has the same code, and the server's words.
      (one instanceof SdkHttpError && one.code === SdkErrorCode.ClientHttpAuthentication && !('text' in one.data)),
  )
}

/** True if no connection came about because the server asks for credentials. */
export function needsCredentials(error: unknown): boolean {
  return causes(error).some(isUnauthorized)
}

/**
 * What caused an error, as it is kept: the body that a server sent with an HTTP status may name a task, which nobody
 * knows yet.
 */
function withoutBody(error: unknown): unknown {
  if (!(error instanceof SdkHttpError)) return error
  const { name, code, status } = error
  const copy = Object.assign(new Error(`HTTP ${status}`), { name, code, status })
  if (isSignInFailure(error)) failedSignIns.add(copy)
  return copy
}

/** What a failed `tools/call` means for the call. `refused`: the error is the server's own response. */
export function toolCallError(error: unknown, tool: string, refused: boolean): unknown {
  if (isTaskError(error)) return error
  if (isUnauthorized(error)) {
    return new ToolCallRejectedError(
      `Failed to call "${tool}": the server asks for credentials. Pass transportOptions.authProvider, or sign in. ${SIGN_IN_HINT}`,
      { code: 401, cause: withoutBody(error) },
    )
  }
  const isBusy = error instanceof SdkHttpError && error.status === TOO_MANY_REQUESTS
  // The status comes from a gateway, which cannot know whether the tool ran.
  if (isPassing(error) && !isBusy) return new ToolCallInterruptedError(tool, { cause: withoutBody(error) })
  const rpc = isBusy ? undefined : jsonRpcError(error)
  if (rpc && (refused || error instanceof SdkHttpError)) return rejection(rpc, tool, error)
  // Raised by the SDK itself, for instance by output validation.
  if (rpc) return error
  if (error instanceof SdkHttpError) {
    return new ToolCallRejectedError(`Failed to call "${tool}": the server ${httpProblem(error)}`, {
      code: error.status,
      cause: withoutBody(error),
    })
  }
  if (error instanceof SdkError && LOCAL_CODES.has(error.code)) return error
  return new ToolCallInterruptedError(tool, { cause: withoutBody(error) })
}

/** The server has ended the session in which a `tools/call` went out, and so has not looked at it. */
export function sessionLostError(tool: string, cause: unknown): ConnectionFailedError {
  return new ConnectionFailedError(
    `Failed to call "${tool}": the server has ended the session, so the tool did not run. Call it again; that connects anew.`,
    { cause: withoutBody(cause) },
  )
}

/** Why no connection came about, with what to do. */
export function connectionError(error: unknown, url: string | undefined): Error {
  if (isTaskError(error)) return error
  const where = url === undefined ? 'the MCP server' : `an MCP server at ${url}`
  const failed = (reason: string) =>
    new ConnectionFailedError(`Failed to connect to ${where}: ${reason}`, { cause: withoutBody(error) })
  if (error instanceof SdkHttpError) return failed(`it ${httpProblem(error)}`)
  if (error instanceof UnauthorizedError) return failed(`${adviceFor(401)} ${SIGN_IN_HINT}`)
  if (error instanceof ProtocolError)
    return failed(`it answered with the error ${error.code}${said(error.message)}. Its log may say more.`)
  if (causes(error).some(isMalformed))
    return failed('what answers there does not speak MCP. Check that the URL is that of the MCP endpoint.')
  return failed(
    `${messageOf(error)}. Check that the server runs and that the URL is right. ${CORS_HINT} This says what is wrong: npx taskwire doctor ${url ?? '<url>'}`,
  )
}

/** The status of the response, the text of the server, and what to do about it. */
function httpProblem(error: SdkHttpError): string {
  const { status, data } = error
  const words = jsonRpcError(error)?.message ?? data['text']
  return `answered HTTP ${status}${said(words)}. ${adviceFor(status)}`
}

/** The text of a server as one short line; a page of HTML without its tags. */
function said(words: unknown): string {
  const text = String(words ?? '').slice(0, MAX_WORDS)
  // A response that came with the wrong status is no message to the reader, and may name a task.
  if (/"(jsonrpc|taskId)"/.test(text)) return ''
  const line = text
    .replace(/^\s*<.*/s, (html) => html.replace(/<[^>]*>?/g, ' '))
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  return line && ` and said "${line.slice(0, MAX_LINE)}"`
}

function adviceFor(status: number): string {
  if (status === 400) return 'Where it wants a header, pass it in transportOptions.requestInit.'
  if (status === 401) return 'It asks for credentials: pass transportOptions.authProvider or an Authorization header.'
  if (status === 403) return 'It refuses access: check the credentials, and that it allows the origin of this page.'
  if (PASSING_STATUSES.has(status)) return 'Try again later.'
  if (status >= 500) return 'The fault is on its side: its log says more. Trying again is safe.'
  return `${status === 415 ? 'It takes no JSON there. ' : ''}Check that the URL is that of the MCP endpoint.`
}

/** Errors that the SDK raises before or after the exchange: the outcome of the call is not in doubt. */
const LOCAL_CODES: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
])

function rejection(rpc: JsonRpcError, tool: string, cause: unknown): Error {
  const options = { code: rpc.code, data: rpc.data, cause: withoutBody(cause) }
  if (
    rpc.code === MISSING_CLIENT_CAPABILITY &&
    isJsonObject(rpc.data) &&
    JSON.stringify(rpc.data).includes(TASKS_EXTENSION)
  ) {
    return new TasksUnsupportedError(
      `The server runs "${tool}" as a task only and did not see that this client supports tasks.`,
      options,
    )
  }
  const hint = isIdempotencyConflict(rpc.data)
    ? ' Call it with the arguments that it was first called with, or under another key.'
    : rpc.code === METHOD_NOT_FOUND
      ? ' The server offers no tools. Check that the URL is that of the server you mean.'
      : rpc.code === INVALID_PARAMS
        ? ' Check the name and the arguments against listTools().'
        : ''
  return new ToolCallRejectedError(`Failed to call "${tool}": ${rpc.message} (${rpc.code}).${hint}`, options)
}

/** A JSON-RPC error as the server sent it. */
export interface JsonRpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * The JSON-RPC error inside, also where the transport shows only the HTTP status it came with: its message
 * cut and, where it is about a task, without the id.
 */
export function jsonRpcError(error: unknown, taskId?: string): JsonRpcError | undefined {
  const { code, message, data } = error instanceof ProtocolError ? error : bodyError(error)
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return { code, message: withoutId(cutText(message), taskId), data: isTooDeep(data) ? undefined : data }
}

function bodyError(error: unknown): JsonObject {
  if (!(error instanceof SdkHttpError) || typeof error.data['text'] !== 'string') return {}
  try {
    const body: unknown = JSON.parse(error.data['text'])
    return isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {}
  } catch {
    return {}
  }
}

function isUnauthorized(error: unknown): boolean {
  const { status } = Object(error) as { status?: unknown }
  return error instanceof UnauthorizedError || (error instanceof Error && (status === 401 || status === 403))
}

/** How much of a server's words is read, and how much of that is shown, in characters. */
const MAX_WORDS = 4096
const MAX_LINE = 300

const TOO_MANY_REQUESTS = 429
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, TOO_MANY_REQUESTS])

/**
 * Whether the HTTP status speaks of passing trouble, whatever the body says: gateways answer in JSON-RPC, too.
 * The errors of a server that has looked at the request come with 200, 400 or 404 (MCP 2026-07-28, "Streamable HTTP").
 */
function isPassing(error: unknown): boolean {
  return error instanceof SdkHttpError && (error.status >= 500 || PASSING_STATUSES.has(error.status))
}

function isMalformed(error: unknown): boolean {
  if (error instanceof SdkError) {
    return error.code === SdkErrorCode.ClientHttpUnexpectedContent || error.code === SdkErrorCode.InvalidResult
  }
  return error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')
}

/** The error and what it was caused by. The SDK keeps a cause in `data`, too. */
function causes(error: unknown): unknown[] {
  if (error === undefined || error === null) return []
  const { cause, data } = error as { cause?: unknown; data?: unknown }
  return [error, ...causes(cause ?? (isJsonObject(data) ? data['cause'] : undefined))]
}

function messageOf(error: unknown): string {
  return cutText(asError(error).message)
}
