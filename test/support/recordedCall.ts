import type { Task } from '../../src/core/protocol/task.js'
import type { CallRecord } from '../../src/core/record/record.js'

/** When the recorded call was made, ms since the epoch. */
export const NOW = 1_800_000_000_000

/** The record of a call that has no task yet. */
export const RECORDED_CALL: CallRecord = {
  callId: 'c',
  tool: 'report',
  key: 'k',
  argumentsHash: undefined,
  meta: undefined,
  keepResult: undefined,
  endpoint: 'e',
  scope: '',
  startedAt: NOW,
  idempotencyKey: undefined,
  task: undefined,
  held: undefined,
}

/** Its task, once the server has made one. */
export const RECORDED_TASK: Task = {
  taskId: 'task-secret-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 1000,
}
