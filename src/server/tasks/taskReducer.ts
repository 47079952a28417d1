import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import type { TaskProgress } from '../../core/protocol/progress.js'
import { type DetailedTask, isTerminal, type Task, type TaskFailure } from '../../core/protocol/task.js'
import { INTERNAL_ERROR } from '../base/errorCodes.js'
import { type TaskLease, type TaskRecord, type TaskStep, UNTIL_EXPIRY } from './taskRecord.js'

/** What can happen to a task. */
export type TaskEvent =
  | RunEvent
  | { readonly type: 'answer'; readonly answers: Readonly<Record<string, InputResponse>> }
  | { readonly type: 'requestCancel' }
  /** The call of a failed task was made again, as another task. */
  | { readonly type: 'runAgain' }
  /** A worker takes the work for its attempt. */
  | { readonly type: 'claim'; readonly attempt: number; readonly lease: TaskLease }
  /** A worker gives the job back because it does not know the tool. `until` is how long the task may wait for the next one. */
  | { readonly type: 'giveBack'; readonly attempt: number; readonly until: number; readonly restsUntil: number }
  /** The lease was found to be over. `until` is how long the task may wait for a worker then. */
  | { readonly type: 'orphan'; readonly mayRetry: boolean; readonly seen: TaskLease; readonly until: number }

/** What a run does to its task. Nothing happens if the run no longer holds the task. */
export type RunEvent = { readonly by?: RunId } & (
  | { readonly type: 'status'; readonly message: string; readonly progress?: TaskProgress }
  | { readonly type: 'ask'; readonly key: string; readonly request: InputRequest; readonly isKept?: boolean }
  | { readonly type: 'complete'; readonly result: CallToolResult }
  | { readonly type: 'fail'; readonly error: TaskFailure }
  | { readonly type: 'renew'; readonly until: number }
  /** The work continues, and the task must not expire meanwhile. */
  | { readonly type: 'extend' }
  /** The work is given up for another worker. */
  | { readonly type: 'handOver'; readonly until: number }
  | { readonly type: 'step'; readonly name: string; readonly step: TaskStep }
)

/** One run of the work of a task. */
export interface RunId {
  readonly attempt: number
  readonly worker: string
}

/** True if no other run has taken the task, and this one was not declared lost. */
export function isHeldBy({ attempt, lease }: TaskRecord, by: RunId): boolean {
  return attempt === by.attempt && (lease === undefined || lease.worker === by.worker)
}

/**
 * The record after an event; the same object where the event changes nothing. A terminal status
 * absorbs everything that comes after it (SEP-2663, "Task Status").
 */
export function reduceTask(record: TaskRecord, event: TaskEvent, now: number): TaskRecord {
  if (event.type === 'runAgain') return ranAgain(record)
  if (isTerminal(record.task.status)) return record
  if ('by' in event && event.by !== undefined && !isHeldBy(record, event.by)) return record
  // Clients drop snapshots that look older than the one they have: a clock set back must not hide an update. And two
  // that differ never say the same time, so that it shows whether there is an update.
  const lastUpdatedAt = new Date(Math.max(now, Date.parse(record.task.lastUpdatedAt) + 1)).toISOString()
  const next = step(record, event, lastUpdatedAt, now)
  if (next === record) return record
  // Clients were told the ttl of a task that asks. An event that changes nothing for them must not change it.
  const asksOn = next.task === record.task && record.task.status === 'input_required'
  const keepsExpiry = asksOn || KEEPS_EXPIRY.has(event.type)
  return { ...(keepsExpiry ? next : withExpiry(next, now)), version: record.version + 1 }
}

/** Of a task that is over, this is all that can change: clients see none of it. */
function ranAgain(record: TaskRecord): TaskRecord {
  if (record.task.status !== 'failed' || record.wasRunAgain === true) return record
  return { ...record, wasRunAgain: true, version: record.version + 1 }
}

/** Frequent, and no reason to keep a task longer. */
const KEEPS_EXPIRY: ReadonlySet<TaskEvent['type']> = new Set(['status', 'renew', 'step'])

/** How long a task is kept at least for which nothing is heard of the process that works on it: longer than a lost one is noticed. */
const MIN_KEPT_MS = 10 * 60_000

/** The same where lost work is found. It is postponed after half of that, and at least a weekend without any process is left. */
const MIN_FOUND_KEPT_MS = 14 * 86_400_000

/**
 * The ttl counts from the end of a task, and from an input request on while that is open. To clients, a task that waits for a
 * worker or is worked on has no limit: its process moves the expiry on for as long as it lives.
 */
export function withExpiry(record: TaskRecord, now: number): TaskRecord {
  const { task, ttlMs, lease } = record
  if (ttlMs === null) return record
  if (task.status === 'working') {
    // A lost worker is noticed within two leases, and so is a task that waits for one.
    const noticedMs = isFound(record) ? 2 * ((lease?.until ?? now) - now) : 0
    return { ...record, task: { ...task, ttlMs: null }, expiresAt: now + Math.max(keptMs(record, ttlMs), noticedMs) }
  }
  const expiresAt = now + Math.max(ttlMs, failedMs(record))
  // What is kept longer than clients were told is kept for operators.
  const ttlEnd = now + ttlMs
  return { ...record, task: { ...task, ttlMs: Math.max(0, ttlEnd - Date.parse(task.createdAt)) }, expiresAt }
}

/** When something has to be done about the expiry of a task: it is over, or is to be moved on. */
export function expiryDueAt(record: TaskRecord): number | null {
  const { task, ttlMs, expiresAt } = record
  if (expiresAt === null || ttlMs === null || task.status !== 'working') return expiresAt
  return expiresAt - keptMs(record, ttlMs) / 2
}

/** How long a task that has failed is there for operators, who can have it run again. */
function failedMs({ task, call, keepFailedMs = 0 }: TaskRecord): number {
  return task.status === 'failed' && call !== undefined ? keepFailedMs : 0
}

function keptMs(record: TaskRecord, ttlMs: number): number {
  return Math.max(ttlMs, isFound(record) ? MIN_FOUND_KEPT_MS : MIN_KEPT_MS)
}

/** True where work that is lost is found: once any process runs, that ends the task or has the work done again. */
function isFound({ lease }: TaskRecord): boolean {
  return lease !== undefined && lease.until !== UNTIL_EXPIRY
}

type StepEvent = Exclude<TaskEvent, { type: 'runAgain' }>

function step(record: TaskRecord, event: StepEvent, lastUpdatedAt: string, now: number): TaskRecord {
  const { task } = record
  switch (event.type) {
    case 'status':
      return {
        ...record,
        task: {
          ...task,
          statusMessage: event.message,
          ...progressAfter(task, event),
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
    case 'giveBack': {
      const { lease, attempt, returned = 0 } = record
      if (attempt !== event.attempt - 1 || lease === undefined || !isWaiting(record)) return record
      // It came before its time, and must not use up what a deployment takes.
      if (now < (lease.restsUntil ?? 0)) return record
      if (returned >= MAX_RETURNED) return failed(record, attempt === 0 ? NO_WORKER : WORKER_LOST, lastUpdatedAt)
      const { until, restsUntil } = event
      return { ...record, returned: returned + 1, lease: { ...lease, until, restsUntil } }
    }
    case 'extend':
      return { ...record }
    case 'renew':
      return record.lease === undefined ? record : { ...record, lease: { ...record.lease, until: event.until } }
    case 'handOver':
      if (record.cancelRequested) return cancelled(record, lastUpdatedAt)
      return { ...record, handedOver: (record.handedOver ?? 0) + 1, lease: { worker: '', until: event.until } }
    case 'orphan': {
      const { lease } = record
      if (lease === undefined || now < lease.until) return record
      if (lease.worker !== event.seen.worker || lease.until !== event.seen.until) return record
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

/** Words alone leave the number where it is. */
function progressAfter({ progress }: Task, event: StatusEvent): Pick<Task, 'progress'> {
  if (event.progress !== undefined) return { progress: event.progress }
  return progress === undefined ? {} : { progress: { ...progress, message: event.message } }
}

type StatusEvent = Extract<RunEvent, { type: 'status' }>

const WORKER_LOST: TaskFailure = {
  code: INTERNAL_ERROR,
  message: 'The worker was lost; the tool may have run in part.',
}

const NO_WORKER: TaskFailure = {
  code: INTERNAL_ERROR,
  message: 'No worker knows the tool; it has not run.',
}

/** So many workers may give a job back: with the pauses in between, a deployment has a quarter of an hour to reach them all. */
const MAX_RETURNED = 30

/** What the status says of a task that has not begun. */
export const WAITING = 'Waiting for a worker.'

/** True where no worker has the task. */
export function isWaiting({ lease }: TaskRecord): boolean {
  return lease?.worker === ''
}

function withoutWaiting(record: TaskRecord, lastUpdatedAt: string): TaskRecord {
  const { returned, ...rest } = record
  if (record.task.statusMessage !== WAITING) return rest
  return { ...rest, task: { ...taskFields(record.task, lastUpdatedAt), status: 'working' } }
}

function cancelled(record: TaskRecord, lastUpdatedAt: string): TaskRecord {
  return ended(record, { ...taskFields(record.task, lastUpdatedAt), status: 'cancelled' })
}

function failed(record: TaskRecord, error: TaskFailure, lastUpdatedAt: string): TaskRecord {
  const { call } = record
  const over = ended(record, {
    ...taskFields(record.task, lastUpdatedAt),
    status: 'failed',
    statusMessage: error.message,
    error,
  })
  // So that an operator can have it run again.
  return call === undefined ? over : { ...over, call }
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
  const { lease, call, asked, steps, returned, handedOver, ...rest } = record
  return { ...rest, task, answers: {} }
}

/** What a task keeps from one status to the next. Progress does not belong to an ended task. */
function taskFields(task: Task, lastUpdatedAt: string): Omit<Task, 'status' | 'statusMessage' | 'progress' | '_meta'> {
  const { taskId, createdAt, ttlMs, pollIntervalMs } = task
  return { taskId, createdAt, lastUpdatedAt, ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }) }
}
