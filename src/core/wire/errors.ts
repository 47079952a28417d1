import { inDevelopment } from '../environment/inDevelopment.js'
import { asError } from '../protocol/asError.js'
import {
  ConnectionFailedError,
  isTaskError,
  TaskExpiredError,
  type TaskProtocolSource,
  TaskRequestError,
  type TaskRequestFailure,
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
import { httpMessage } from './httpMessage.js'
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
  const { rpc, ...failure } = failureOf(error, taskId)
  const { kind, code, status } = failure
  const options = { taskId, cause: error }
  if (kind === 'auth') return credentialsError(error, taskId)
  // For an update it may as well mean the response, for a stream its filter.
  if (code === INVALID_PARAMS && source !== 'tasks/update' && source !== 'notifications/tasks')
    return new TaskExpiredError('unknown-task', options)
  if (code === METHOD_NOT_FOUND || code === MISSING_CLIENT_CAPABILITY || code === HEADER_MISMATCH) {
    const hint = code === HEADER_MISMATCH ? ` ${HINTS[code]}` : ''
    return new TasksUnsupportedError(`The server refuses ${source} (${code}: ${rpc?.message}).${hint}`, {
      ...options,
      code,
    })
  }
  const words = {
    server: `The server answered ${source} with an error: ${rpc?.message}`,
    http: `The server answered ${source} with HTTP ${status}.`,
    malformed: `The response to ${source} is not an MCP message. Is a proxy or a sign-in page in between?`,
    network: `The server could not be reached: ${withoutId(messageOf(error), taskId)}`,
  }
  return new TaskRequestError(words[kind], { ...failure, ...options })
}

/** What a request came to that brought no result. */
interface Failure {
  readonly kind: TaskRequestFailure
  readonly code?: number
  readonly status?: number
  readonly retryAfterMs?: number | undefined
  /** The error of a server that has looked at the request. */
  readonly rpc?: JsonRpcError
}

/** Reads an error of the wire, whoever has made it: the SDK, `fetch`, or the connection without the SDK. */
function failureOf(error: unknown, taskId?: string): Failure {
  if (isUnauthorized(error)) return { kind: 'auth' }
  const rpc = isPassing(error) ? undefined : jsonRpcError(error, taskId)
  if (rpc) return { kind: 'server', code: rpc.code, rpc }
  if (isHttpError(error)) return { kind: 'http', status: error.status, retryAfterMs: error.retryAfterMs }
  return { kind: isMalformed(error) ? 'malformed' : 'network' }
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
  const { kind, status = 0, rpc } = failureOf(error)
  const rejected = (words: string, code: number) =>
    new ToolCallRejectedError(`Failed to call "${tool}": the server ${words}`, { code, cause: withoutBody(error) })
  if (kind === 'auth') return rejected(`asks for credentials. ${SIGN_IN_HINT}`, 401)
  // Raised by the SDK itself, for instance by output validation.
  if (rpc) return refused || isHttpError(error) ? rejection(rpc, tool, error) : error
  // The status comes from a gateway, which cannot know whether the tool ran.
  if (isHttpError(error) && (status === TOO_MANY || !isPassingStatus(status)))
    return rejected(httpProblem(error), status)
  if (hasWireCode(error, ...LOCAL_CODES)) return error
  return new ToolCallInterruptedError(tool, { cause: withoutBody(error) })
}

/** The status of a server that has not looked at the request. */
const TOO_MANY = 429

/**
 * The server has ended the session in which a call of this tool, or a `tools/list`, went out, and so has not looked at it.
 * `isReopened`: the next use connects again. A client that the app has connected is the app's to connect.
 */
export function sessionLostError(tool: string | undefined, cause: unknown, isReopened: boolean): ConnectionFailedError {
  return new ConnectionFailedError(
    `Failed to ${tool ? `call "${tool}"` : 'list the tools'}: the server has ended the session${tool ? ', so the tool did not run' : ''}. ${isReopened ? 'Try again; that opens a new session.' : 'Connect the client again.'}`,
    { cause: withoutBody(cause) },
  )
}

/** An SDK client of the app was connected, and is no more. Its tasks wait until the app connects it again. */
export function clientClosedError(): ConnectionFailedError {
  return new ConnectionFailedError(
    'The connection of the SDK client was closed. Connect the client again; its tasks keep running on the server.',
  )
}

/** What the errors of {@link unsentError} are made of. */
const unsent = new WeakMap<object, TaskRequestError>()

/** What the headers of the app came to, in the way of the SDK: nothing was sent. */
function unsentError(error: unknown): ConnectionFailedError | undefined {
  const own = causes(error).find((one) => one instanceof TaskRequestError)
  if (own === undefined) return undefined
  const told = new ConnectionFailedError(own.message, { cause: own.cause })
  unsent.set(told, own)
  return told
}

/** The same for a poll, which waits for them as it waits for a sign-in. */
export function unsentPoll(error: unknown): TaskRequestError | undefined {
  return unsent.get(Object(error))
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
      'this page came over https:, and browsers block its requests over http:. Serve MCP with TLS, and use its https: URL.',
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
  const { error: told } = isHttpError(error) ? httpMessage(error.data['text']) : {}
  return isJsonObject(told) ? told : {}
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
