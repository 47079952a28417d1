import { inDevelopment } from '../environment/inDevelopment.js'
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
  HEADER_MISMATCH,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
  TASKS_EXTENSION,
} from '../protocol/extension.js'
import { isJsonObject, isTooDeep, type JsonObject } from '../protocol/json.js'
import { READ_MORE } from '../protocol/readMore.js'
import { cutText, withoutId } from '../protocol/text.js'
import { isPassingStatus } from '../time/retry.js'
import { adviceFor, CHECK_URL, corsAdvice, HINTS, hintFor, isBlocked, SIGN_IN_HINT } from './advice.js'
import { said } from './said.js'
import { credentialsError, isUnauthorized, noteSignInFailure } from './signInErrors.js'
import { causes, hasWireCode, isHttpError, isRpcError, isUnauthorizedError, type WireCode } from './wireErrors.js'

/** What a failed `tasks/*` request means for the task. */
export function taskRequestError(error: unknown, source: TaskProtocolSource | `"${string}"`, taskId: string): Error {
  if (error instanceof TaskRequestError && error.taskId === undefined) {
    const { message, kind, cause } = error
    return new TaskRequestError(message, { kind, taskId, cause })
  }
  if (isTaskError(error)) return error
  const options = { taskId, cause: error }
  if (isUnauthorized(error)) return credentialsError(error, taskId)
  const rpc = isPassing(error) ? undefined : jsonRpcError(error, taskId)
  // For an update it may as well mean the response, for a stream its filter.
  if (rpc?.code === INVALID_PARAMS && source !== 'tasks/update' && source !== 'notifications/tasks')
    return new TaskExpiredError('unknown-task', options)
  if (rpc?.code === METHOD_NOT_FOUND || rpc?.code === MISSING_CLIENT_CAPABILITY || rpc?.code === HEADER_MISMATCH) {
    const hint = rpc.code === HEADER_MISMATCH ? ` ${HINTS[rpc.code]}` : ''
    return new TasksUnsupportedError(`The server refuses ${source} (${rpc.code}: ${rpc.message}).${hint}`, {
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
  if (isHttpError(error)) {
    return new TaskRequestError(`The server answered ${source} with HTTP ${error.status}.`, {
      ...options,
      kind: 'http',
      status: error.status,
      retryAfterMs: error.retryAfterMs,
    })
  }
  if (isMalformed(error)) {
    const what = `The response to ${source} is not an MCP message. Is a proxy or a sign-in page in between?`
    return new TaskRequestError(what, { ...options, kind: 'malformed' })
  }
  const reason = withoutId(messageOf(error), taskId)
  return new TaskRequestError(`The server could not be reached: ${reason}`, { ...options, kind: 'network' })
}

/** What caused an error, as it is kept: the body that came with an HTTP status may name a task that is not known yet. */
function withoutBody(error: unknown): unknown {
  if (!isHttpError(error)) return error
  const { name, code, status, retryAfterMs } = error
  const copy = Object.assign(new Error(`HTTP ${status}`), { name, code, status, retryAfterMs })
  noteSignInFailure(error, copy)
  return copy
}

/** What a failed `tools/call` means for the call. `refused`: the error is the server's own response. */
export function toolCallError(error: unknown, tool: string, refused: boolean): unknown {
  if (isTaskError(error)) return unsentError(error) ?? error
  if (isUnauthorized(error)) {
    return new ToolCallRejectedError(`Failed to call "${tool}": the server asks for credentials. ${SIGN_IN_HINT}`, {
      code: 401,
      cause: withoutBody(error),
    })
  }
  const isBusy = isHttpError(error) && error.status === 429
  // The status comes from a gateway, which cannot know whether the tool ran.
  if (isPassing(error) && !isBusy) return new ToolCallInterruptedError(tool, { cause: withoutBody(error) })
  const rpc = isBusy ? undefined : jsonRpcError(error)
  if (rpc && (refused || isHttpError(error))) return rejection(rpc, tool, error)
  // Raised by the SDK itself, for instance by output validation.
  if (rpc) return error
  if (isHttpError(error)) {
    return new ToolCallRejectedError(`Failed to call "${tool}": the server ${httpProblem(error)}`, {
      code: error.status,
      cause: withoutBody(error),
    })
  }
  if (hasWireCode(error, ...LOCAL_CODES)) return error
  return new ToolCallInterruptedError(tool, { cause: withoutBody(error) })
}

/** The server has ended the session in which a `tools/call` went out, and so has not looked at it. */
export function sessionLostError(tool: string, cause: unknown): ConnectionFailedError {
  return new ConnectionFailedError(
    `Failed to call "${tool}": the server has ended the session, so the tool did not run. Call it again; that opens a new session.`,
    { cause: withoutBody(cause) },
  )
}

/** What the headers of the app came to, in the way of the SDK: nothing was sent. */
function unsentError(error: unknown): ConnectionFailedError | undefined {
  const own = causes(error).find((one) => one instanceof TaskRequestError)
  return own && new ConnectionFailedError((own as Error).message, { cause: (own as Error).cause })
}

/** Why no connection came about, with what to do. `page` is the URL of the page that connects. */
export function connectionError(error: unknown, url: string | undefined, page?: string): Error {
  const unsent = unsentError(error)
  if (unsent ?? isTaskError(error)) return unsent ?? (error as Error)
  const where = url === undefined ? 'the MCP server' : `an MCP server at ${url}`
  // One that was thrown in the way of the SDK is the cause of what the SDK says.
  const http = causes(error).find(isHttpError)
  const failed = (reason: string, cause: unknown = error) =>
    new ConnectionFailedError(`Failed to connect to ${where}: ${reason}`, { cause: withoutBody(http ?? cause) })
  if (http) return failed(`it ${httpProblem(http)}`)
  if (isUnauthorizedError(error))
    return failed(`${inDevelopment ? `${adviceFor(401)} ` : 'it asks for credentials. '}${SIGN_IN_HINT}`)
  const rpc = causes(error).find(isRpcError)
  if (rpc)
    return failed(
      `it answered with the error ${rpc.code}${said(rpc.message)}. ${HINTS[rpc.code] ?? 'Its log may say more.'}`,
      rpc,
    )
  if (causes(error).some((one) => isMalformed(one) || hasWireCode(one, 'UNSUPPORTED_RESULT_TYPE')))
    return failed(`the server there does not speak MCP. ${inDevelopment ? CHECK_URL : READ_MORE}`)
  if (inDevelopment && isBlocked(url, page))
    return failed(
      'this page came over https:, and browsers block what it asks for over http:. Serve MCP with TLS, and use its https: URL.',
    )
  return failed(
    `${messageOf(error)}. ${inDevelopment ? `Check that the server runs and that the URL is right. ${corsAdvice(url, page)}` : READ_MORE}`,
  )
}

/** The status of the response, the text of the server, and what to do about it. */
function httpProblem(error: { status: number; data: JsonObject }): string {
  const { status, data } = error
  const words = jsonRpcError(error)?.message ?? data['text']
  return `answered HTTP ${status}${said(words)}. ${inDevelopment ? adviceFor(status, String(data['text'])) : READ_MORE}`
}

/** Errors that are raised before or after the exchange: the outcome of the call is not in doubt. */
const LOCAL_CODES: readonly WireCode[] = [
  'NOT_CONNECTED',
  'CAPABILITY_NOT_SUPPORTED',
  'INVALID_RESULT',
  'UNSUPPORTED_RESULT_TYPE',
]

function rejection(rpc: JsonRpcError, tool: string, cause: unknown): Error {
  const options = { code: rpc.code, data: rpc.data, cause: withoutBody(cause) }
  if (rpc.code === INTERNAL_ERROR && TASK_REFUSED.test(rpc.message)) {
    return new ToolCallInterruptedError(tool, {
      cause: options.cause,
      message: `Something between this page and the server does not know tasks and refused the answer to "${tool}"; it may be running on the server. ${inDevelopment ? "Reach the server without that proxy, or set legacy.tasks: 'never'." : READ_MORE}`,
    })
  }
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
  const hint = inDevelopment ? hintFor(rpc) : ''
  return new ToolCallRejectedError(`Failed to call "${tool}": ${rpc.message} (${rpc.code}).${hint}`, options)
}

const INTERNAL_ERROR = -32603

/** The words of a client of SDK v2 inside of a proxy, such as mcp-proxy 6, for a task in answer to a call. */
const TASK_REFUSED = /^Invalid result for tools\/call\b.*'task'/s

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
  const { code, message, data } = isRpcError(error) ? error : bodyError(error)
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return { code, message: withoutId(cutText(message), taskId), data: isTooDeep(data) ? undefined : data }
}

function bodyError(error: unknown): JsonObject {
  if (!isHttpError(error)) return {}
  try {
    const body: unknown = JSON.parse(String(error.data['text']))
    return isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {}
  } catch {
    return {}
  }
}

/**
 * Whether the HTTP status speaks of passing trouble, whatever the body says: gateways answer in JSON-RPC, too.
 * The errors of a server that has looked at the request come with 200, 400 or 404 (MCP 2026-07-28, "Streamable HTTP").
 */
function isPassing(error: unknown): boolean {
  return isHttpError(error) && isPassingStatus(error.status)
}

/** Whether connecting may succeed later although nothing is changed: the network broke, or the server says so. */
export function isPassingFailure(error: unknown): boolean {
  return causes(error).some(
    (one) =>
      isPassing(one) ||
      // What `fetch` rejects with, whether it is the network or what CORS hides.
      one instanceof TypeError ||
      hasWireCode(one, ...NETWORK_CODES),
  )
}

const NETWORK_CODES: readonly WireCode[] = ['REQUEST_TIMEOUT', 'CONNECTION_CLOSED']

const MALFORMED_CODES: readonly WireCode[] = ['CLIENT_HTTP_UNEXPECTED_CONTENT', 'INVALID_RESULT']

function isMalformed(error: unknown): boolean {
  return (
    hasWireCode(error, ...MALFORMED_CODES) ||
    error instanceof SyntaxError ||
    (error instanceof Error && error.name === 'ZodError')
  )
}

function messageOf(error: unknown): string {
  return cutText(asError(error).message)
}
