// Longer than other files: one list of error classes, which is read as one.
import type { FormIssue } from './formIssues.js'
import { isJsonObject, type JsonObject } from './json.js'
import { cutText, withoutId, withoutIdInCause, withoutIdInJson } from './text.js'

/** What every {@link TaskError} may say about itself. */
export interface TaskErrorOptions {
  taskId?: string | undefined
  callId?: string | undefined
  /** With a `taskId`, the error keeps a copy of it that can be printed: name, message, code and causes, without the id. */
  cause?: unknown
}

/** A {@link TaskError} as plain JSON. It has no `taskId`: ids are capabilities and JSON ends up in logs. */
export interface TaskErrorJson {
  name: string
  message: string
  callId?: string
  cause?: { name: string; message: string }
  [detail: string]: unknown
}

const BRAND = Symbol.for('taskwire.TaskError')

/**
 * Base of every error that Taskwire throws. Distinguish them by `instanceof` or by `name`.
 *
 * @example
 * ```ts
 * try {
 *   await client.callTool({ name: 'generate_report' })
 * } catch (error) {
 *   if (error instanceof TaskFailedError) show(error.message)
 * }
 * ```
 */
export class TaskError extends Error {
  override readonly name: string = 'TaskError'
  /** The task, where there was one. Not enumerable: ids must not leak into logs. */
  declare readonly taskId: string | undefined
  /** The call in `client.store`, where there was one. */
  readonly callId: string | undefined

  constructor(message: string, options: TaskErrorOptions = {}) {
    super(withoutId(message, options.taskId), causeOf(options))
    Object.defineProperty(this, 'taskId', { value: options.taskId, enumerable: false })
    Object.defineProperty(this, BRAND, { value: true, enumerable: false })
    this.callId = options.callId
  }

  /** Plain JSON, for `structuredClone`, `postMessage` and storage. {@link TaskError.fromJSON} reads it back. */
  toJSON(): TaskErrorJson {
    const { cause: error } = this
    const cause = error instanceof Error ? { name: error.name, message: cutText(error.message) } : undefined
    return {
      name: this.name,
      message: this.message,
      ...(this.callId !== undefined && { callId: this.callId }),
      ...(cause !== undefined && { cause }),
      ...this.details(),
    }
  }

  /** What a subclass adds to its JSON. */
  protected details(): JsonObject {
    return {}
  }

  /**
   * The error that {@link TaskError.toJSON} wrote, of the same class. What is no such JSON becomes a
   * plain `TaskError`, so that a reader always has an error to show.
   */
  static fromJSON(json: unknown): TaskError {
    const body: JsonObject = isJsonObject(json) ? json : {}
    const message = typeof body['message'] === 'string' ? body['message'] : 'Unknown task error'
    const options: TaskErrorOptions = {
      callId: typeof body['callId'] === 'string' ? body['callId'] : undefined,
      cause: reviveCause(body['cause']),
    }
    const text = (key: string) => (typeof body[key] === 'string' ? body[key] : undefined)
    const code = typeof body['code'] === 'number' ? body['code'] : 0
    const data = body['data']
    switch (body['name']) {
      case 'TaskFailedError':
        return new TaskFailedError({ code, message, data, statusMessage: text('statusMessage') }, options)
      case 'TaskCancelledError':
        return new TaskCancelledError(text('statusMessage'), options)
      case 'TaskExpiredError':
        return new TaskExpiredError(text('reason') === 'ttl' ? 'ttl' : 'unknown-task', { ...options, message })
      case 'TaskUnreachableError':
        return new TaskUnreachableError(message, options)
      case 'TaskInputRequiredError':
        return new TaskInputRequiredError(message, options)
      case 'TaskInputError':
        return new TaskInputError(message, { ...options, issues: issuesOf(body['issues'], 'path', 'message') })
      case 'TaskStuckError':
        return new TaskStuckError(message, options)
      case 'TaskProtocolError':
        return new TaskProtocolError(text('violation') ?? message, { ...options, source: sourceOf(body['source']) })
      case 'TasksUnsupportedError':
        return new TasksUnsupportedError(message, { ...options, code })
      case 'ToolCallInterruptedError':
        return new ToolCallInterruptedError(text('toolName') ?? '', options)
      case 'PageOutdatedError':
        return new PageOutdatedError(text('toolName') ?? '', options)
      case 'ToolCallRejectedError':
        return new ToolCallRejectedError(message, { ...options, code, data })
      case 'TaskRequestError':
        return new TaskRequestError(message, {
          ...options,
          kind: failureOf(body['kind']),
          ...(typeof body['code'] === 'number' && { code: body['code'] }),
          status: typeof body['status'] === 'number' ? body['status'] : undefined,
          retryAfterMs: typeof body['retryAfterMs'] === 'number' ? body['retryAfterMs'] : undefined,
        })
      case 'ConnectionFailedError':
        return new ConnectionFailedError(message, options)
      case 'AuthorizationFailedError':
        return new AuthorizationFailedError(message, {
          ...options,
          reason: (text('reason') ?? 'refused') as AuthorizationFailure,
          code: text('code'),
        })
      case 'ToolOutputError':
        return new ToolOutputError(text('toolName') ?? '', issuesOf(body['issues'], 'message'), options)
      case 'TaskStorageError':
        return new TaskStorageError(message, options)
      case 'TaskConfigurationError':
        return new TaskConfigurationError(message, options)
      default:
        return new TaskError(message, options)
    }
  }
}

/** What caused an error of Taskwire has been kept without the id already. */
function causeOf({ taskId, cause }: TaskErrorOptions): { cause: unknown } | undefined {
  const printable = taskId === undefined || isTaskError(cause) ? cause : withoutIdInCause(cause, taskId)
  return printable === undefined ? undefined : { cause: printable }
}

/** True for errors of Taskwire, also for those of a second copy of the package on the page. */
export function isTaskError(error: unknown): error is TaskError {
  return typeof error === 'object' && error !== null && (error as { [BRAND]?: unknown })[BRAND] === true
}

/** The task reached `failed`: a JSON-RPC error ended it (SEP-2663, "Task Execution Errors"). */
export class TaskFailedError extends TaskError {
  override readonly name = 'TaskFailedError'
  /** The JSON-RPC error code. */
  readonly code: number
  readonly data: unknown
  readonly statusMessage: string | undefined

  constructor(
    failure: { code: number; message: string; data?: unknown; statusMessage?: string | undefined },
    options?: TaskErrorOptions,
  ) {
    super(failure.message, options)
    this.code = failure.code
    this.data = options?.taskId === undefined ? failure.data : withoutIdInJson(failure.data, options.taskId)
    this.statusMessage = failure.statusMessage && withoutId(failure.statusMessage, options?.taskId)
  }

  protected override details(): JsonObject {
    return { code: this.code, data: this.data, statusMessage: this.statusMessage }
  }
}

/** The task reached `cancelled` before it had a result (SEP-2663, "Task Cancellation"). */
export class TaskCancelledError extends TaskError {
  override readonly name = 'TaskCancelledError'
  readonly statusMessage: string | undefined

  constructor(statusMessage?: string, options?: TaskErrorOptions) {
    super(statusMessage === undefined ? 'The task was cancelled.' : `The task was cancelled: ${statusMessage}`, options)
    this.statusMessage = statusMessage && withoutId(statusMessage, options?.taskId)
  }

  protected override details(): JsonObject {
    return { statusMessage: this.statusMessage }
  }
}

const EXPIRED_MESSAGE = {
  ttl: 'The task ran past the time the server keeps it (ttlMs) without an outcome. Start the call again.',
  'unknown-task': 'The server does not know this task (any more): it expired or was lost. Start the call again.',
}

/**
 * The task is past its ttl (`'ttl'`) or the server does not know it (`'unknown-task'`): it has answered -32602, or another
 * error ten times without ever having shown the task.
 */
export class TaskExpiredError extends TaskError {
  override readonly name = 'TaskExpiredError'
  readonly reason: 'ttl' | 'unknown-task'

  constructor(reason: 'ttl' | 'unknown-task', options: TaskErrorOptions & { message?: string } = {}) {
    super(options.message ?? EXPIRED_MESSAGE[reason], options)
    this.reason = reason
  }

  protected override details(): JsonObject {
    return { reason: this.reason }
  }
}

/** The server could not be reached in `retry.maxAttempts` polls in a row. The task may still be running. */
export class TaskUnreachableError extends TaskError {
  override readonly name = 'TaskUnreachableError'
}

/** The task asked for input and there is nobody to ask, or it asked for what the client has not declared to answer. */
export class TaskInputRequiredError extends TaskError {
  override readonly name = 'TaskInputRequiredError'
}

/** A response cannot be taken: it does not fit the input request, or the input request is no longer there. */
export class TaskInputError extends TaskError {
  override readonly name = 'TaskInputError'
  /**
   * What is wrong with an accepted form, one issue a field, for the user and in English: show each beside its field. Empty
   * where it is not known, as when the server has refused the response, or is nothing that a user could mend.
   */
  readonly issues: readonly FormIssue[]

  constructor(message: string, options: TaskErrorOptions & { issues?: readonly FormIssue[] } = {}) {
    super(message, options)
    this.issues = options.issues ?? []
  }

  protected override details(): JsonObject {
    return { issues: this.issues }
  }
}

/** The task stays in `input_required` and asks nothing new. */
export class TaskStuckError extends TaskError {
  override readonly name = 'TaskStuckError'
}

/** The message of the server that broke the specification. */
export type TaskProtocolSource =
  | 'tools/call'
  | 'tasks/get'
  | 'tasks/result'
  | 'tasks/update'
  | 'tasks/cancel'
  | 'notifications/tasks'
  | 'other'

/** The server broke SEP-2663. `violation` says what, `source` where. */
export class TaskProtocolError extends TaskError {
  override readonly name = 'TaskProtocolError'
  readonly violation: string
  readonly source: TaskProtocolSource

  constructor(violation: string, options: TaskErrorOptions & { source: TaskProtocolSource }) {
    const said = withoutId(violation, options.taskId)
    super(`The server broke the tasks protocol (${options.source}): ${said}. Report this to its maintainers.`, options)
    this.violation = said
    this.source = options.source
  }

  protected override details(): JsonObject {
    return { violation: this.violation, source: this.source }
  }
}

/** The server does not serve tasks to this client (-32021 or -32601). */
export class TasksUnsupportedError extends TaskError {
  override readonly name = 'TasksUnsupportedError'
  /** The JSON-RPC error code. */
  readonly code: number

  constructor(message: string, options: TaskErrorOptions & { code: number }) {
    super(message, options)
    this.code = options.code
  }

  protected override details(): JsonObject {
    return { code: this.code }
  }
}

/**
 * A `tools/call` went out and its response never arrived: the page went away or the network broke in
 * between. The tool may be running; whether to call it again is for the user to say.
 */
export class ToolCallInterruptedError extends TaskError {
  override readonly name = 'ToolCallInterruptedError'
  readonly toolName: string

  constructor(toolName: string, options?: TaskErrorOptions) {
    super(
      `The call of "${toolName}" was interrupted before its response arrived; it may be running on the server. ` +
        'Call it again only if running twice does no harm.',
      options,
    )
    this.toolName = toolName
  }

  protected override details(): JsonObject {
    return { toolName: this.toolName }
  }
}

/**
 * A later version of Taskwire has recorded the call: another tab runs a newer build of the app. What became of it is
 * not for this page to read, and the tool is not called a second time. Reload the page.
 */
export class PageOutdatedError extends TaskError {
  override readonly name = 'PageOutdatedError'
  readonly toolName: string

  constructor(toolName: string, options?: TaskErrorOptions) {
    super(
      `The call of "${toolName}" was made by a newer version of this app, in another tab or at another visit. ` +
        'Reload the page to go on with it.',
      options,
    )
    this.toolName = toolName
  }

  protected override details(): JsonObject {
    return { toolName: this.toolName }
  }
}

/** The server refused a `tools/call` with an error instead of running the tool. */
export class ToolCallRejectedError extends TaskError {
  override readonly name = 'ToolCallRejectedError'
  /** The JSON-RPC error code, or the HTTP status where there was none. */
  readonly code: number
  readonly data: unknown

  constructor(message: string, options: TaskErrorOptions & { code: number; data?: unknown }) {
    super(message, options)
    this.code = options.code
    this.data = options.data
  }

  protected override details(): JsonObject {
    return { code: this.code, data: this.data }
  }
}

/**
 * Why one request for a task brought no response: the `network` broke or fell silent, the server said so
 * by an `http` status or a JSON-RPC error (`server`), asked for credentials (`auth`), or what came was no MCP answer (`malformed`).
 */
export type TaskRequestFailure = 'network' | 'http' | 'server' | 'auth' | 'malformed'

/** One request for a task failed in a way that may pass. Polls repeat it; it is `lastError` meanwhile. */
export class TaskRequestError extends TaskError {
  override readonly name = 'TaskRequestError'
  readonly kind: TaskRequestFailure
  /** The JSON-RPC error code, where the server sent one. */
  readonly code: number | undefined
  /** The HTTP status, where that was all the server sent. */
  readonly status: number | undefined
  /** How long the server asked to be left alone (`Retry-After`), in ms. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    options: TaskErrorOptions & {
      kind: TaskRequestFailure
      code?: number
      status?: number | undefined
      retryAfterMs?: number | undefined
    },
  ) {
    super(message, options)
    this.kind = options.kind
    this.code = options.code
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
  }

  protected override details(): JsonObject {
    return { kind: this.kind, code: this.code, status: this.status, retryAfterMs: this.retryAfterMs }
  }
}

/** No MCP connection came about. Nothing was sent, so trying again is safe. */
export class ConnectionFailedError extends TaskError {
  override readonly name = 'ConnectionFailedError'
}

/**
 * Why a sign-in came to nothing: the user or the authorization server said no (`denied`), it answered another error
 * (`refused`) or nothing (`unreachable`), the callback has neither code nor error (`no-code`), no sign-in with its `state`
 * has begun here (`foreign-state`), or the browser blocked the window (`popup-blocked`).
 */
export type AuthorizationFailure = 'denied' | 'refused' | 'unreachable' | 'no-code' | 'foreign-state' | 'popup-blocked'

/** A sign-in came to nothing. Tasks go on meanwhile, and wait for one that succeeds. */
export class AuthorizationFailedError extends TaskError {
  override readonly name = 'AuthorizationFailedError'
  readonly reason: AuthorizationFailure
  /** The error code of OAuth, such as `access_denied`, where there was one. */
  readonly code: string | undefined

  constructor(
    message: string,
    options: TaskErrorOptions & { reason: AuthorizationFailure; code?: string | undefined },
  ) {
    super(message, options)
    this.reason = options.reason
    this.code = options.code
  }

  protected override details(): JsonObject {
    return { reason: this.reason, code: this.code }
  }
}

/** What a tool put into `structuredContent` is not what `outputSchema` asks for. */
export class ToolOutputError extends TaskError {
  override readonly name = 'ToolOutputError'
  readonly toolName: string
  /** What the schema found, as Standard Schema reports it. */
  readonly issues: readonly { readonly message: string }[]

  constructor(toolName: string, issues: readonly { readonly message: string }[], options?: TaskErrorOptions) {
    const first = issues[0]?.message ?? 'no reason given'
    super(`The output of "${toolName}" does not match outputSchema: ${first}`, options)
    this.toolName = toolName
    this.issues = issues
  }

  protected override details(): JsonObject {
    return { toolName: this.toolName, issues: this.issues.map(({ message }) => ({ message })) }
  }
}

/** The storage of task records threw. Reported to `onError`; calls go on without it. */
export class TaskStorageError extends TaskError {
  override readonly name = 'TaskStorageError'
}

/** Taskwire is used in a way that cannot work. The message says what to change. */
export class TaskConfigurationError extends TaskError {
  override readonly name = 'TaskConfigurationError'
}

const SOURCES: readonly string[] = [
  'tools/call',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'notifications/tasks',
]

function sourceOf(value: unknown): TaskProtocolSource {
  return typeof value === 'string' && SOURCES.includes(value) ? (value as TaskProtocolSource) : 'other'
}

const FAILURES: readonly string[] = ['network', 'http', 'server', 'auth', 'malformed']

function failureOf(value: unknown): TaskRequestFailure {
  return typeof value === 'string' && FAILURES.includes(value) ? (value as TaskRequestFailure) : 'network'
}

/** Those of a list that have a text under each of the keys. */
function issuesOf<Key extends string>(value: unknown, ...keys: readonly Key[]): Record<Key, string>[] {
  const isIssue = (issue: unknown): issue is Record<Key, string> =>
    isJsonObject(issue) && keys.every((key) => typeof issue[key] === 'string')
  return Array.isArray(value) ? value.filter(isIssue) : []
}

function reviveCause(value: unknown): Error | undefined {
  if (!isJsonObject(value) || typeof value['message'] !== 'string') return undefined
  const cause = new Error(value['message'])
  if (typeof value['name'] === 'string') cause.name = value['name']
  return cause
}
