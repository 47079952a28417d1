import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { TaskStatus } from '../../core/protocol/task.js'
import type { TaskRecord } from './taskRecord.js'
import { isWaiting } from './taskReducer.js'

/** A filter for the tasks to list. */
export interface TaskListFilter {
  /** The owner: the name that the option `owner` returned, or that the server derived from `authInfo`. */
  readonly owner?: string
  readonly tool?: string
  readonly status?: TaskStatus
  /** Only tasks that were created at or after this moment, in ms since the epoch. */
  readonly createdAfter?: number
  /** Only tasks that were created before this moment, in ms since the epoch. */
  readonly createdBefore?: number
  /** The largest number of tasks on a page, up to 500. @default 50 */
  readonly limit?: number
  /** The `cursor` of the previous page. */
  readonly cursor?: string
}

/** A page of tasks, the newest first. */
export interface TaskPage {
  readonly tasks: readonly TaskSummary[]
  /** The cursor of the next page. Absent on the last page. */
  readonly cursor?: string
}

/**
 * A task as operators see it in a list. Except for ids, it contains nothing that a user, a client or a tool has written.
 * Times are in ms since the epoch.
 */
export interface TaskSummary {
  /** A bearer capability if tasks have no owners: keep it out of logs. */
  readonly taskId: string
  readonly owner: string
  readonly tool: string
  readonly status: TaskStatus
  /** True if no worker has the task: it waits for its first worker, or for another one. */
  readonly isWaiting: boolean
  /** How often the tool was started. */
  readonly attempt: number
  readonly createdAt: number
  readonly lastUpdatedAt: number
  /** When the task expires; null if it never expires. */
  readonly expiresAt: number | null
  /** When the work counts as lost unless the worker renews its claim; null if no process looks for lost work. */
  readonly leaseUntil: number | null
  /** The error code of a failed task; else null. */
  readonly errorCode: number | null
}

/** What a list says of a record. */
export function summaryOf(record: TaskRecord): TaskSummary {
  const { task, owner, tool, attempt, expiresAt, lease } = record
  return {
    taskId: task.taskId,
    owner,
    tool,
    status: task.status,
    isWaiting: isWaiting(record),
    attempt,
    createdAt: Date.parse(task.createdAt),
    lastUpdatedAt: Date.parse(task.lastUpdatedAt),
    expiresAt,
    leaseUntil: lease?.until ?? null,
    errorCode: task.status === 'failed' ? task.error.code : null,
  }
}

/** Where a page begins: after this task. */
export interface TaskPosition {
  readonly createdAt: number
  readonly taskId: string
}

const MAX_LIMIT = 500

/** How many tasks the caller wants. */
export function limitOf({ limit = 50 }: TaskListFilter): number {
  if (Number.isSafeInteger(limit) && limit > 0 && limit <= MAX_LIMIT) return limit
  throw new TaskConfigurationError(
    `Failed to list tasks: \`limit\` is ${String(limit)}. Pass a whole number from 1 to ${MAX_LIMIT}.`,
  )
}

/** The place that a cursor stands for. */
export function positionOf({ cursor }: TaskListFilter): TaskPosition | undefined {
  if (cursor === undefined) return undefined
  const [, createdAt = '', taskId = ''] = /^(\d{1,16})\.(.+)$/s.exec(cursor) ?? []
  if (taskId !== '') return { createdAt: Number(createdAt), taskId }
  throw new TaskConfigurationError(
    'Failed to list tasks: `cursor` is not valid. Pass the cursor of the page before, unchanged.',
  )
}

/** A page of tasks that were found in their order, one more than were asked for where there are more. */
export function pageOf(found: readonly TaskSummary[], limit: number): TaskPage {
  const tasks = found.slice(0, limit)
  const last = tasks.at(-1)
  return found.length > limit && last !== undefined ? { tasks, cursor: `${last.createdAt}.${last.taskId}` } : { tasks }
}

/** True if a task is one of those that the caller wants. */
export function isListed(task: TaskSummary, filter: TaskListFilter): boolean {
  const { owner, tool, status, createdAfter, createdBefore } = filter
  return (
    (owner === undefined || task.owner === owner) &&
    (tool === undefined || task.tool === tool) &&
    (status === undefined || task.status === status) &&
    (createdAfter === undefined || task.createdAt >= createdAfter) &&
    (createdBefore === undefined || task.createdAt < createdBefore)
  )
}

/** The newest first; of two of the same time, the one with the greater id. */
export function isBefore(one: TaskPosition, other: TaskPosition): boolean {
  return one.createdAt === other.createdAt ? one.taskId > other.taskId : one.createdAt > other.createdAt
}
