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
