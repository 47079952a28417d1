import { assert as check, constantFrom, double, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
  TaskUnreachableError,
} from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { UNKNOWN_TASK } from '../protocol/text.js'
import { DEFAULT_POLL_POLICY } from '../time/policy.js'
import { nextPoll } from './decide.js'
import { failed } from './failed.js'
import { newTaskRecord, type TaskRecord } from './record.js'

const NOW = 100_000
const TASK: Task = {
  taskId: 'task-secret-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}
const policy = DEFAULT_POLL_POLICY
const RECORD: TaskRecord = { ...newTaskRecord(TASK, 'modern', NOW - 5000, NOW - 1000), snapshotAt: NOW - 3000 }
const AT = { now: NOW, askedAt: NOW - 100, jitter: 0.5 }
const NETWORK = new TaskRequestError('no network', { kind: 'network' })
const CREDENTIALS = new TaskRequestError('sign in', { kind: 'auth' })
const asked = (retryAfterMs: number) => new TaskRequestError('busy', { kind: 'http', status: 503, retryAfterMs })
const broken = new TaskProtocolError('no status', { source: 'tasks/get' })

/** What is known after so many failures. */
function failedTimes(count: number, error: Error, record: TaskRecord = RECORD, rules = policy): TaskRecord {
  let known = record
  for (let failure = 0; failure < count; failure++) known = failed(known, error, AT, rules)
  return known
}

describe('failed', () => {
  it('plans the next poll no earlier than the interval, the backoff and Retry-After', () => {
    check(
      property(
        integer({ min: 1, max: 20 }),
        double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        constantFrom(0, 500, 5000, 200_000),
        (count, jitter, retryAfterMs) => {
          const known = { ...RECORD, failure: count === 1 ? undefined : failureOf(count - 1) }
          const next = failed(known, asked(retryAfterMs), { ...AT, jitter }, policy)
          expect(next.failure?.count).toBe(count)
          const { at } = nextPoll(next, policy)
          expect(at).toBeGreaterThanOrEqual(NOW + Math.max(1000, retryAfterMs))
          expect(at).toBeLessThanOrEqual(NOW + Math.max(1000, retryAfterMs, policy.maxMs))
        },
      ),
    )
  })

  it('keeps the time that the server has named before', () => {
    expect(failed({ ...RECORD, earliestAt: NOW + 50_000 }, NETWORK, AT, policy).earliestAt).toBe(NOW + 50_000)
  })

  it('tells failures that may pass from credentials that are missing', () => {
    expect(failed(RECORD, NETWORK, AT, policy).failure).toMatchObject({ network: 'retrying', error: NETWORK })
    expect(failed(RECORD, CREDENTIALS, AT, policy).failure).toMatchObject({ network: 'paused', error: CREDENTIALS })
  })

  it('ends no poll of a push that is over, and forgets that one was under way', () => {
    const busy = { ...RECORD, quietUntil: NOW + 30_000, pollingUntil: NOW + 4000 }
    expect(failed(busy, NETWORK, AT, policy)).toMatchObject({ quietUntil: 0, pollingUntil: 0, triedAt: NOW })
  })

  it.each<[string, Error]>([
    ['the server does not know the task', new TaskExpiredError('unknown-task')],
    ['the server serves no tasks to this client', new TasksUnsupportedError('no tasks', { code: -32601 })],
    ['this page is not set up for it', new TaskConfigurationError('no url')],
  ])('ends at once where %s', (_, error) => {
    expect(failed(RECORD, error, AT, policy).end).toEqual({ at: NOW, error })
  })

  it('says more where the server does not know a task that it has just created', () => {
    const never = { ...RECORD, snapshotAt: 0 }
    const unknown = new TaskExpiredError('unknown-task', { message: UNKNOWN_TASK })
    expect(failed(never, unknown, AT, policy).end).toMatchObject({
      error: { message: expect.stringMatching(/which it has created itself/) },
    })
    expect(failed(RECORD, unknown, AT, policy).end).toEqual({ at: NOW, error: unknown })
  })

  it('ends after three responses in a row that break the protocol, and counts anew after any other failure', () => {
    expect(failedTimes(2, broken).end).toBeUndefined()
    expect(failedTimes(3, broken).end).toEqual({ at: NOW, error: broken })
    const between = failed(failedTimes(2, broken), NETWORK, AT, policy)
    expect(failedTimes(2, broken, between).end).toBeUndefined()
  })

  it('takes a task that was named and never shown for unknown after ten errors of the server', () => {
    const named = newTaskRecord({ ...TASK, createdAt: '', lastUpdatedAt: '' }, 'modern', NOW, NOW)
    const refused = new TaskRequestError('internal error', { kind: 'server', code: -32603 })
    expect(failedTimes(9, refused, named).end).toBeUndefined()
    expect(failedTimes(10, refused, named).end).toMatchObject({ error: expect.any(TaskExpiredError) })
    expect(failedTimes(20, refused).end).toBeUndefined()
    expect(failedTimes(20, NETWORK, named).end).toBeUndefined()
  })

  it('gives up after as many failures as the app allows', () => {
    const rules = { ...policy, maxAttempts: 3 }
    expect(failedTimes(2, NETWORK, RECORD, rules).end).toBeUndefined()
    expect(failedTimes(3, NETWORK, RECORD, rules).end).toMatchObject({ error: expect.any(TaskUnreachableError) })
  })

  it('does not give up for tokens that are refused, and gives up for none of the failures before', () => {
    const rules = { ...policy, maxAttempts: 3 }
    const paused = failedTimes(50, CREDENTIALS, failedTimes(2, NETWORK, RECORD, rules), rules)
    expect(paused.end).toBeUndefined()
    expect(paused.failure).toMatchObject({ network: 'paused', count: 52 })
    expect(paused.retryAt).toBe(NOW + policy.maxMs / 2)
    expect(failedTimes(2, NETWORK, paused, rules).end).toBeUndefined()
    expect(failedTimes(3, NETWORK, paused, rules).end).toMatchObject({
      error: { name: 'TaskUnreachableError', message: expect.stringContaining('in 3 polls in a row') },
    })
  })

  it('backs off while refused tokens and other failures take turns', () => {
    let known = RECORD
    for (let turn = 0; turn < 20; turn++) known = failedTimes(1, CREDENTIALS, failedTimes(1, NETWORK, known))
    expect(known.retryAt).toBe(NOW + policy.maxMs / 2)
  })

  describe('past the ttl', () => {
    const DAY = 24 * 60 * 60 * 1000
    const brief = { ...RECORD, earliestAt: NOW - 1000, task: { ...TASK, ttlMs: 4950 } }
    const internal = new TaskRequestError('internal error', { kind: 'server', code: -32603 })
    const sent = (askedAt: number, record = brief, error = NETWORK) => failed(record, error, { ...AT, askedAt }, policy)

    it('ends as expired where the server answers with an error, and not for a poll that was sent before', () => {
      expect(sent(NOW - 51, brief, internal).end).toBeUndefined()
      expect(sent(NOW - 50, brief, internal).lost).toEqual({ at: NOW, reason: 'ttl' })
    })

    it('waits a day for a word of the server', () => {
      const asked = { ...brief, retryAt: NOW + DAY - 1000 }
      expect(sent(NOW - 50 + DAY - 1, asked).end).toBeUndefined()
      expect(sent(NOW - 50 + DAY, asked).lost).toEqual({ at: NOW, reason: 'ttl' })
    })

    it('does not count the time by which a poll is late: the machine has slept', () => {
      const woken = sent(NOW + 3 * DAY)
      expect(woken.end).toBeUndefined()
      expect(woken.receivedAt).toBe(brief.receivedAt + 3 * DAY + 1000)
    })

    it.each([
      ['the backoff', NETWORK, 15_000],
      ['Retry-After', asked(200_000), 200_000],
    ])('puts the next poll off by %s all the same', (_, error, inMs) => {
      const long = { ...brief, failure: failureOf(20), retryAt: NOW + policy.maxMs }
      const next = failed(long, error, { ...AT, now: NOW + policy.maxMs, askedAt: NOW + policy.maxMs }, policy)
      expect(nextPoll(next, policy).at).toBe(NOW + policy.maxMs + inMs)
    })
  })

  it('changes no record that has its end', () => {
    const over = failed(RECORD, new TaskExpiredError('unknown-task'), AT, policy)
    expect(failed(over, NETWORK, AT, policy)).toBe(over)
  })
})

function failureOf(count: number): NonNullable<TaskRecord['failure']> {
  return { error: NETWORK, network: 'retrying', count, unreached: 0, violations: 0, refusals: 0 }
}

describe('the error that ends a task after failed polls', () => {
  it('names the task, and what it was caused by', () => {
    const named = { ...RECORD, snapshotAt: 0, task: { ...TASK, createdAt: '', lastUpdatedAt: '' } }
    const refused = new TaskRequestError('internal', { kind: 'server', code: -32603 })
    expect(failedTimes(10, refused, named).end).toMatchObject({
      error: { reason: 'unknown-task', taskId: 'task-secret-1', cause: { message: 'internal' } },
    })
    expect(failedTimes(2, NETWORK, RECORD, { ...policy, maxAttempts: 2 }).end).toMatchObject({
      error: { taskId: 'task-secret-1', cause: { message: 'no network' } },
    })
  })

  it.each<[string, Partial<TaskRecord>]>([
    ['has a snapshot', { snapshotAt: 5, task: { ...TASK, createdAt: '', lastUpdatedAt: '' } }],
    ['has the time of its creation', { snapshotAt: 0, task: { ...TASK, lastUpdatedAt: '' } }],
    ['has the time of its change', { snapshotAt: 0, task: { ...TASK, createdAt: '' } }],
  ])('is none after ten errors of the server where the task %s', (_, members) => {
    const refused = new TaskRequestError('internal', { kind: 'server', code: -32603 })
    expect(failedTimes(12, refused, { ...RECORD, ...members }).end).toBeUndefined()
  })

  it('keeps its words where they say more, or where the task was named by the app', () => {
    const created = { ...RECORD, snapshotAt: 0 }
    const more = new TaskExpiredError('unknown-task', { message: 'It went.' })
    expect(failed(created, more, AT, policy).end).toMatchObject({ error: { message: 'It went.' } })
    const unknown = new TaskExpiredError('unknown-task')
    const named = { ...created, task: { ...TASK, createdAt: '' } }
    expect(failed(named, unknown, AT, policy).end).toMatchObject({ error: { message: UNKNOWN_TASK } })
    const other = new TaskConfigurationError(UNKNOWN_TASK)
    expect(failed(created, other, AT, policy).end).toMatchObject({ error: other })
  })
})
