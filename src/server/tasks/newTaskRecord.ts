import { createTaskId } from './taskId.js'
import { RECORD_FORMAT, type TaskLease, type TaskRecord, type TaskRepetition } from './taskRecord.js'
import { WAITING, withExpiry } from './taskReducer.js'

/** What a new task is like. */
export interface TaskSpec {
  owner: string
  tool: string
  ttlMs: number | null
  pollIntervalMs: number
  /** What it takes to run the tool again or elsewhere, sealed; absent if the tool never runs again. */
  call?: string | undefined
  /** How long the task is kept at least where it has failed and can be run again, in ms. */
  keepFailedMs?: number | undefined
  /** Of a call that may come again. @default a random id */
  taskId?: string | undefined
  /** The claim under which the work begins, where its creation may be tried again. @default a random one */
  claim?: string | undefined
  repetition?: TaskRepetition | undefined
  /** The steps that the work has come to before it became a task. */
  steps?: TaskRecord['steps'] | undefined
}

/** The record of a task that begins `now`, in ms since the epoch; of one without a worker, where `attempt` is 0. */
export function newTaskRecord(
  { owner, tool, ttlMs, pollIntervalMs, call, taskId = createTaskId(), repetition, keepFailedMs, steps }: TaskSpec,
  now: number,
  attempt: 0 | 1,
  lease?: TaskLease,
): TaskRecord {
  const at = new Date(now).toISOString()
  const statusMessage = attempt === 0 ? { statusMessage: WAITING } : {}
  const times = { createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs }
  const record: TaskRecord = {
    task: { taskId, status: 'working', ...statusMessage, ...times },
    owner,
    version: 1,
    format: RECORD_FORMAT,
    expiresAt: null,
    ttlMs,
    tool,
    attempt,
    ...(lease !== undefined && { lease }),
    ...(call !== undefined && { call }),
    ...(keepFailedMs !== undefined && { keepFailedMs }),
    ...(repetition !== undefined && { repetition }),
    ...(steps !== undefined && { steps }),
    answers: {},
    cancelRequested: false,
  }
  return withExpiry(record, now)
}
