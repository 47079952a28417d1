import { type CallToolResult, parseCallToolResult } from './callToolResult.js'
import { TaskProtocolError, type TaskProtocolSource } from './errors.js'
import { type InputRequest, isInputKey, parseInputRequest } from './inputRequest.js'
import { isEqual } from './isEqual.js'
import { isJsonObject, isTooDeep, type JsonObject } from './json.js'
import { isAmount, parseProgress, type TaskProgress } from './progress.js'
import { parseTaskMeta } from './taskMeta.js'
import { cutText } from './text.js'

/** The status of a task (SEP-2663, "Task Status"). The last three are terminal. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task as the server describes it (SEP-2663, "Tasks"). Every member may change from snapshot to snapshot. */
export interface Task {
  /** A bearer capability: any client that knows it may read and cancel the task. Keep it out of URLs and logs. */
  readonly taskId: string
  readonly status: TaskStatus
  /** The current step, or the reason for a failure, in words for people. It comes from the server: render it as text. */
  readonly statusMessage?: string
  /** An ISO 8601 time, by the server's clock. */
  readonly createdAt: string
  /** An ISO 8601 time, by the server's clock. */
  readonly lastUpdatedAt: string
  /** How long the server keeps the task, in ms from its creation. Null means that there is no limit. */
  readonly ttlMs: number | null
  /** The interval that the server asks for between two `tasks/get`, in ms. */
  readonly pollIntervalMs?: number
  /** The progress of the task, if the server reports it in numbers. */
  readonly progress?: TaskProgress
  /** Other data from the server about the task, without the members that the protocol reserves. Treat it as untrusted. */
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** The JSON-RPC error that ended a task. */
export interface TaskFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A running task. */
export interface WorkingTask extends Task {
  readonly status: 'working'
}

/** A task that waits for responses. */
export interface InputRequiredTask extends Task {
  readonly status: 'input_required'
  /** The open input requests, by a key that is unique for the lifetime of the task. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
}

/** A task with a result, which may have `isError: true`. */
export interface CompletedTask extends Task {
  readonly status: 'completed'
  readonly result: CallToolResult
}

/** A task that a JSON-RPC error ended. */
export interface FailedTask extends Task {
  readonly status: 'failed'
  readonly error: TaskFailure
}

/** A task that was cancelled before it had a result. */
export interface CancelledTask extends Task {
  readonly status: 'cancelled'
}

/** A task with the members of its status, as in `tasks/get` and `notifications/tasks`. */
export type DetailedTask = WorkingTask | InputRequiredTask | CompletedTask | FailedTask | CancelledTask

/** A task that no later snapshot can change. */
export type TerminalTask = CompletedTask | FailedTask | CancelledTask

/** Called with what the server got wrong in a task that is usable all the same. */
export type OnProtocolIssue = (issue: TaskProtocolError) => void

const STATUSES: ReadonlySet<string> = new Set(['working', 'input_required', 'completed', 'failed', 'cancelled'])

/** Longer ids fit no HTTP header. */
const MAX_TASK_ID_LENGTH = 4096

/** What is no longer is quoted where it makes no sense. */
const MAX_QUOTE_LENGTH = 40

/** True for the statuses that no later snapshot can change. */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** True for a task that no later snapshot can change. */
export function isTerminalTask(task: DetailedTask): task is TerminalTask {
  return isTerminal(task.status)
}

/** ISO 8601 in its extended form, as servers write it. `Date.parse` alone takes any length of text after a date. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** True for a point in time as a task has it. */
function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value))
}

type Issue = (violation: string) => void

/** How the members of a task that it can do without are read; undefined: it has none. They stand in this order. */
const READERS: Readonly<Record<string, (value: unknown, issue: Issue, task: JsonObject) => unknown>> = {
  statusMessage: (value) => (typeof value === 'string' ? cutText(value) : undefined),
  createdAt: (value, issue) => readTimestamp(value, 'createdAt', issue),
  lastUpdatedAt: (value, issue) => readTimestamp(value, 'lastUpdatedAt', issue),
  ttlMs: (value, issue) => {
    if (value === null || isAmount(value)) return value
    issue(`ttlMs is ${describe(value)}; taken as unlimited`)
    return null
  },
  pollIntervalMs: (value, issue) => {
    if (value === undefined || isAmount(value)) return value
    issue(`pollIntervalMs is ${describe(value)}; ignored`)
    return undefined
  },
  progress: (_, issue, task) => parseProgress(task, issue),
  _meta: (value, issue) => (isTooDeep(value) ? undefined : parseTaskMeta(value, issue)),
}

const ENTRIES = /* @__PURE__ */ Object.entries(READERS)

const MEMBERS = ['taskId', 'status', ...ENTRIES.map(([member]) => member)] as readonly (keyof Task)[]

/** The task alone, without what its status carries. */
export function pickTask(task: Task): Task {
  const picked: JsonObject = {}
  for (const member of MEMBERS) if (task[member] !== undefined) picked[member] = task[member]
  return picked as unknown as Task
}

/** True if two snapshots say the same of a task, whatever else their statuses carry. */
export function isSameTask(a: Task, b: Task): boolean {
  return MEMBERS.every((member) => isEqual(a[member], b[member]))
}

/**
 * Reads the task out of a `CreateTaskResult` or any other flat `Result & Task`.
 *
 * @throws {TaskProtocolError} without a usable `taskId` or with an unknown status. The rest
 * of a task can be done without: it falls back to what costs the server least, and `onIssue` is called.
 */
export function parseTask(value: unknown, source: TaskProtocolSource, onIssue?: OnProtocolIssue): Task {
  if (!isJsonObject(value)) throw new TaskProtocolError('the task is not an object', { source })
  const { taskId, status } = value
  if (typeof taskId !== 'string' || taskId === '') throw new TaskProtocolError('the task has no taskId', { source })
  if (taskId.length > MAX_TASK_ID_LENGTH) throw new TaskProtocolError('the taskId is too long', { source })
  if (!isTaskStatus(status)) throw new TaskProtocolError(`the status is ${describe(status)}`, { source, taskId })

  const issue = (violation: string) => onIssue?.(new TaskProtocolError(violation, { source, taskId }))
  const task: JsonObject = { taskId, status }
  for (const [member, read] of ENTRIES) task[member] = read(value[member], issue, value)
  return pickTask(task as unknown as Task)
}

/**
 * Reads a task together with what its status carries.
 *
 * @throws {TaskProtocolError} as {@link parseTask}, where a completed task has no result, a failed one no error, or one
 * in `input_required` no `inputRequests` or one that no client answers, and where any of it is nested too deep.
 */
export function parseDetailedTask(value: unknown, source: TaskProtocolSource, onIssue?: OnProtocolIssue): DetailedTask {
  const task = parseTask(value, source, onIssue)
  const body = value as JsonObject
  const { taskId, status } = task
  const violation = (what: string) => new TaskProtocolError(what, { source, taskId })
  if (isTooDeep(body)) throw violation('the task is nested too deep')
  switch (status) {
    case 'working':
    case 'cancelled':
      return { ...task, status }
    case 'completed': {
      if (body['result'] === undefined) throw violation('a completed task has no result')
      const parsed = parseCallToolResult(body['result'])
      if ('problem' in parsed) throw violation(`a completed task has a malformed result: ${parsed.problem}`)
      return { ...task, status, result: parsed.result }
    }
    case 'failed': {
      const error = parseFailure(body['error'])
      if (error === undefined) throw violation('a failed task has no error with a code and a message')
      return { ...task, status, error }
    }
    case 'input_required': {
      const { inputRequests } = body
      if (!isJsonObject(inputRequests)) throw violation('a task in input_required has no inputRequests')
      const parsed = Object.entries(inputRequests).flatMap(([key, raw]) => {
        if (!isInputKey(key)) {
          onIssue?.(violation('an input request has a key that is too long'))
          return []
        }
        const entry = parseInputRequest(raw)
        if ('problem' in entry) throw violation(`an input request ${entry.problem}`)
        return [[key, entry.request] as const]
      })
      return { ...task, status, inputRequests: Object.fromEntries(parsed) }
    }
  }
}

/** True for the statuses that there are. */
function isTaskStatus(value: unknown): value is TaskStatus {
  return typeof value === 'string' && STATUSES.has(value)
}

function parseFailure(value: unknown): TaskFailure | undefined {
  if (!isJsonObject(value)) return undefined
  const { code, message, data } = value
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return { code, message: cutText(message), ...(data !== undefined && { data }) }
}

function readTimestamp(value: unknown, name: string, issue: Issue): string {
  if (isTimestamp(value)) return value
  issue(`${name} is not an ISO 8601 timestamp`)
  return ''
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing'
  // An object need not be printable.
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  if (typeof value !== 'string') return String(value)
  // Not its beginning: that could end within the id of the task.
  return value.length > MAX_QUOTE_LENGTH ? `a text of ${value.length} characters` : JSON.stringify(value)
}
