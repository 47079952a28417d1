import { describe, expect, it } from 'vitest'
import { INTENT, recorded, START, TASK } from '../../test/support/stubbedCall.js'
import type { ToolCallState } from '../call/toolCallState.js'
import { TaskExpiredError } from '../protocol/errors.js'
import type { RecordedTask, ToolCallRecord } from '../storage/toolCallRecord.js'
import { createEndedCalls, MAX_LISTED } from './endedCalls.js'

function begin() {
  const shown = new Map<string, ToolCallState>()
  const store = {
    setCall: (state: ToolCallState) => void shown.set(state.callId, state),
    removeCall: (callId: string) => void shown.delete(callId),
  }
  return { ended: createEndedCalls(store), shown }
}

const ended = (callId: string, changes: Partial<RecordedTask> = {}): ToolCallRecord => ({
  ...recorded({ status: 'completed', ...changes }),
  callId,
})

describe('the calls that ended in an earlier visit', () => {
  const STATE = {
    callId: 'c1',
    name: 'report',
    startedAt: START,
    task: { ...TASK, status: 'completed' },
    inputRequests: {},
    inputResponses: {},
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
  }
  const lost = { at: START + 9, reason: 'ttl' as const }

  it.each<[string, Partial<RecordedTask>, object]>([
    ['when they were made', {}, { phase: 'ended', endedAt: START }],
    ['when that was noted', { notedAt: START + 1 }, { phase: 'ended', endedAt: START + 1 }],
    ['when the end arrived', { notedAt: START + 2, snapshotAt: START + 1 }, { phase: 'ended', endedAt: START + 1 }],
    [
      'when they were lost',
      { notedAt: START + 2, snapshotAt: START + 1, lost },
      { phase: 'failed', endedAt: START + 9, error: new TaskExpiredError('ttl', { taskId: 't1', callId: 'c1' }) },
    ],
  ])('are shown as over since %s', (_what, changes, over) => {
    const { ended: calls, shown } = begin()
    calls.list(ended('c1', changes))
    expect([...shown.values()]).toStrictEqual([{ ...STATE, ...over }])
  })

  it.each([INTENT, recorded(), { ...INTENT, held: 'ended' as const }])('are not those that go on: %j', (record) => {
    const { ended: calls, shown } = begin()
    calls.list(record)
    expect(calls.callIds()).toEqual([])
    expect([...shown]).toEqual([])
  })

  it('are known by their ids until they are taken off the list, and stay in the store', () => {
    const { ended: calls, shown } = begin()
    calls.list(ended('a'))
    calls.list(ended('b'))
    expect(calls.callIds()).toEqual(['a', 'b'])
    expect(calls.get('a')).toEqual(ended('a'))
    calls.delete('a')
    expect(calls.get('a')).toBeUndefined()
    expect(calls.callIds()).toEqual(['b'])
    expect([...shown.keys()]).toEqual(['a', 'b'])
  })

  it('are the newest 200 that were listed, in the store as well', () => {
    const { ended: calls, shown } = begin()
    const ids = Array.from({ length: MAX_LISTED }, (_each, i) => `e${i}`)
    for (const id of ids) calls.list(ended(id))
    expect(calls.callIds()).toEqual(ids)
    // Listed again, the first is the newest.
    calls.list(ended('e0'))
    calls.list(ended('last'))
    const left = [...ids.slice(2), 'e0', 'last']
    expect(calls.callIds()).toEqual(left)
    expect([...shown.keys()].sort()).toEqual([...left].sort())
  })
})
