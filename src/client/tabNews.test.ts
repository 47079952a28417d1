import { describe, expect, it } from 'vitest'
import { INTENT, RESULT, recorded, START } from '../../test/support/stubbedCall.js'
import { callOf, settledOf, stubPageCalls } from '../../test/support/stubbedPageCalls.js'
import type { Call, RecordStatus } from '../call/call.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import { createTabNews } from './tabNews.js'

const T2 = recorded({ taskId: 't2' })
const later = (record: ToolCallRecord): ToolCallRecord => ({ ...record, startedAt: START + 1 })
const FOLLOWING = callOf(recorded())
const SETTLED = settledOf(recorded())

interface Situation {
  known?: Call
  /** What the storage has of the call. */
  stored?: ToolCallRecord
  hasRecord?: boolean
  /** @default true */
  followsUnobserved?: boolean
  isClosed?: boolean
  isForgotten?: boolean
  /** What the call becomes while the storage is read. */
  becomes?: Call
}

function begin(situation: Situation = {}) {
  const { known, stored, hasRecord = true, followsUnobserved = true, isClosed, isForgotten = false } = situation
  const log: unknown[][] = []
  const { calls, put } = stubPageCalls(log, known && [known])
  const entry = calls.entries.get('c1')
  const closing = new AbortController()
  if (isClosed) closing.abort()
  const news = createTabNews({
    calls,
    records: {
      read: (callId) => {
        log.push(['read', callId])
        if (entry !== undefined && situation.becomes !== undefined) entry.call = situation.becomes
        return Promise.resolve(stored)
      },
      has: (callId) => {
        log.push(['has', callId])
        return Promise.resolve(hasRecord)
      },
    },
    owner: { endpoint: INTENT.endpoint, scope: INTENT.scope },
    forgotten: { has: () => isForgotten },
    dropForgotten: (callId) => void log.push(['forget', callId]),
    handOver: {
      give: ({ call }) => void log.push(['give', call.callId]),
      receive: (callId, record) => void log.push(['hand over', callId, record]),
    },
    followsUnobserved,
    signal: closing.signal,
  })
  return { ...news, calls, put, log }
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}
const READ = ['read', 'c1']
const HAS = ['has', 'c1']

describe('the record of a call that another tab has posted', () => {
  it.each<[string, ToolCallRecord, Situation, unknown[][]]>([
    ['of no call of this page is followed', T2, {}, [['follow', T2]]],
    ['is not followed where that takes an observer', T2, { followsUnobserved: false }, []],
    ['is not followed by a client that is closed', T2, { isClosed: true }, []],
    ['of the task that is followed changes nothing', recorded(), { known: FOLLOWING, stored: T2 }, []],
    ['without a task changes nothing', INTENT, { known: FOLLOWING, stored: T2 }, []],
    ['of a call that waits is left to that', T2, { known: callOf(INTENT), stored: T2 }, []],
    [
      'of another task is followed as stored',
      T2,
      { known: FOLLOWING, stored: later(T2) },
      [READ, ['adopt', 'c1', later(T2)]],
    ],
    ['of another task is followed where none is stored', T2, { known: FOLLOWING }, [READ, ['adopt', 'c1', T2]]],
    ['of another task does not count over the stored one', T2, { known: FOLLOWING, stored: recorded() }, [READ]],
    ['of another task does not count over a stored intent', T2, { known: FOLLOWING, stored: INTENT }, [READ]],
    [
      'of another task does not count once the call is over',
      T2,
      { known: FOLLOWING, stored: T2, becomes: SETTLED },
      [READ],
    ],
    ['of the call made anew, later, is read first', later(T2), { known: FOLLOWING, stored: recorded() }, [READ]],
    ['of a settled call made anew is followed', later(T2), { known: SETTLED }, [['follow', later(T2)]]],
    ['of a settled call made at the same time is not', T2, { known: SETTLED }, []],
    ['of a settled call whose task was resumed is not', later(recorded()), { known: SETTLED }, []],
    ['of a settled call without a task is not', later(INTENT), { known: settledOf(INTENT) }, []],
    [
      'of a settled call that has become a task is followed',
      later(T2),
      { known: settledOf(INTENT) },
      [['follow', later(T2)]],
    ],
  ])('%s', async (_what, record, situation, log) => {
    const page = begin(situation)
    page.receive('c1', { type: 'created', record })
    await settle()
    expect(page.log).toEqual([['hand over', 'c1', record], ...log])
  })

  it.each<[string, Partial<ToolCallRecord>, Situation]>([
    ['another call', { callId: 'c2' }, {}],
    ['another server', { endpoint: 'https://example.org/mcp' }, {}],
    ['another account', { scope: 'anna' }, {}],
    ['a forgotten call', {}, { isForgotten: true }],
  ])('is passed over where it is of %s', (_what, changes, situation) => {
    const { receive, log } = begin(situation)
    receive('c1', { type: 'created', record: { ...T2, ...changes } })
    expect(log).toEqual([])
  })
})

describe('what another tab posts about a call', () => {
  const outcome = { result: RESULT }

  it('ends the wait of this one: with the outcome, or with the record', () => {
    const { calls, receive } = begin({ known: callOf(INTENT) })
    const ends: unknown[] = []
    calls.waiting.set('c1', (end) => void ends.push(end))
    receive('c1', { type: 'settled', outcome })
    receive('c1', { type: 'created', record: T2 })
    expect(ends).toEqual([{ outcome }, { record: T2 }])
  })

  it.each([undefined, FOLLOWING])('that has settled is nothing to a call that does not wait', (known) => {
    const { receive, log } = begin({ ...(known && { known }) })
    receive('c1', { type: 'settled', outcome })
    expect(log).toEqual([])
  })

  it.each<[string, Situation, unknown[][]]>([
    ['a call of this page is given', { known: FOLLOWING }, [['give', 'c1']]],
    ['a call of no page is not', {}, []],
  ])('where the record is wanted: %s', (_what, situation, log) => {
    const page = begin(situation)
    page.receive('c1', { type: 'wanted' })
    expect(page.log).toEqual(log)
  })
})

describe('a page that comes back from the back-forward cache', () => {
  const following = (record: RecordStatus): Call => ({ ...FOLLOWING, record }) as Call
  const FORGET = ['forget', 'c1']
  const ADOPT = ['adopt', 'c1', T2]

  it.each<[string, Situation & { known: Call }, unknown[][]]>([
    ['drops a call whose record is gone', { known: following('kept'), hasRecord: false }, [HAS, FORGET]],
    ['follows the task that is recorded now', { known: following('kept'), stored: T2 }, [HAS, READ, ADOPT]],
    ['stays with the task that is recorded', { known: following('kept'), stored: recorded() }, [HAS, READ]],
    ['stays with its task where none is recorded', { known: following('assumed'), hasRecord: false }, [READ]],
    [
      'does not drop a call whose record it has not written',
      { known: following('unwritten'), hasRecord: false, stored: T2 },
      [READ, ADOPT],
    ],
    ['leaves alone a call that waits', { known: callOf(INTENT), hasRecord: false, stored: T2 }, []],
    ['leaves alone a call that is over', { known: SETTLED, hasRecord: false, stored: T2 }, []],
  ])('%s', async (_what, situation, log) => {
    const { catchUp, put, log: done } = begin(situation)
    await catchUp(put(situation.known))
    expect(done).toEqual(log)
  })

  it('leaves alone the call that has taken the place of the one whose record is gone', async () => {
    const { catchUp, put, log } = begin({ hasRecord: false, stored: T2 })
    const gone = put(following('kept'))
    put(following('kept'))
    await catchUp(gone)
    expect(log).toEqual([HAS])
  })
})
