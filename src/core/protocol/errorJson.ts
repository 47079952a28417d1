import {
  AuthorizationFailedError,
  TaskError as BaseError,
  ConnectionFailedError,
  PageOutdatedError,
  TaskCancelledError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskFailedError,
  TaskInputError,
  TaskInputRequiredError,
  TaskProtocolError,
  TaskRequestError,
  TaskStorageError,
  TaskStuckError,
  TasksUnsupportedError,
  TaskUnreachableError,
  ToolCallInterruptedError,
  ToolCallKeyConflictError,
  ToolCallRejectedError,
  ToolOutputError,
} from './errors.js'
import { isJsonObject, type JsonObject } from './json.js'

// Apart from the classes, so that a page that reads no errors ships those alone that it can throw.

/** Base of every error that Taskwire throws. Distinguish them by `instanceof` or by `name`. */
export type TaskError = BaseError
/**
 * Base of every error that Taskwire throws. Distinguish them by `instanceof` or by `name`. `TaskError.fromJSON` turns the
 * JSON that `toJSON` wrote into an error of the same class. Other JSON becomes a plain `TaskError`, so you always get an
 * error to show.
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
export const TaskError: typeof BaseError & { readonly fromJSON: (json: unknown) => BaseError } =
  /* @__PURE__ */ Object.assign(BaseError, { fromJSON: errorFromJson })

/** The error that `toJSON` wrote, of the same class; a plain `TaskError` where the JSON is that of none. */
export function errorFromJson(json: unknown): BaseError {
  const body: JsonObject = isJsonObject(json) ? json : {}
  const { message, callId, cause } = body
  const name = String(body['name'])
  const [type, members = {}] = Object.hasOwn(CLASSES, name) ? (CLASSES[name] as Row) : [BaseError]
  const details = Object.entries(members).map(([key, read]) => [key, read(body[key])])
  const options = {
    callId: text(callId),
    cause: causeFromJson(cause),
    ...(type !== BaseError && { name }),
    ...Object.fromEntries(details),
  }
  // The message is the one that was written: it is not put together a second time.
  return Reflect.construct(BaseError, [text(message) ?? 'Unknown task error', options], type)
}

function causeFromJson(value: unknown): Error | undefined {
  const { name, message } = isJsonObject(value) ? value : {}
  if (typeof message !== 'string') return undefined
  return Object.assign(new Error(message), typeof name === 'string' && { name })
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const words = (value: unknown): string => text(value) ?? ''
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const code = (value: unknown): number => number(value) ?? 0
const data = (value: unknown): unknown => value
const toolName = words

/** One of these, the first where it is none. */
const oneOf =
  (...known: readonly string[]) =>
  (value: unknown) =>
    known.find((one) => one === value) ?? known[0]

/** Those of a list that have a text under each of the keys. */
const issues =
  (...keys: readonly string[]) =>
  (value: unknown) =>
    (Array.isArray(value) ? value : []).filter(
      (issue) => isJsonObject(issue) && keys.every((key) => typeof issue[key] === 'string'),
    )

type Row = readonly [
  type: new (...args: never[]) => BaseError,
  members?: Readonly<Record<string, (value: unknown) => unknown>>,
]

/** How an error of each name is read back: its class, and what its members can be. */
const CLASSES: Readonly<Record<string, Row>> = {
  TaskFailedError: [TaskFailedError, { code, data, statusMessage: text }],
  TaskCancelledError: [TaskCancelledError, { statusMessage: text }],
  TaskExpiredError: [TaskExpiredError, { reason: oneOf('unknown-task', 'ttl') }],
  TaskUnreachableError: [TaskUnreachableError],
  TaskInputRequiredError: [TaskInputRequiredError],
  TaskInputError: [TaskInputError, { issues: issues('path', 'message') }],
  TaskStuckError: [TaskStuckError],
  TaskProtocolError: [
    TaskProtocolError,
    {
      violation: words,
      source: oneOf(
        'other',
        ...['tools/call', 'tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel', 'notifications/tasks'],
      ),
    },
  ],
  TasksUnsupportedError: [TasksUnsupportedError, { code }],
  ToolCallInterruptedError: [ToolCallInterruptedError, { toolName }],
  ToolCallKeyConflictError: [ToolCallKeyConflictError, { toolName }],
  PageOutdatedError: [PageOutdatedError, { toolName }],
  ToolCallRejectedError: [ToolCallRejectedError, { code, data }],
  TaskRequestError: [
    TaskRequestError,
    {
      kind: oneOf('network', 'http', 'server', 'auth', 'malformed'),
      code: number,
      status: number,
      retryAfterMs: number,
    },
  ],
  ConnectionFailedError: [ConnectionFailedError],
  AuthorizationFailedError: [
    AuthorizationFailedError,
    {
      reason: oneOf(
        'refused',
        ...['denied', 'unreachable', 'no-code', 'foreign-state', 'signed-out', 'insecure', 'popup-blocked'],
      ),
      code: text,
    },
  ],
  ToolOutputError: [ToolOutputError, { toolName, issues: issues('message') }],
  TaskStorageError: [TaskStorageError],
  TaskConfigurationError: [TaskConfigurationError],
}
