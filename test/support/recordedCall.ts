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
