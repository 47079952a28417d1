import { describe, expect, it } from 'vitest'
import { INTENT } from '../../test/support/stubbedCall.js'
import { callOf } from '../../test/support/stubbedPageCalls.js'
import { createSettledCalls } from './settledCalls.js'

const MINUTE = 60_000
const ids = Array.from({ length: 200 }, (_each, i) => `c${i}`)

function begin(observed: readonly string[] = []) {
  const clock = { now: 0 }
  const dropped: string[] = []
  const settled = createSettledCalls({
    now: () => clock.now,
    isObserved: (callId) => observed.includes(callId),
    drop: (callId) => {
      dropped.push(callId)
      settled.delete(callId)
    },
  })
  const note = (callId: string, key?: string) => settled.note({ ...callOf(INTENT), callId, key })
  return { ...settled, clock, dropped, note }
}

describe('calls that have settled', () => {
  it.each([undefined, 'weekly'])('are 200 at most, the newest (key %j)', (key) => {
    const { note, dropped } = begin()
    for (const id of ids) note(id, key)
    note('other', key === undefined ? 'weekly' : undefined)
    expect(dropped).toEqual([])
    note('last', key)
    expect(dropped).toEqual(['c0'])
  })

  it('stay while they are observed: the next oldest goes', () => {
    const { note, dropped } = begin(['c0', 'c1'])
    for (const id of [...ids, 'last']) note(id)
    expect(dropped).toEqual(['c2'])
  })

  it.each([undefined, 'weekly'])('count no longer once they are gone (key %j)', (key) => {
    const { note, delete: remove, dropped } = begin()
    for (const id of ids) note(id, key)
    remove('c7')
    note('last', key)
    expect(dropped).toEqual([])
  })

  it('without a key are dropped after five minutes, unless they are observed', () => {
    const { note, clock, dropped, dropOld } = begin(['a'])
    note('a')
    note('b')
    note('keyed', 'weekly')
    clock.now = 1
    note('c')
    clock.now = 5 * MINUTE - 1
    dropOld()
    expect(dropped).toEqual([])
    clock.now = 5 * MINUTE
    dropOld()
    expect(dropped).toEqual(['b'])
  })
})
