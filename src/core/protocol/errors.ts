// Longer than other files: one list of error classes, which is read as one.
import type { FormIssue } from './formIssues.js'
import { cutText, UNKNOWN_TASK, withoutId, withoutIdInCause, withoutIdInJson } from './text.js'

/** The members that every {@link TaskError} may have. */
export interface TaskErrorOptions {
  taskId?: string | undefined
  callId?: string | undefined
  /**
   * The cause. An error with a `taskId` keeps a copy of its cause that is safe to print: name, message, code and causes,
   * without the id.
   */
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
 * Base of every error that Taskwire throws. Distinguish them by `instanceof` or by `name`. `TaskError.fromJSON` reads the
 * JSON that `toJSON` wrote.
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
  /** The id of the task, if there was one. Not enumerable, because ids must not leak into logs. */
  declare readonly taskId: string | undefined
  /** The id of the call in `client.store`, if there was one. */
  declare readonly callId: string | undefined

  /** @param options May have more members, which a subclass adds to the error and to its JSON. */
  constructor(
    message: string,
    options: TaskErrorOptions | (TaskErrorOptions & Readonly<Record<string, unknown>>) = {},
  ) {
    const { taskId, callId, cause, ...details } = options
    super(withoutId(message, taskId), causeOf(cause, taskId))
    Object.defineProperties(this, { taskId: { value: taskId }, [BRAND]: { value: true } })
    Object.assign(this, callId !== undefined && { callId }, details)
  }

  /** Returns plain JSON, for `structuredClone`, `postMessage` and storage. `TaskError.fromJSON` reads it back. */
  toJSON(): TaskErrorJson {
    const { name, message, cause, ...rest } = this
    return {
      name,
      message,
      ...(rest as object),
      ...(cause instanceof Error && { cause: { name: cause.name, message: cutText(cause.message) } }),
    }
  }
}

/** What caused an error of Taskwire has been kept without the id already. */
function causeOf(cause: unknown, taskId: string | undefined): { cause: unknown } | undefined {
  const printable = taskId === undefined || isTaskError(cause) ? cause : withoutIdInCause(cause, taskId)
  return printable === undefined ? undefined : { cause: printable }
}

/** True for errors of Taskwire, including those of a second copy of the package on the page. */
export function isTaskError(error: unknown): error is TaskError {
  return typeof error === 'object' && error !== null && (error as { [BRAND]?: unknown })[BRAND] === true
}

/** The task reached `failed`: a JSON-RPC error ended it (SEP-2663, "Task Execution Errors"). */
export class TaskFailedError extends TaskError {
  override readonly name = 'TaskFailedError'
  /** The JSON-RPC error code. */
  declare readonly code: number
  declare readonly data: unknown
  declare readonly statusMessage: string | undefined

  constructor(
    failure: { code: number; message: string; data?: unknown; statusMessage?: string | undefined },
    options?: TaskErrorOptions,
  ) {
    const { message, code, data, statusMessage } = failure
    super(message, { ...options, code, ...withoutIdInJson({ data, statusMessage }, options?.taskId) })
  }
}

/** The task reached `cancelled` before it had a result (SEP-2663, "Task Cancellation"). */
export class TaskCancelledError extends TaskError {
  override readonly name = 'TaskCancelledError'
  declare readonly statusMessage: string | undefined

  constructor(statusMessage?: string, options?: TaskErrorOptions) {
    const said = statusMessage === undefined ? '.' : `: ${statusMessage}`
    super(`The task was cancelled${said}`, { ...options, ...withoutIdInJson({ statusMessage }, options?.taskId) })
  }
}

const EXPIRED_MESSAGE = {
  ttl: 'The task did not end within the time that the server keeps it (ttlMs). Start the call again.',
  'unknown-task': UNKNOWN_TASK,
}

/**
 * The task is past its ttl (`'ttl'`), or the server does not know the task (`'unknown-task'`): it has answered with -32602,
 * or ten times with another error without ever showing the task.
 */
export class TaskExpiredError extends TaskError {
  override readonly name = 'TaskExpiredError'
  declare readonly reason: 'ttl' | 'unknown-task'

  constructor(reason: 'ttl' | 'unknown-task', options: TaskErrorOptions & { message?: string } = {}) {
    const { message = EXPIRED_MESSAGE[reason], ...rest } = options
    super(message, { ...rest, reason })
  }
}

/** The server could not be reached in `retry.maxAttempts` polls in a row. The task may still be running. */
export class TaskUnreachableError extends TaskError {
  override readonly name = 'TaskUnreachableError'
}

/**
 * The task needs input that cannot be given: `input.missing` is `'error'` and there is no handler, the client has not
 * declared that kind of input, or, with `withTasks`, no response came in time.
 */
export class TaskInputRequiredError extends TaskError {
  override readonly name = 'TaskInputRequiredError'
}

/** A response cannot be sent: it does not fit the input request, or the input request is no longer open. */
export class TaskInputError extends TaskError {
  override readonly name = 'TaskInputError'
  /**
   * The problems of an accepted form, one for each invalid field, in English for the user. Show each problem next to its
   * field. Empty if the fields are unknown, for instance because the server has refused the response, or if the user cannot
   * fix the problem.
   */
  declare readonly issues: readonly FormIssue[]

  constructor(message: string, options: TaskErrorOptions & { issues?: readonly FormIssue[] } = {}) {
    super(message, { issues: [], ...options })
  }
}

/**
 * The task stays in `input_required` without a new input request, or a `tools/call` asks for input again and again without
 * a result.
 */
export class TaskStuckError extends TaskError {
  override readonly name = 'TaskStuckError'
}

/** The message in which the server broke the specification. */
export type TaskProtocolSource =
  | 'tools/call'
  | 'tasks/get'
  | 'tasks/result'
  | 'tasks/update'
  | 'tasks/cancel'
  | 'notifications/tasks'
  | 'other'

/** The server broke SEP-2663. `violation` says how, and `source` names the message. */
export class TaskProtocolError extends TaskError {
  override readonly name = 'TaskProtocolError'
  declare readonly violation: string
  declare readonly source: TaskProtocolSource

  constructor(violation: string, options: TaskErrorOptions & { source: TaskProtocolSource; message?: string }) {
    const said = withoutId(violation, options.taskId)
    const {
      message = `The server broke the tasks protocol (${options.source}): ${said}. Report this to its maintainers.`,
      ...rest
    } = options
    super(message, { ...rest, violation: said })
  }
}

/** The server does not serve tasks to this client (-32021 or -32601). */
export class TasksUnsupportedError extends TaskError {
  override readonly name = 'TasksUnsupportedError'
  /** The JSON-RPC error code. */
  declare readonly code: number

  constructor(message: string, options: TaskErrorOptions & { code: number }) {
    super(message, options)
  }
}

/**
 * The client sent a `tools/call` and its response never arrived, because the page was closed or the network failed. The
 * tool may be running, so let the user decide whether to call it again.
 */
export class ToolCallInterruptedError extends TaskError {
  override readonly name = 'ToolCallInterruptedError'
  declare readonly toolName: string

  constructor(toolName: string, options: TaskErrorOptions & { message?: string } = {}) {
    const {
      message = `The call of "${toolName}" was interrupted before its response arrived; it may be running on the server. Call it again only if running twice does no harm.`,
      ...rest
    } = options
    super(message, { ...rest, toolName })
  }
}

/**
 * A call was not made, and nothing was sent, because its key belongs to a call of the same tool with other arguments. That
 * other call is running, or its outcome is kept: in this tab, in another one, or from an earlier visit. Put the difference
 * into the key, or make the call with `repeat`.
 */
export class ToolCallKeyConflictError extends TaskError {
  override readonly name = 'ToolCallKeyConflictError'
  declare readonly toolName: string

  constructor(toolName: string, { key, ...options }: TaskErrorOptions & { key?: string | undefined } = {}) {
    super(
      `"${toolName}" was not called: the key ${JSON.stringify(key)} belongs to a call with other arguments. ` +
        "Put the difference into the key, or pass repeat: 'always' to call the tool again.",
      { ...options, toolName },
    )
  }
}

/**
 * A later version of Taskwire has recorded the call, because another tab runs a newer build of the app. This page cannot
 * read the outcome of the call, and does not call the tool a second time. Reload the page.
 */
export class PageOutdatedError extends TaskError {
  override readonly name = 'PageOutdatedError'
  declare readonly toolName: string

  constructor(toolName: string, options?: TaskErrorOptions) {
    super(
      `The call of "${toolName}" was made by a newer version of this app, in another tab or at another visit. ` +
        'Reload the page to see it.',
      { ...options, toolName },
    )
  }
}

/** The server refused a `tools/call` with an error instead of running the tool. */
export class ToolCallRejectedError extends TaskError {
  override readonly name = 'ToolCallRejectedError'
  /** The JSON-RPC error code, or the HTTP status if there was no such code. */
  declare readonly code: number
  declare readonly data: unknown

  constructor(message: string, options: TaskErrorOptions & { code: number; data?: unknown }) {
    super(message, options)
  }
}

/**
 * Why a request about a task failed: the network failed or did not answer (`network`), the server answered with an HTTP
 * status (`http`) or with a JSON-RPC error (`server`), it requires credentials (`auth`), or its response was not an MCP
 * message (`malformed`).
 */
export type TaskRequestFailure = 'network' | 'http' | 'server' | 'auth' | 'malformed'

/**
 * One request about a task failed, perhaps temporarily. The client polls again; until a poll succeeds, this is the call's
 * `lastError`.
 */
export class TaskRequestError extends TaskError {
  override readonly name = 'TaskRequestError'
  declare readonly kind: TaskRequestFailure
  /** The JSON-RPC error code, if the server sent one. */
  declare readonly code: number | undefined
  /** The HTTP status, if the server sent nothing else. */
  declare readonly status: number | undefined
  /** The time that the server asked the client to wait (`Retry-After`), in ms. */
  declare readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    options: TaskErrorOptions & {
      kind: TaskRequestFailure
      code?: number | undefined
      status?: number | undefined
      retryAfterMs?: number | undefined
    },
  ) {
    super(message, { code: undefined, status: undefined, retryAfterMs: undefined, ...options })
  }
}

/** The client could not connect to the MCP server. Nothing was sent, so trying again is safe. */
export class ConnectionFailedError extends TaskError {
  override readonly name = 'ConnectionFailedError'
}

/**
 * Why a sign-in failed: the user or the authorization server denied access (`denied`), the authorization server answered
 * with another error (`refused`) or not at all (`unreachable`), the callback has neither a code nor an error (`no-code`),
 * no sign-in with its `state` was started here (`foreign-state`), the user signed out before the sign-in ended
 * (`signed-out`), the page to sign in on is neither https nor on this computer (`insecure`), or the browser blocked the
 * window (`popup-blocked`).
 */
export type AuthorizationFailure =
  | 'denied'
  | 'refused'
  | 'unreachable'
  | 'no-code'
  | 'foreign-state'
  | 'signed-out'
  | 'insecure'
  | 'popup-blocked'

/** A sign-in failed. Tasks keep running, and the client polls them again after the next successful sign-in. */
export class AuthorizationFailedError extends TaskError {
  override readonly name = 'AuthorizationFailedError'
  declare readonly reason: AuthorizationFailure
  /** The OAuth error code, such as `access_denied`, if there was one. */
  declare readonly code: string | undefined

  constructor(
    message: string,
    options: TaskErrorOptions & { reason: AuthorizationFailure; code?: string | undefined },
  ) {
    super(message, options)
  }
}

/** The `structuredContent` of a result does not match `outputSchema`. */
export class ToolOutputError extends TaskError {
  override readonly name = 'ToolOutputError'
  declare readonly toolName: string
  /** The issues that the schema found, as Standard Schema reports them. */
  declare readonly issues: readonly { readonly message: string }[]

  constructor(toolName: string, issues: readonly { readonly message: string }[], options?: TaskErrorOptions) {
    const first = issues[0]?.message ?? 'no reason given'
    const message = `The output of "${toolName}" does not match outputSchema: ${first}`
    super(message, { ...options, toolName, issues })
  }

  override toJSON(): TaskErrorJson {
    return { ...super.toJSON(), issues: this.issues.map(({ message }) => ({ message })) }
  }
}

/** The storage of task records threw an error. It is reported to `onError`; calls continue without storage. */
export class TaskStorageError extends TaskError {
  override readonly name = 'TaskStorageError'
}

/** Taskwire is used in a way that cannot work. The message says what to change. */
export class TaskConfigurationError extends TaskError {
  override readonly name = 'TaskConfigurationError'
}
