import { INTERNAL_ERROR } from '@modelcontextprotocol/server'
import type { CallToolResult } from '../../protocol/callToolResult.js'
import type { InputRequest, InputResponse } from '../../protocol/inputRequest.js'
import type { TaskProgress } from '../../protocol/progress.js'
import { type DetailedTask, isTerminal, type Task, type TaskFailure } from '../../protocol/task.js'
import type { TaskLease, TaskRecord, TaskStep } from './taskRecord.js'

/** What can happen to a task. */
export type TaskEvent =
  | RunEvent
  | { readonly type: 'answer'; readonly answers: Readonly<Record<string, InputResponse>> }
  | { readonly type: 'requestCancel' }
  /** A worker takes the work for its attempt. */
  | { readonly type: 'claim'; readonly attempt: number; readonly lease: TaskLease }
  /** The lease was found to be over. `until` is how long the task may wait for a worker then. */
  | { readonly type: 'orphan'; readonly mayRetry: boolean; readonly until: number }

/** What a run does to its task. Nothing happens where the run does not hold the task any more. */
export type RunEvent = { readonly by?: RunId } & (
  | { readonly type: 'status'; readonly message: string; readonly progress?: TaskProgress }
  | { readonly type: 'ask'; readonly key: string; readonly request: InputRequest; readonly isKept?: boolean }
  | { readonly type: 'complete'; readonly result: CallToolResult }
  | { readonly type: 'fail'; readonly error: TaskFailure }
  | { readonly type: 'renew'; readonly until: number }
  /** The work is given up for another worker. */
  | { readonly type: 'handOver'; readonly until: number }
  | { readonly type: 'step'; readonly name: string; readonly step: TaskStep }
)

/** One run of the work of a task. */
export interface RunId {
  readonly attempt: number
  readonly worker: string
}

/** True if no other run has taken the task, and nobody has declared this one lost. */
export function isHeldBy({ attempt, lease }: TaskRecord, by: RunId): boolean {
  return attempt === by.attempt && (lease === undefined || lease.worker === by.worker)
}

/**
 * The record after an event; the same object where the event changes nothing. A terminal status
 * absorbs everything that comes after it (SEP-2663, "Task Status").
 */
export function reduceTask(record: TaskRecord, event: TaskEvent, now: number): TaskRecord {
  if (isTerminal(record.task.status)) return record
  if ('by' in event && event.by !== undefined && !isHeldBy(record, event.by)) return record
  // Clients drop snapshots that look older than the one they have: a clock set back must not hide an update. And two
  // that differ never say the same time, so that it shows whether there is an update.
  const lastUpdatedAt = new Date(Math.max(now, Date.parse(record.task.lastUpdatedAt) + 1)).toISOString()
  const next = step(record, event, lastUpdatedAt, now)
  return next === record ? record : { ...next, version: record.version + 1 }
}

function step(record: TaskRecord, event: TaskEvent, lastUpdatedAt: string, now: number): TaskRecord {
  const { task } = record
  switch (event.type) {
    case 'status':
      return {
        ...record,
        task: {
          ...task,
          statusMessage: event.message,
          ...(event.progress && { progress: event.progress }),
          lastUpdatedAt,
        },
      }
    case 'ask': {
      const { key, request, isKept } = event
      const open = openInputRequests(task)
      // Asked by a run before this one.
      if (Object.hasOwn(open, key) || Object.hasOwn(record.answers, key)) return record
      const next = waiting(record, { ...open, [key]: request }, lastUpdatedAt)
      return isKept === true ? { ...next, asked: { ...record.asked, [key]: request } } : next
    }
    case 'answer': {
      const open = openInputRequests(task)
      const taken = Object.entries(event.answers).filter(([key]) => Object.hasOwn(open, key))
      if (taken.length === 0) return record
      const answers = { ...record.answers, ...Object.fromEntries(taken) }
      const left = Object.entries(open).filter(([key]) => !Object.hasOwn(answers, key))
      return { ...waiting(record, Object.fromEntries(left), lastUpdatedAt), answers }
    }
    case 'requestCancel':
      if (record.cancelRequested) return record
      return isWaiting(record) ? cancelled(record, lastUpdatedAt) : { ...record, cancelRequested: true }
    case 'claim':
      if (record.attempt !== event.attempt - 1 || !isWaiting(record)) return record
      return { ...withoutWaiting(record, lastUpdatedAt), attempt: event.attempt, lease: event.lease }
    case 'renew':
      return record.lease === undefined ? record : { ...record, lease: { ...record.lease, until: event.until } }
    case 'handOver':
      return { ...record, lease: { worker: '', until: event.until } }
    case 'orphan': {
      const { lease } = record
      if (lease === undefined || now < lease.until) return record
      if (isWaiting(record)) return { ...record, lease: { ...lease, until: event.until } }
      if (record.cancelRequested) return cancelled(record, lastUpdatedAt)
      if (event.mayRetry) return { ...record, lease: { worker: '', until: event.until } }
      return failed(record, WORKER_LOST, lastUpdatedAt)
    }
    case 'step':
      return { ...record, steps: { ...record.steps, [event.name]: event.step } }
    case 'complete':
      return ended(record, { ...taskFields(task, lastUpdatedAt), status: 'completed', result: event.result })
    case 'fail':
      // What a tool throws once it was told to stop is the stopping, not a failure.
      return record.cancelRequested ? cancelled(record, lastUpdatedAt) : failed(record, event.error, lastUpdatedAt)
  }
}

const CANCELLED = "Cancelled at the client's request."

const WORKER_LOST: TaskFailure = {
  code: INTERNAL_ERROR,
  message: 'The worker was lost; the tool may have run in part.',
}

/** What the status says of a task that has not begun. */
export const WAITING = 'Waiting for a worker.'

/** True where no worker has the task. */
export function isWaiting({ lease }: TaskRecord): boolean {
  return lease?.worker === ''
}

function withoutWaiting(record: TaskRecord, lastUpdatedAt: string): TaskRecord {
  if (record.task.statusMessage !== WAITING) return record
  return { ...record, task: { ...taskFields(record.task, lastUpdatedAt), status: 'working' } }
}

function cancelled(record: TaskRecord, lastUpdatedAt: string): TaskRecord {
  return ended(record, { ...taskFields(record.task, lastUpdatedAt), status: 'cancelled', statusMessage: CANCELLED })
}

function failed(record: TaskRecord, error: TaskFailure, lastUpdatedAt: string): TaskRecord {
  return ended(record, {
    ...taskFields(record.task, lastUpdatedAt),
    status: 'failed',
    statusMessage: error.message,
    error,
  })
}

/** The open input requests of a task. */
export function openInputRequests(task: DetailedTask): Readonly<Record<string, InputRequest>> {
  return task.status === 'input_required' ? task.inputRequests : {}
}

function waiting(
  record: TaskRecord,
  inputRequests: Readonly<Record<string, InputRequest>>,
  lastUpdatedAt: string,
): TaskRecord {
  const { statusMessage, progress } = record.task
  const task = {
    ...taskFields(record.task, lastUpdatedAt),
    ...(statusMessage !== undefined && { statusMessage }),
    ...(progress !== undefined && { progress }),
  }
  return Object.keys(inputRequests).length === 0
    ? { ...record, task: { ...task, status: 'working' } }
    : { ...record, task: { ...task, status: 'input_required', inputRequests } }
}

function ended(record: TaskRecord, task: DetailedTask): TaskRecord {
  const { lease, call, asked, steps, ...rest } = record
  return { ...rest, task, answers: {} }
}

/** What a task keeps from one status to the next. Progress does not belong to an ended task. */
function taskFields(task: Task, lastUpdatedAt: string): Omit<Task, 'status' | 'statusMessage' | 'progress' | '_meta'> {
  const { taskId, createdAt, ttlMs, pollIntervalMs } = task
  return { taskId, createdAt, lastUpdatedAt, ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }) }
}
