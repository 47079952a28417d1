import { isJsonObject } from '../protocol/json.js'
import { bareTask, isTerminal, type Task, type TaskStatus } from '../protocol/task.js'

/**
 * What is kept of a call, one storage item each: enough to take it up again, and nothing more. Never
 * arguments, results or tokens.
 */
export interface TaskRecord {
  readonly callId: string
  /** The tool's name. */
  readonly tool: string
  readonly key?: string
  readonly endpoint: string
  readonly scope: string
  readonly era: 'modern' | 'legacy'
  /** When the call was made, ms since the epoch, by this browser's clock. */
  readonly startedAt: number
  /** Absent in an intent: the `tools/call` is under way and its answer has not arrived. */
  readonly task?: TaskRecordTask
}

/** The part of a record that exists once the call has become a task. */
export interface TaskRecordTask {
  readonly taskId: string
  readonly status: TaskStatus
  /** When the task was received, ms since the epoch, by this browser's clock; its ttl counts from here. */
  readonly receivedAt: number
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number | null
  readonly pollIntervalMs?: number
  /** When the snapshot arrived, ms since the epoch. Absent while it is the one that the task was created with. */
  readonly snapshotAt?: number
  /** Before this time, ms since the epoch, the server does not want to be asked. */
  readonly nextPollAt?: number
  /** When that was noted, ms since the epoch: a clock that was ahead then gives itself away. */
  readonly notedAt?: number
  /** Keys of the questions that have been answered. */
  readonly answered: readonly string[]
  /** Whether this browser has asked for cancellation. */
  readonly isCancelling: boolean
}

/** What an ended task without a ttl is kept for, in ms: a week. */
const KEEP_ENDED_MS = 7 * 24 * 60 * 60 * 1000

/**
 * How long past its ttl a task that was never seen to end is asked for, in ms: a day. The ttl may have been
 * prolonged, and the clock set; after that every server has dropped it.
 */
const ASK_PAST_TTL_MS = 24 * 60 * 60 * 1000

/** As long as a record is believed when it asks for patience: longer waits are a server's or a storage's mistake. */
export const LONGEST_WAIT_MS: number = 24 * 60 * 60 * 1000

const VERSION = 1

export function encodeTaskRecord(record: TaskRecord): string {
  return JSON.stringify({ v: VERSION, ...record })
}

/** The record, or undefined where the text is none: written by somebody else, cut short, or by a later version. */
export function decodeTaskRecord(text: string): TaskRecord | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(body) || body['v'] !== VERSION) return undefined
  const { callId, tool, key, endpoint, scope, era, startedAt } = body
  if (typeof callId !== 'string' || typeof tool !== 'string') return undefined
  if (typeof endpoint !== 'string' || typeof scope !== 'string' || typeof startedAt !== 'number') return undefined
  if (era !== 'modern' && era !== 'legacy') return undefined
  const task = body['task'] === undefined ? undefined : decodeTask(body['task'])
  if (body['task'] !== undefined && task === undefined) return undefined
  return {
    callId,
    tool,
    ...(typeof key === 'string' && { key }),
    endpoint,
    scope,
    era,
    startedAt,
    ...(task !== undefined && { task }),
  }
}

function decodeTask(value: unknown): TaskRecordTask | undefined {
  if (!isJsonObject(value)) return undefined
  const { taskId, status, receivedAt, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs, nextPollAt, notedAt, answered } =
    value
  const { snapshotAt } = value
  if (typeof taskId !== 'string' || taskId === '' || !isStatus(status)) return undefined
  if (typeof receivedAt !== 'number' || typeof createdAt !== 'string' || typeof lastUpdatedAt !== 'string')
    return undefined
  if (ttlMs !== null && typeof ttlMs !== 'number') return undefined
  return {
    taskId,
    status,
    receivedAt,
    createdAt,
    lastUpdatedAt,
    ttlMs,
    ...(typeof pollIntervalMs === 'number' && { pollIntervalMs }),
    ...(typeof snapshotAt === 'number' && { snapshotAt }),
    ...(typeof nextPollAt === 'number' && { nextPollAt }),
    ...(typeof notedAt === 'number' && { notedAt }),
    answered: Array.isArray(answered) ? answered.filter((key) => typeof key === 'string') : [],
    isCancelling: value['isCancelling'] === true,
  }
}

const STATUSES: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled']

function isStatus(value: unknown): value is TaskStatus {
  return STATUSES.includes(value)
}

/** The part of a record that a snapshot fills. Status messages are the server's words to the user and stay out. */
export function recordSnapshot(task: Task): Pick<TaskRecordTask, keyof Task & keyof TaskRecordTask> {
  const { statusMessage: _, ...snapshot } = bareTask(task)
  return snapshot
}

/** The snapshot that a record stands for, until the server has sent a newer one. */
export function recordedTask(task: TaskRecordTask): Task {
  return bareTask(task)
}

/**
 * What two tabs know of one call, in one record: the newer one, with the answers of both, and with an
 * end that either has seen. A stored record of another task has been replaced.
 */
export function mergeTaskRecords(stored: TaskRecord | undefined, next: TaskRecord): TaskRecord {
  if (stored?.task === undefined || next.task === undefined || stored.task.taskId !== next.task.taskId) return next
  const answered = [...new Set([...stored.task.answered, ...next.task.answered])]
  const { snapshotAt } = stored.task
  const snapshot = isNewer(stored.task, next.task)
    ? { ...recordSnapshot(stored.task), ...(snapshotAt !== undefined && { snapshotAt }) }
    : {}
  return { ...next, task: { ...next.task, ...snapshot, ...laterPoll(stored.task, next.task), answered } }
}

/** The later of two times: the tab that noted the earlier one may have slept through the last answer. */
function laterPoll(stored: TaskRecordTask, next: TaskRecordTask): Pick<TaskRecordTask, 'nextPollAt'> {
  const times = [stored.nextPollAt, next.nextPollAt].filter((at) => at !== undefined)
  return times.length === 0 ? {} : { nextPollAt: Math.max(...times) }
}

/**
 * Terminal wins, then what arrived later: the server's stamps count only where that is not known. An arrival later
 * than the record is written was noted before the clock was set back.
 */
function isNewer(stored: TaskRecordTask, next: TaskRecordTask): boolean {
  if (isTerminal(stored.status) !== isTerminal(next.status)) return isTerminal(stored.status)
  const { snapshotAt = 0 } = stored
  if (snapshotAt > (next.notedAt ?? snapshotAt)) return false
  if (snapshotAt !== (next.snapshotAt ?? 0)) return snapshotAt > (next.snapshotAt ?? 0)
  return Date.parse(stored.lastUpdatedAt) > Date.parse(next.lastUpdatedAt)
}

/**
 * Whether the stored record is of the same call made anew, by another tab:
 *
 * ```text
 * tab A  follows task 1 ──────────────────── writes what it knows of task 1: not over task 2
 * tab B        calls anew: intent ── task 2
 * ```
 */
export function isSuccessor(stored: TaskRecord | undefined, record: TaskRecord): boolean {
  if (stored === undefined) return false
  // An intent may be the one that led to this task, which then could not be written.
  if (stored.task === undefined) return stored.startedAt > record.startedAt
  return stored.task.taskId !== record.task?.taskId
}

/** Whether a record is past its use: the server has dropped the task, or it ended long ago. */
export function isRecordExpired(record: TaskRecord, now: number): boolean {
  const { task, startedAt } = record
  if (task === undefined) return now >= startedAt + KEEP_ENDED_MS
  if (task.ttlMs !== null) return now >= task.receivedAt + task.ttlMs + (isTerminal(task.status) ? 0 : ASK_PAST_TTL_MS)
  return isTerminal(task.status) && now >= task.receivedAt + KEEP_ENDED_MS
}
