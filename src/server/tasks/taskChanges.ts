import { digest } from '../base/digest.js'
import type { TaskServerEvent } from '../base/taskServerEvents.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskEvent } from './taskReducer.js'
import { isWaiting } from './taskReducer.js'

/** Enough to find a task in a log. */
const HASH_LENGTH = 12

/** What logs call a task: its id would give access to it. */
export function taskHash(taskId: string): string {
  return digest(taskId).slice(0, HASH_LENGTH)
}

/** What there is to say in logs and metrics of a change that was made to a record; undefined where there is nothing. */
export function changeOf(
  before: TaskRecord | undefined,
  after: TaskRecord,
  event?: TaskEvent,
): TaskServerEvent | undefined {
  const { task, tool, attempt } = after
  const about = { task: taskHash(task.taskId), tool, attempt }
  const { status } = task
  if (status !== 'working' && status !== 'input_required') {
    const ms = Date.parse(task.lastUpdatedAt) - Date.parse(task.createdAt)
    return { type: 'task-ended', ...about, outcome: status, ms }
  }
  if (before === undefined) return { type: 'task-created', ...about }
  if (event?.type === 'claim') return { type: 'task-claimed', ...about }
  if (event?.type === 'handOver') return { type: 'task-handed-over', ...about }
  if (event?.type === 'orphan' && isWaiting(after) && !isWaiting(before)) return { type: 'task-rescued', ...about }
  return undefined
}
