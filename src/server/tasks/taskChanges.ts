import { isTerminal } from '../../core/protocol/task.js'
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
  const { task } = after
  const { status } = task
  if (before !== undefined && isTerminal(before.task.status)) return undefined
  if (status !== 'working' && status !== 'input_required') {
    const ms = Date.parse(task.lastUpdatedAt) - Date.parse(task.createdAt)
    return eventOf(after, { type: 'task-ended', outcome: status, ms })
  }
  if (before === undefined) return eventOf(after, { type: 'task-created' })
  if (event?.type === 'claim') return eventOf(after, { type: 'task-claimed' })
  if (event?.type === 'handOver') return eventOf(after, { type: 'task-handed-over' })
  if (event?.type === 'orphan' && isWaiting(after) && !isWaiting(before)) {
    return eventOf(after, { type: 'task-rescued' })
  }
  return undefined
}

/** The hash is computed when it is read: by default no log and no measurement needs it, and it is a noticeable part of a call. */
function eventOf<const E extends object>({ task, tool, attempt }: TaskRecord, event: E) {
  return {
    ...event,
    tool,
    attempt,
    get task() {
      return taskHash(task.taskId)
    },
  }
}
