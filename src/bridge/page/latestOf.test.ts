import { expect, it } from 'vitest'
import type { CallOnWire } from '../wire/messages.js'
import type { Entry } from './entries.js'
import { latestOf } from './latestOf.js'

const INTERRUPTED = { startedAt: 1, endedAt: 2, error: { name: 'ToolCallInterruptedError' } } as unknown as CallOnWire
const ENTRY = { callId: 'call', isOver: false } as Entry

// process of the news  interrupted ····························· its news of the task are on their way
// the same, asked      start ─ task: answer, with the call ─ resume: answer, without the call
it('what the news have said before an answer that they have not come to does not count', () => {
  const mirror = { position: { epoch: 'B', seq: 1 }, wireOf: () => INTERRUPTED }
  expect(latestOf(ENTRY, { epoch: 'B', seq: 2 }, mirror, false)).toEqual({ wire: undefined, epoch: 'B' })
  expect(latestOf(ENTRY, { epoch: 'B', seq: 1 }, mirror, true)).toEqual({ wire: INTERRUPTED, epoch: 'B' })
})

it('an answer of another process does not say how the polls are that the news tell of', () => {
  const running = { startedAt: 1, phase: 'working', task: { lastUpdatedAt: '2026-07-28T00:00:00Z' } }
  const heard = { ...running, network: 'ok', failureCount: 0 } as unknown as CallOnWire
  const call = { ...heard, isCancelling: true, network: 'retrying', failureCount: 2, lastError: {} }
  const mirror = { position: { epoch: 'A', seq: 1 }, wireOf: () => heard }
  const latest = latestOf(ENTRY, { epoch: 'B', seq: 2, call }, mirror, false)
  expect(latest).toEqual({ wire: { ...heard, isCancelling: true }, epoch: 'B' })
})
