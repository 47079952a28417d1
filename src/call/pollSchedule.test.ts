import { describe, expect, it } from 'vitest'
import {
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
  TaskUnreachableError,
} from '../protocol/errors.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'
import {
  countRefusals,
  firstRefusals,
  nextPollAt,
  type PollResult,
  type PollState,
  pollMessage,
  withinTtl,
} from './pollSchedule.js'

const NOW = 1_000_000
const policy = DEFAULT_POLL_POLICY
const TASK: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:10Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}
const STATE: PollState = {
  task: TASK,
  knownAt: NOW,
  receivedAt: NOW,
  dueAt: NOW,
  earliestAt: NOW,
  failureCount: 0,
  violations: 0,
  refusals: undefined,
  passedOver: undefined,
}
const working = (changes: Partial<Task> = {}): DetailedTask => ({ ...TASK, ...changes, status: 'working' })
const completed: DetailedTask = { ...TASK, status: 'completed', result: { content: [] } }

function poll(response: PollResult['response'], state: Partial<PollState> = {}, result: Partial<PollResult> = {}) {
  return pollMessage(
    { ...STATE, ...state },
    { response, startedAt: NOW, now: NOW, era: 'modern', policy, isPushed: false, jitter: 0.5, ...result },
  )
}

describe('nextPollAt', () => {
  it.each([
    ['one interval after the last snapshot', {}, false, 1000],
    ['the default interval where the server gives none', { pollIntervalMs: undefined }, false, 1000],
    ['the safety interval while the server pushes', {}, true, 30_000],
    [
      'the interval of the server where that is longer than the safety interval',
      { pollIntervalMs: 40_000 },
      true,
      40_000,
    ],
    ['the longest backoff past the ttl at most', { pollIntervalMs: 1e12, ttlMs: 60_000 }, false, 90_000],
  ])('is %s', (_, changes, isPushed, expected) => {
    const { pollIntervalMs, ...rest } = { ...TASK, ...changes }
    const task = pollIntervalMs === undefined ? rest : { ...rest, pollIntervalMs }
    expect(nextPollAt({ task, knownAt: NOW, receivedAt: NOW }, policy, isPushed)).toBe(NOW + expected)
  })
})

describe('withinTtl', () => {
  it('bounds a time by the ttl and the longest backoff, and by nothing where there is no ttl', () => {
    expect(withinTtl({ ...TASK, ttlMs: 1000 }, NOW, policy, NOW + 500)).toBe(NOW + 500)
    expect(withinTtl({ ...TASK, ttlMs: 1000 }, NOW, policy, NOW + 1e9)).toBe(NOW + 31_000)
    expect(withinTtl(TASK, NOW, policy, NOW + 1e9)).toBe(NOW + 1e9)
  })
})

describe('firstRefusals', () => {
  it.each([
    ['no time, as a task that only the app has named', '', '', 0],
    ['a time of its creation', TASK.createdAt, '', undefined],
    ['a time of its last change', '', TASK.lastUpdatedAt, undefined],
    ['both times', TASK.createdAt, TASK.lastUpdatedAt, undefined],
  ])('of a task with %s', (_, createdAt, lastUpdatedAt, expected) => {
    expect(firstRefusals({ ...TASK, createdAt, lastUpdatedAt })).toBe(expected)
  })
})

describe('pollMessage', () => {
  it('is the snapshot, with the next poll an interval of that snapshot later', () => {
    const task = working({ pollIntervalMs: 3000 })
    expect(poll({ task })).toEqual({ type: 'snapshot', task, nextPollAt: NOW + 3000, askedAt: NOW })
    expect(poll({ task }, {}, { isPushed: true })).toMatchObject({ nextPollAt: NOW + 30_000 })
  })

  it('counts the interval from the response', () => {
    expect(poll({ task: working() }, {}, { startedAt: NOW - 700 })).toMatchObject({ nextPollAt: NOW + 1000 })
  })

  describe('past the ttl', () => {
    const past: Partial<PollState> = { task: { ...TASK, ttlMs: 5000 }, receivedAt: NOW - 5000 }

    it('is the end where the task is not finished', () => {
      expect(poll({ task: working({ ttlMs: 5000 }) }, past)).toMatchObject({
        type: 'ended',
        error: { name: 'TaskExpiredError', reason: 'ttl', taskId: 't1' },
      })
    })

    it('is the snapshot where the task is finished, or its ttl has been prolonged', () => {
      expect(poll({ task: completed }, past)).toMatchObject({ type: 'snapshot' })
      expect(poll({ task: working({ ttlMs: 60_000 }) }, past)).toMatchObject({ type: 'snapshot' })
      expect(poll({ task: working({ ttlMs: null }) }, past)).toMatchObject({ type: 'snapshot' })
    })

    it('is the snapshot where the poll began before: it does not decide', () => {
      const message = poll({ task: working({ ttlMs: 5000 }) }, past, { startedAt: NOW - 1 })
      expect(message).toMatchObject({ type: 'snapshot' })
    })

    it('is the end where the poll failed, with the failure as cause', () => {
      const cause = new TaskRequestError('down', { kind: 'network' })
      const message = poll({ error: cause }, past)
      expect(message).toMatchObject({ type: 'ended', error: { reason: 'ttl' } })
      expect(message).toMatchObject({ error: { cause } })
    })
  })

  describe('of a failure', () => {
    const down = new TaskRequestError('down', { kind: 'network' })
    const bad = new TaskProtocolError('nonsense', { source: 'tasks/get' })

    it.each([
      ['the interval, where the backoff is shorter', down, 0, { earliest: 1000, next: 1000 }],
      ['the backoff, where the interval is shorter', down, 5, { earliest: 1000, next: 8000 }],
      [
        'Retry-After, where that is the longest',
        new TaskRequestError('busy', { kind: 'http', retryAfterMs: 20_000 }),
        5,
        { earliest: 20_000, next: 20_000 },
      ],
      [
        'the interval, where Retry-After is shorter',
        new TaskRequestError('busy', { kind: 'http', retryAfterMs: 10 }),
        0,
        { earliest: 1000, next: 1000 },
      ],
      ['the longest backoff at most', down, 50, { earliest: 1000, next: 15_000 }],
    ])('waits for %s', (_, error, failureCount, { earliest, next }) => {
      expect(poll({ error }, { failureCount })).toEqual({
        type: 'poll-failed',
        error,
        failureCount: failureCount + 1,
        network: 'retrying',
        earliestAt: NOW + earliest,
        nextPollAt: NOW + next,
      })
    })

    it('waits for no longer than the ttl and the longest backoff', () => {
      const error = new TaskRequestError('busy', { kind: 'http', retryAfterMs: 1e12 })
      const message = poll({ error }, { task: { ...TASK, ttlMs: 60_000 } })
      expect(message).toMatchObject({ earliestAt: NOW + 90_000, nextPollAt: NOW + 90_000 })
    })

    it('pauses where credentials are missing', () => {
      expect(poll({ error: new TaskRequestError('who?', { kind: 'auth' }) })).toMatchObject({ network: 'paused' })
    })

    it.each([
      ['the server does not know the task', new TaskExpiredError('unknown-task')],
      ['the server does not serve tasks', new TasksUnsupportedError('no', { code: -32601 })],
      ['this page is set up in a way that cannot work', new TaskConfigurationError('not connected')],
    ])('is the end at once where %s', (_, error) => {
      expect(poll({ error })).toEqual({ type: 'ended', error })
    })

    it('is the end with the third response in a row that breaks the protocol', () => {
      expect(poll({ error: bad }, { failureCount: 1, violations: 1 })).toMatchObject({ type: 'poll-failed' })
      expect(poll({ error: bad }, { failureCount: 2, violations: 2 })).toEqual({ type: 'ended', error: bad })
      expect(poll({ error: down }, { failureCount: 2, violations: 2 })).toMatchObject({ type: 'poll-failed' })
    })

    it('is the end with the tenth JSON-RPC error in the place of a task that the server has never shown', () => {
      const refusal = new TaskRequestError('no', { kind: 'server', code: -32603 })
      expect(poll({ error: refusal }, { refusals: 8 })).toMatchObject({ type: 'poll-failed' })
      expect(poll({ error: refusal }, { refusals: 9 })).toMatchObject({
        type: 'ended',
        error: { name: 'TaskExpiredError', reason: 'unknown-task', cause: refusal },
      })
      expect(poll({ error: down }, { refusals: 9 })).toMatchObject({ type: 'poll-failed' })
      expect(poll({ error: refusal }, { refusals: undefined, failureCount: 99 })).toMatchObject({ type: 'poll-failed' })
    })

    it('is the end after maxAttempts, with the failure as cause', () => {
      const limited = { policy: { ...policy, maxAttempts: 3 } }
      expect(poll({ error: down }, { failureCount: 1 }, limited)).toMatchObject({ type: 'poll-failed' })
      const message = poll({ error: down }, { failureCount: 2 }, limited)
      expect(message).toMatchObject({ type: 'ended', error: { taskId: 't1', cause: down } })
      expect(message.type === 'ended' && message.error).toBeInstanceOf(TaskUnreachableError)
    })
  })
})

describe('the refusals', () => {
  const refusal = new TaskRequestError('no', { kind: 'server', code: -32603 })

  it('are counted for a task that the app has named, from its first poll on', () => {
    expect(firstRefusals({ ...TASK, createdAt: '', lastUpdatedAt: '' })).toBe(0)
    expect(firstRefusals(TASK)).toBeUndefined()
    expect(countRefusals({ refusals: 0 }, refusal)).toBe(1)
    expect(countRefusals({ refusals: 3 }, new TaskRequestError('down', { kind: 'network' }))).toBe(3)
    expect(countRefusals({ refusals: undefined }, refusal)).toBeUndefined()
  })
})
