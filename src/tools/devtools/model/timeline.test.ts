import { describe, expect, it } from 'vitest'
import type { CallObservation, PollReason } from '../../../core/client/observe/events.js'
import { timelineOf } from './timeline.js'

const of = { callId: 'c', tool: 'report', task: 'abc1234' } as const

const created: CallObservation = {
  ...of,
  type: 'task-created',
  at: 1000,
  pollIntervalMs: 1000,
  ttlMs: 60_000,
  nextPollAt: 2000,
  nextReason: 'interval',
}

const sent = (at: number, reason: PollReason = 'interval'): CallObservation => ({
  ...of,
  type: 'poll-sent',
  at,
  reason,
})

const answered = (at: number, isUnchanged = false): CallObservation => ({
  ...of,
  type: 'poll-answered',
  at,
  ms: 20,
  status: 'working',
  isUnchanged,
  nextPollAt: at + 1000,
  nextReason: 'interval',
})

describe('timelineOf', () => {
  it('makes one row of a poll and its response: why it came, how long it waited, what came of it', () => {
    const rows = timelineOf([created, sent(2000), answered(2020, true)])
    expect(rows).toHaveLength(2)
    expect(rows[1]).toMatchObject({
      at: 2000,
      what: 'Poll',
      why: 'first poll, one server interval after the task was created',
      waited: '1.00 s',
      outcome: 'working, nothing new in 20 ms',
      next: 'in 1.00 s, server interval',
    })
  })

  const reasons = [
    ['interval', 'server interval'],
    ['safety-interval', 'safety interval beside push'],
    ['backoff', 'backoff after a failure'],
    ['retry-after', 'server said Retry-After'],
    ['back-online', 'back online'],
    ['takeover', 'took over from another tab'],
    ['hint', 'server hinted at news'],
    ['resumed', 'resumed from a record'],
  ] satisfies [PollReason, string][]

  it.each(reasons)('explains a poll for the reason %s in words', (reason, words) => {
    const rows = timelineOf([created, sent(2000), answered(2020), sent(3020, reason)])
    expect(rows[2]).toMatchObject({ what: 'Poll', why: words, waited: '1.00 s' })
  })

  it.each(reasons.slice(1))('explains a first poll for the reason %s in words', (reason, words) => {
    expect(timelineOf([created, sent(2000, reason)])[1]).toMatchObject({ why: words })
  })

  it('marks what the page before a reload has seen, and a poll that the reload cut off', () => {
    const isEarlier = ({ at }: CallObservation) => at < 5000
    const resumed: CallObservation = { ...of, type: 'task-resumed', at: 6000 }
    const rows = timelineOf([created, sent(2000), answered(2020), sent(3020), resumed, sent(6100, 'resumed')], {
      isEarlier,
    })
    expect(rows.map(({ what, isEarlier = false, outcome }) => [what, isEarlier, outcome])).toEqual([
      ['Task created', true, 'interval 1.00 s, kept 1 min 0 s'],
      ['Poll', true, 'working in 20 ms'],
      ['Poll', true, 'no response before the page was left'],
      ['Reload', false, 'older rows: before the reload'],
      ['Task resumed', false, 'as a record or another tab names it'],
      ['Poll', false, undefined],
    ])
    expect(timelineOf([resumed], { isEarlier })).toHaveLength(1)
    expect(timelineOf([created], { isEarlier }).map(({ what }) => what)).toEqual(['Task created', 'Reload'])
  })

  it('shows a poll that has no response yet', () => {
    const [, poll] = timelineOf([created, sent(2000)])
    expect(poll).toMatchObject({ what: 'Poll', tone: 'active' })
    expect(poll).not.toHaveProperty('outcome')
  })

  it('says what a poll failed with, and that the next one backs off', () => {
    const failed: CallObservation = {
      ...of,
      type: 'poll-failed',
      at: 2500,
      ms: 500,
      kind: 'http',
      error: new Error('HTTP 503'),
      failureCount: 2,
      nextPollAt: 4500,
      nextReason: 'backoff',
    }
    const [, poll] = timelineOf([created, sent(2000), failed])
    expect(poll).toMatchObject({
      outcome: 'failure 2 (http) after 500 ms: HTTP 503',
      next: 'in 2.00 s, backoff after a failure',
      tone: 'danger',
    })
  })

  it('has a row for pushes, other tabs, input requests, a cancellation and the end', () => {
    const rows = timelineOf([
      { ...of, type: 'push-event', at: 1, status: 'working', isUnchanged: false },
      { ...of, type: 'tab-event', at: 2, status: 'working', isUnchanged: true },
      { ...of, type: 'input-asked', at: 3, inputKey: 'sure' },
      { ...of, type: 'cancel', at: 4, status: 'requested' },
      { ...of, type: 'leader-lost', at: 5 },
      { ...of, type: 'call-settled', at: 6, phase: 'cancelled', ms: 1500, error: new Error('Cancelled.') },
    ])
    expect(rows.map(({ what, outcome }) => `${what}: ${outcome}`)).toEqual([
      'Push: working',
      'Tabs: another tab says: working, nothing new',
      'Input request: sure: asked',
      'Cancellation: accepted by the server',
      'Tabs: another tab polls from now on',
      'Call ended: cancelled after 1.50 s: Cancelled.',
    ])
  })

  it('has a call whose tool has failed end as a failure', () => {
    const rows = timelineOf([{ ...of, type: 'call-settled', at: 6, phase: 'completed', isError: true, ms: 1500 }])
    expect(rows).toMatchObject([{ outcome: 'completed, isError, after 1.50 s', tone: 'danger' }])
  })

  it('keeps the keys of rows when older observations are gone', () => {
    const observations = [created, sent(2000), answered(2020), sent(3020), answered(3040)]
    const keys = timelineOf(observations).map(({ key }) => key)
    expect(timelineOf(observations.slice(1)).map(({ key }) => key)).toEqual(keys.slice(1))
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('tells two rows of one moment apart', () => {
    const asked = { ...of, type: 'input-asked', at: 3, inputKey: 'a' } as const
    const keys = timelineOf([asked, { ...asked, inputKey: 'b' }]).map(({ key }) => key)
    expect(new Set(keys).size).toBe(2)
  })
})
