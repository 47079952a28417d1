import type { TaskRecord } from '../../server/tasks/taskRecord.js'

/** A task at work, created at 0, that never expires unless told otherwise. */
export function workingRecord(taskId: string, overrides: Partial<TaskRecord> = {}): TaskRecord {
  const at = new Date(0).toISOString()
  return {
    task: { taskId, status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 1000 },
    owner: '',
    version: 1,
    format: 1,
    expiresAt: null,
    ttlMs: null,
    tool: 'tool',
    attempt: 1,
    answers: {},
    cancelRequested: false,
    ...overrides,
  }
}
