import { describe, expect, it } from 'vitest'
import { INTENT, recorded, START } from '../../test/support/stubbedCall.js'
import { callOf, stubPageCalls } from '../../test/support/stubbedPageCalls.js'
import { recordOf } from '../call/callRecord.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import { createForgetting } from './forgetting.js'
import { createForgotten } from './forgotten.js'

const OWNER = { endpoint: INTENT.endpoint, scope: INTENT.scope }
const NOW = START + 1000

function begin(...records: readonly ToolCallRecord[]) {
  const log: unknown[][] = []
  const now = () => NOW
  const announced: (string | undefined)[] = []
  const { calls } = stubPageCalls(log, records.map(callOf))
  const forgetting = createForgetting({
    calls,
    ended: { get: (callId) => (callId === 'ended' ? { ...recorded(), callId } : undefined) },
    forgotten: createForgotten(now),
    records: {
      remove: (...args) => Promise.resolve(void log.push(['remove', ...args])),
      clear: (scope) => Promise.resolve(void log.push(['clear', scope])),
    },
    owner: OWNER,
    tabs: { postForgotten: (...args) => void log.push(['post', ...args]) },
    now,
    onForgotten: (callId) => void announced.push(callId),
  })
  return { ...forgetting, log, announced }
}

const startedAt = (at: number, callId = 'c1'): ToolCallRecord => ({ ...recorded(), callId, startedAt: at })
const dropped = (record: ToolCallRecord) => [
  ['drop', record.callId],
  ['remove', record.callId, recordOf(callOf(record), OWNER, NOW)],
]

describe('a call that was forgotten in another tab', () => {
  it.each([
    ['before that', START - 1, true],
    ['in that instant', START, true],
    ['after it', START + 1, false],
    ['now', NOW, false],
    ['before the clock was set back', NOW + 1, true],
  ])('is dropped where it was started %s (%d): %s', (_what, at, isDropped) => {
    const record = startedAt(at)
    const { receive, log } = begin(record)
    receive('c1', START)
    expect(log).toEqual(isDropped ? dropped(record) : [])
  })

  it('leaves the other calls alone', () => {
    const { receive, log } = begin(startedAt(START), startedAt(START, 'c2'))
    receive('c2', START)
    expect(log).toEqual(dropped(startedAt(START, 'c2')))
  })

  it('together with every other is dropped as they are', () => {
    const { receive, log } = begin(startedAt(START), startedAt(START, 'c2'))
    receive(undefined, START)
    expect(log).toEqual([...dropped(startedAt(START)), ...dropped(startedAt(START, 'c2'))])
  })

  it('is dropped by its record where it is only listed, and passed over where it is unknown', () => {
    const { dropForgotten, log } = begin()
    dropForgotten('ended')
    dropForgotten('unknown')
    expect(log).toEqual([
      ['drop', 'ended'],
      ['remove', 'ended', { ...recorded(), callId: 'ended' }],
    ])
  })
})

describe('forgetAll()', () => {
  it('drops every call, and each record by itself', async () => {
    const { forgetAll, log } = begin(startedAt(START), startedAt(START, 'c2'))
    await forgetAll()
    const drops = [
      ['drop', 'c1'],
      ['drop', 'c2'],
      ['clear', ''],
      ['remove', 'c1'],
      ['remove', 'c2'],
    ]
    expect(log).toEqual([['post', NOW, undefined, ''], ...drops])
  })

  it('of another scope drops nothing here, and leaves the calls of this one as they are', async () => {
    const { forgetAll, receive, log } = begin(startedAt(START))
    await forgetAll('anna')
    await forgetAll('anna')
    expect(log).toEqual([
      ['post', NOW, undefined, 'anna'],
      ['clear', 'anna'],
      ['post', NOW, undefined, 'anna'],
      ['clear', 'anna'],
    ])
    receive('c1', START - 1)
    expect(log).toHaveLength(4)
  })
})

describe('what was forgotten', () => {
  it.each<[what: string, forget: (forgetting: ReturnType<typeof begin>) => unknown, announced: unknown[]]>([
    ['one call', ({ forget }) => forget('c1'), ['c1']],
    ['every call', ({ forgetAll }) => forgetAll(), [undefined]],
    ['every call of another scope, which this page does not show', ({ forgetAll }) => forgetAll('other'), []],
    ['one call in another tab', ({ receive }) => receive('c1', START), ['c1']],
    ['every call in another tab', ({ receive }) => receive(undefined, START), [undefined]],
  ])('is announced once it has left the page: %s', async (_, forget, announced) => {
    const forgetting = begin(startedAt(START))
    await forget(forgetting)
    expect(forgetting.announced).toEqual(announced)
  })
})
