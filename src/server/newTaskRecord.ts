import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { createTaskId } from './taskId.js'
import type { TaskRecord } from './taskRecord.js'

/** What a new task is like. */
export interface TaskSpec {
  owner: string
  ttlMs: number | null
  pollIntervalMs: number
  /** What the client declared with the call: questions of the task are of these kinds only. */
  capabilities: ClientCapabilities
}

/** The record of a task that begins `now`, in ms since the epoch. */
export function newTaskRecord({ owner, ttlMs, pollIntervalMs }: TaskSpec, now: number): TaskRecord {
  const createdAt = new Date(now).toISOString()
  return {
    task: { taskId: createTaskId(), status: 'working', createdAt, lastUpdatedAt: createdAt, ttlMs, pollIntervalMs },
    owner,
    version: 1,
    expiresAt: ttlMs === null ? null : now + ttlMs,
    answers: {},
    cancelRequested: false,
  }
}
