import { createTaskId } from './taskId.js'
import type { TaskLease, TaskRecord } from './taskRecord.js'
import { WAITING } from './taskReducer.js'

/** What a new task is like. */
export interface TaskSpec {
  owner: string
  tool: string
  ttlMs: number | null
  pollIntervalMs: number
  /** What it takes to run the tool again or elsewhere, sealed; absent where nobody will. */
  call?: string | undefined
}

/** The record of a task that begins `now`, in ms since the epoch; of one without a worker, where `attempt` is 0. */
export function newTaskRecord(
  { owner, tool, ttlMs, pollIntervalMs, call }: TaskSpec,
  now: number,
  attempt: 0 | 1,
  lease?: TaskLease,
): TaskRecord {
  const at = new Date(now).toISOString()
  const statusMessage = attempt === 0 ? { statusMessage: WAITING } : {}
  const times = { createdAt: at, lastUpdatedAt: at, ttlMs, pollIntervalMs }
  return {
    task: { taskId: createTaskId(), status: 'working', ...statusMessage, ...times },
    owner,
    version: 1,
    expiresAt: ttlMs === null ? null : now + ttlMs,
    tool,
    attempt,
    ...(lease !== undefined && { lease }),
    ...(call !== undefined && { call }),
    answers: {},
    cancelRequested: false,
  }
}
