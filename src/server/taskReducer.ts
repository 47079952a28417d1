import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { type DetailedTask, isTerminal, type Task, type TaskFailure } from '../protocol/task.js'
import type { TaskRecord } from './taskRecord.js'

/** What can happen to a task. */
export type TaskEvent =
  | { readonly type: 'status'; readonly message: string }
  | { readonly type: 'ask'; readonly key: string; readonly request: InputRequest }
  | { readonly type: 'answer'; readonly answers: Readonly<Record<string, InputResponse>> }
  | { readonly type: 'requestCancel' }
  | { readonly type: 'complete'; readonly result: CallToolResult }
  | { readonly type: 'fail'; readonly error: TaskFailure }

/**
 * The record after an event; the same object where the event changes nothing. A terminal status
 * absorbs everything that comes after it (SEP-2663, "Task Status").
 */
export function reduceTask(record: TaskRecord, event: TaskEvent, now: number): TaskRecord {
  if (isTerminal(record.task.status)) return record
  // Clients drop snapshots that look older than the one they have: a clock set back must not hide news.
  const lastUpdatedAt = new Date(Math.max(now, Date.parse(record.task.lastUpdatedAt))).toISOString()
  const next = step(record, event, lastUpdatedAt)
  return next === record ? record : { ...next, version: record.version + 1 }
}

function step(record: TaskRecord, event: TaskEvent, lastUpdatedAt: string): TaskRecord {
  const { task } = record
  switch (event.type) {
    case 'status':
      return { ...record, task: { ...task, statusMessage: event.message, lastUpdatedAt } }
    case 'ask':
      return waiting(record, { ...openQuestions(task), [event.key]: event.request }, lastUpdatedAt)
    case 'answer': {
      const open = openQuestions(task)
      const taken = Object.entries(event.answers).filter(([key]) => Object.hasOwn(open, key))
      if (taken.length === 0) return record
      const answers = { ...record.answers, ...Object.fromEntries(taken) }
      const left = Object.entries(open).filter(([key]) => !Object.hasOwn(answers, key))
      return { ...waiting(record, Object.fromEntries(left), lastUpdatedAt), answers }
    }
    case 'requestCancel':
      return record.cancelRequested ? record : { ...record, cancelRequested: true }
    case 'complete':
      return ended(record, { ...bare(task, lastUpdatedAt), status: 'completed', result: event.result })
    case 'fail': {
      const { error } = event
      // What a tool throws once it was told to stop is the stopping, not a failure.
      return record.cancelRequested
        ? ended(record, { ...bare(task, lastUpdatedAt), status: 'cancelled', statusMessage: CANCELLED })
        : ended(record, { ...bare(task, lastUpdatedAt), status: 'failed', statusMessage: error.message, error })
    }
  }
}

const CANCELLED = "Cancelled at the client's request."

/** The questions of a task that nobody has answered yet. */
export function openQuestions(task: DetailedTask): Readonly<Record<string, InputRequest>> {
  return task.status === 'input_required' ? task.inputRequests : {}
}

function waiting(
  record: TaskRecord,
  inputRequests: Readonly<Record<string, InputRequest>>,
  lastUpdatedAt: string,
): TaskRecord {
  const { statusMessage } = record.task
  const task = { ...bare(record.task, lastUpdatedAt), ...(statusMessage !== undefined && { statusMessage }) }
  return Object.keys(inputRequests).length === 0
    ? { ...record, task: { ...task, status: 'working' } }
    : { ...record, task: { ...task, status: 'input_required', inputRequests } }
}

function ended(record: TaskRecord, task: DetailedTask): TaskRecord {
  return { ...record, task, answers: {} }
}

/** What a task keeps from one status to the next. A message of progress is not news of an ended task. */
function bare(task: Task, lastUpdatedAt: string): Omit<Task, 'status' | 'statusMessage'> {
  const { taskId, createdAt, ttlMs, pollIntervalMs } = task
  return { taskId, createdAt, lastUpdatedAt, ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }) }
}
