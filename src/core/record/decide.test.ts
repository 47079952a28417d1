import { boolean, assert as check, integer, property, record as recordOf } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaskRequestError } from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { DEFAULT_POLL_POLICY } from '../time/policy.js'
import { believedFrom, type Circumstances, decide, nextPoll, POLLING_MS } from './decide.js'
import { newTaskRecord, type TaskRecord, withReason } from './record.js'

const TASK: Task = {
  taskId: 't',
  status: 'working',
  createdAt: '',
  lastUpdatedAt: '',
  ttlMs: null,
  pollIntervalMs: 1000,
}
const NOW = 100_000
const RECORD = { ...newTaskRecord(TASK, 'modern', NOW, NOW + 1000), heardAt: NOW }
const FAILURE = { network: 'retrying' as const, count: 1, unreached: 0, violations: 0, refusals: 0 }
const BUSY = { ...FAILURE, error: new TaskRequestError('busy', { kind: 'http', status: 503 }) }
const ASKED = { ...FAILURE, error: new TaskRequestError('busy', { kind: 'http', status: 503, retryAfterMs: 5000 }) }
const HERE: Circumstances = { now: NOW, isOnline: true, isVisible: true, isLeader: true, listenUntil: 0 }
const policy = DEFAULT_POLL_POLICY

describe('nextPoll', () => {
  it.each<[string, Partial<TaskRecord>, number, string]>([
    ['the interval of the last answer', {}, 1000, 'interval'],
    ['the backoff after a failure', { failure: BUSY, retryAt: NOW + 7000 }, 7000, 'backoff'],
    [
      'the wait that Retry-After asks for',
      { failure: ASKED, earliestAt: NOW + 5000, retryAt: NOW + 5000 },
      5000,
      'retry-after',
    ],
    ['the safety interval while the server pushes', { quietUntil: NOW + 30_000 }, 30_000, 'safety-interval'],
    ['one interval after a poll that was cut off', { sentAt: NOW + 900 }, 1900, 'interval'],
    ['a hint, a moment after the last poll', { sentAt: NOW, here: { ...RECORD.here, hintedAt: NOW + 10 } }, 50, 'hint'],
    [
      'the server, also after a hint while polls fail',
      { failure: BUSY, here: { ...RECORD.here, hintedAt: NOW } },
      1000,
      'hint',
    ],
    [
      'the server, also after a hint where an earlier page has had no answer',
      { sentAt: NOW + 10, here: { ...RECORD.here, hintedAt: NOW + 20 } },
      1000,
      'hint',
    ],
  ])('is due by %s', (_, known, inMs, why) => {
    expect(nextPoll({ ...RECORD, ...known }, policy)).toEqual({ at: NOW + inMs, why })
  })

  it('is no later than the longest backoff past the ttl', () => {
    const record = { ...RECORD, task: { ...TASK, ttlMs: 5000 }, earliestAt: NOW + 10_000_000 }
    expect(nextPoll(record, policy).at).toBe(NOW + 5000 + policy.maxMs)
  })

  it('is put off for good by no tab that only says that it polls', () => {
    const sentAt = NOW + 99 * 4000
    const last = { ...RECORD, sentAt, pollingUntil: sentAt + 5000 }
    expect(decide(last, { ...HERE, now: NOW + 100 * 4000 }, policy)).toMatchObject({ do: 'poll' })
  })
})

describe('decide', () => {
  it.each<[string, Partial<TaskRecord>, Partial<Circumstances>, object]>([
    ['polls when it is due', {}, { now: NOW + 1000 }, { do: 'poll', why: 'interval' }],
    ['waits until it is due', {}, { now: NOW + 999 }, { do: 'wait', until: NOW + 1000 }],
    [
      'waits for what others have to say',
      {},
      { now: NOW + 1000, listenUntil: NOW + 1100 },
      { do: 'wait', until: NOW + 1100 },
    ],
    [
      'waits for the poll of another tab',
      { pollingUntil: NOW + 5000, sentAt: NOW },
      { now: NOW + 1000 },
      { do: 'wait', until: NOW + 5000 },
    ],
    ['rests while there is no network', {}, { now: NOW + 1000, isOnline: false }, { do: 'rest', blocked: 'offline' }],
    ['gives the leader a second', {}, { now: NOW + 1999, isLeader: false }, { do: 'wait', until: NOW + 2000 }],
    ['takes the lead from a tab that is overdue', {}, { now: NOW + 2000, isLeader: false }, { do: 'lead' }],
    [
      'rests when the task has ended',
      { end: { at: NOW, error: new Error('over') } },
      { now: NOW + 1000 },
      { do: 'rest', blocked: undefined },
    ],
  ])('%s', (_, known, circumstances, decision) => {
    expect(decide({ ...RECORD, ...known }, { ...HERE, ...circumstances }, policy)).toEqual(decision)
  })

  it('rests in a hidden page where that is asked for', () => {
    const at = { ...HERE, now: NOW + 1000, isVisible: false }
    expect(decide(RECORD, at, { ...policy, hidden: 'pause' })).toEqual({ do: 'rest', blocked: 'paused' })
  })

  const times = integer({ min: 0, max: 200_000 })
  const known = recordOf({ earliestAt: times, sentAt: times, retryAt: times, quietUntil: times, pollingUntil: times })

  it('polls at no time before the server wants to be asked', () => {
    check(
      property(known, times, boolean(), (facts, now, isLeader) => {
        const decision = decide({ ...RECORD, ...facts }, { ...HERE, now, isLeader }, policy)
        expect(decision.do !== 'poll' || now >= facts.earliestAt).toBe(true)
      }),
    )
  })

  it('does something at the time until which it says that it waits', () => {
    check(
      property(known, times, boolean(), (facts, now, isLeader) => {
        const record = { ...RECORD, ...facts }
        const decision = decide(record, { ...HERE, now, isLeader }, policy)
        const until = decision.do === 'wait' ? decision.until : now + 1
        const then = decide(record, { ...HERE, now: until, isLeader }, policy)
        expect(until).toBeGreaterThan(now)
        expect(decision.do === 'wait' ? then.do : 'none').toBe(
          decision.do === 'wait' ? (isLeader ? 'poll' : 'lead') : 'none',
        )
      }),
    )
  })
})

describe('why the next poll comes', () => {
  it.each<[string, Partial<TaskRecord>, string]>([
    ['a failure of another kind', { failure: { ...FAILURE, error: new Error('no') }, retryAt: NOW }, 'backoff'],
    ['a backoff that is longer than Retry-After', { failure: ASKED, earliestAt: NOW + 5, retryAt: NOW + 6 }, 'backoff'],
    ['a failure without Retry-After', { failure: BUSY, earliestAt: NOW + 5, retryAt: NOW + 5 }, 'backoff'],
    ['a push that asks for no more than the interval', { quietUntil: NOW + 1000 }, 'interval'],
    ['a push, and a backoff that is over before', { quietUntil: NOW + 1001, retryAt: NOW + 5 }, 'safety-interval'],
    ['a push, and a backoff that is longer', { quietUntil: NOW + 1001, retryAt: NOW + 2000 }, 'interval'],
  ])('is said of %s', (_, known, why) => {
    expect(nextPoll({ ...RECORD, ...known }, policy).why).toBe(why)
  })

  it.each(['back-online', 'takeover', 'resumed'] as const)('is first what only this page knows: %s', (because) => {
    const next = withReason(RECORD, because)
    const hinted = { ...next, here: { ...next.here, hintedAt: NOW } }
    expect([nextPoll(next, policy).why, nextPoll(hinted, policy).why]).toEqual([because, because])
    expect(withReason(next, because)).toBe(next)
    expect(nextPoll(withReason(next, undefined), policy)).toEqual(nextPoll(RECORD, policy))
  })

  it('is due at once where nothing is known but the task', () => {
    expect(nextPoll(newTaskRecord(TASK, 'modern', 0, 0), policy).at).toBe(0)
  })

  it('keeps to the server where the limit of the ttl lies before what it has said last', () => {
    const task = { ...TASK, ttlMs: 5 }
    const limit = NOW + 5 + policy.maxMs
    const record = { ...RECORD, task, earliestAt: limit + 10 }
    expect(nextPoll({ ...record, heardAt: limit - 1 }, policy).at).toBe(limit)
    expect(nextPoll({ ...record, heardAt: limit }, policy).at).toBe(limit + 10)
  })

  it('starts a new period of belief with the first poll that comes too late, and not with those that follow it', () => {
    const believedForMs = policy.requestTimeoutMs + POLLING_MS
    const sent = (record: TaskRecord, at: number): TaskRecord => ({
      ...record,
      ...{ sentAt: at, pollingUntil: at + POLLING_MS, believedFrom: believedFrom(record, at, policy) },
    })
    const wokenAt = NOW + 1000 + believedForMs
    expect(sent(RECORD, wokenAt - 1).believedFrom).toBe(0)
    const woken = sent(RECORD, wokenAt)
    const other = { ...HERE, isLeader: false }
    expect(decide(woken, { ...other, now: wokenAt + 2000 }, policy)).toMatchObject({ do: 'wait' })
    const again = sent(woken, wokenAt + believedForMs - 1)
    expect(again.believedFrom).toBe(wokenAt)
    expect(decide(again, { ...other, now: wokenAt + believedForMs + 2000 }, policy)).toEqual({ do: 'lead' })
  })

  it('believes another tab that it polls for as long as a request may take, and five seconds', () => {
    const sentAt = NOW + 10 * policy.requestTimeoutMs
    const until = NOW + 1000 + policy.requestTimeoutMs + POLLING_MS
    expect(nextPoll({ ...RECORD, sentAt }, policy).at).toBe(until + 1000)
  })
})
