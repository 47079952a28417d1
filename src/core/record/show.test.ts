import { describe, expect, it } from 'vitest'
import { TaskCancelledError, TaskExpiredError, TaskRequestError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { Task } from '../protocol/task.js'
import { type Call, type CallStage, settledBy } from './call.js'
import { type CallRecord, newTaskRecord, type TaskRecord } from './record.js'
import { isSame, isShownAlike, show } from './show.js'

const NOW = 100_000
const TASK: Task = {
  taskId: 't',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
}
const CALL: Call = {
  callId: 'c',
  name: 'report',
  key: undefined,
  arguments: { quarter: 'Q3' },
  argumentsHash: undefined,
  meta: undefined,
  keepResult: undefined,
  startedFor: undefined,
  startedAt: NOW,
  sent: 'once',
  progress: undefined,
  progressAt: 0,
  stage: { name: 'task' },
}
const RECORD = newTaskRecord(TASK, 'modern', NOW, NOW)
const BUSY = new TaskRequestError('busy', { kind: 'network' })
const FAILURE = { error: BUSY, network: 'retrying' as const, count: 3, unreached: 0, violations: 0, refusals: 0 }
const QUESTION: InputRequest = { method: 'roots/list' }

const shown = (stage: CallStage, record?: TaskRecord, more: Partial<Call> = {}) =>
  show({ ...CALL, ...more, stage }, record)
const task = (changes: Partial<TaskRecord>) => shown({ name: 'task' }, { ...RECORD, ...changes })
const here = (changes: Partial<TaskRecord['here']>) => task({ here: { ...RECORD.here, ...changes } })
const calling = {
  name: 'calling' as const,
  inputs: new Map(),
  failure: undefined,
  isOffline: false,
  isCancelling: false,
}
const OPEN = { request: QUESTION, status: 'open' as const }
const asking = (key: string, request = QUESTION): TaskRecord => ({
  ...RECORD,
  here: { ...RECORD.here, inputs: new Map([[key, { ...OPEN, request }]]) },
})
/** A call of an earlier visit, as its record is. */
const recorded = (changes: Partial<CallRecord>) =>
  shown({ name: 'recorded', record: changes as CallRecord, endedAt: NOW })
const LOST = { task: { ...RECORD, lost: { at: NOW, reason: 'ttl' as const } } }

describe('show', () => {
  it.each<[string, () => ReturnType<typeof show>, object]>([
    [
      'waits for its turn',
      () => shown({ name: 'waiting', for: 'lock', wish: 'call', isCancelling: false }),
      { phase: 'calling', network: 'ok' },
    ],
    [
      'waits offline',
      () => shown({ name: 'waiting', for: 'network', wish: 'call', isCancelling: false }),
      { phase: 'calling', network: 'offline' },
    ],
    ['is sent', () => shown(calling), { phase: 'calling', network: 'ok', failureCount: 0 }],
    [
      'is sent again',
      () => shown({ ...calling, failure: { error: BUSY, count: 2 } }),
      { phase: 'calling', network: 'retrying', failureCount: 2, lastError: BUSY },
    ],
    [
      'waits offline to be sent again',
      () => shown({ ...calling, failure: { error: BUSY, count: 2 }, isOffline: true }),
      { network: 'offline', failureCount: 2 },
    ],
    [
      'asks before there is a task',
      () => shown({ ...calling, inputs: new Map([['q', OPEN]]) }),
      { phase: 'input_required', inputRequests: { q: QUESTION } },
    ],
    ['has a task', () => task({}), { phase: 'working', task: TASK, network: 'ok', isCancelling: false }],
    ['has a task that asks', () => task({ task: { ...TASK, status: 'input_required' } }), { phase: 'input_required' }],
    ['cannot be polled', () => task({ failure: FAILURE }), { network: 'retrying', failureCount: 3, lastError: BUSY }],
    ['is not polled offline', () => here({ blocked: 'offline' }), { network: 'offline' }],
    ['is not polled while hidden', () => here({ blocked: 'paused' }), { network: 'paused' }],
    ['is being cancelled', () => here({ cancel: 'sending' }), { isCancelling: true, cancelStatus: 'sending' }],
    [
      'is being cancelled by another tab',
      () => task({ cancelling: { at: NOW, isWanted: true, isTaken: false } }),
      { isCancelling: true, cancelStatus: 'sending' },
    ],
    [
      'the server was asked to cancel, here or in another tab',
      () => task({ cancelling: { at: NOW, isWanted: true, isTaken: true } }),
      { isCancelling: true, cancelStatus: 'requested' },
    ],
    ['could not be cancelled', () => here({ cancelError: BUSY }), { lastError: BUSY }],
    ['has ended, and its result is checked', () => shown({ name: 'ending' }, RECORD), { phase: 'working', task: TASK }],
  ])('a call that %s', (_, state, expected) => {
    expect(state()).toMatchObject(expected)
  })

  it('asks nobody where a handler responds before there is a task', () => {
    const inputs = new Map([['q', { request: QUESTION, status: 'handling' as const }]])
    expect(shown({ ...calling, inputs })).toMatchObject({ phase: 'calling', inputRequests: {} })
  })

  it('lists the responses on their way, and no input request that is answered or handled', () => {
    const inputs = new Map<string, object>([
      ['open', OPEN],
      ['sent', { request: QUESTION, status: 'sending' as const, isRetrying: true, error: BUSY }],
      ['answered', { request: QUESTION, status: 'answered' as const }],
      ['handled', { request: QUESTION, status: 'handling' as const }],
    ])
    const state = here({ inputs } as never)
    expect(Object.keys(state.inputRequests)).toEqual(['open', 'sent'])
    expect(state.inputResponses).toEqual({ sent: { status: 'sending', isRetrying: true, error: BUSY } })
  })

  it('takes a key that names what every object has for a key like any other', () => {
    expect(Object.keys(show(CALL, asking('__proto__')).inputRequests)).toEqual(['__proto__'])
  })

  it('takes the progress of the snapshot before that of a notification', () => {
    const notified = { progress: { progress: 1, total: 4 } }
    expect(shown({ name: 'task' }, RECORD, notified).progress).toEqual({ progress: 1, total: 4 })
    const record = { ...RECORD, task: { ...TASK, progress: { progress: 3, total: 4 } } }
    expect(shown({ name: 'task' }, record, notified).progress).toEqual({ progress: 3, total: 4 })
  })

  it('shows the outcome, and nothing of what was under way', () => {
    const result = { content: [] }
    const done = shown(settledBy({ result }, NOW + 5, TASK))
    expect(done).toEqual({
      phase: 'completed',
      result,
      endedAt: NOW + 5,
      task: TASK,
      callId: 'c',
      name: 'report',
      arguments: { quarter: 'Q3' },
      startedAt: NOW,
      inputRequests: {},
      inputResponses: {},
      isCancelling: false,
      network: 'ok',
      failureCount: 0,
    })
    expect(shown(settledBy({ error: BUSY }, NOW))).toMatchObject({ phase: 'failed', error: BUSY })
    const cancelled = new TaskCancelledError()
    expect(shown(settledBy({ error: cancelled }, NOW))).toMatchObject({ phase: 'cancelled', error: cancelled })
  })

  it('shows a call of an earlier visit as ended, or as failed where the server had lost its task', () => {
    const over = { ...TASK, status: 'completed' as const }
    expect(recorded({ task: { ...RECORD, task: over } })).toMatchObject({ phase: 'ended', endedAt: NOW, task: over })
    expect(recorded(LOST)).toMatchObject({ phase: 'failed', error: expect.any(TaskExpiredError) })
  })

  it('keeps the reference of what is shown as it was, and of the members that are', () => {
    const record = asking('q')
    const before = show(CALL, record)
    expect(show(CALL, { ...record, sentAt: NOW + 5 }, before)).toBe(before)
    const failing = show(CALL, { ...record, failure: FAILURE }, before)
    expect(failing).not.toBe(before)
    expect(failing.inputRequests).toBe(before.inputRequests)
    expect(failing.task).toBe(before.task)
  })
})

describe('what is shown', () => {
  const QUIET = {
    callId: 'c',
    name: 'report',
    arguments: { quarter: 'Q3' },
    startedAt: NOW,
    inputRequests: {},
    inputResponses: {},
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
  }

  it('has the members alone that there is something to say of', () => {
    expect(shown(calling)).toStrictEqual({ phase: 'calling', ...QUIET })
    expect(task({})).toStrictEqual({ phase: 'working', ...QUIET, task: TASK })
    expect(shown({ name: 'ending' }, RECORD)).toStrictEqual({ phase: 'working', ...QUIET, task: TASK })
    const { arguments: _, ...rest } = QUIET
    const more = { arguments: undefined, key: 'k', meta: { title: 'Q3' }, progress: { progress: 1 } }
    expect(shown(calling, undefined, more)).toStrictEqual({
      phase: 'calling',
      ...rest,
      key: 'k',
      meta: { title: 'Q3' },
      progress: { progress: 1 },
    })
  })

  it('is working while its end is being delivered, also where it has asked, and with the last snapshot that was shown', () => {
    const before = task({ task: { ...TASK, status: 'input_required' } })
    const over = { ...RECORD, task: { ...TASK, status: 'completed' as const, statusMessage: 'Done' } }
    expect(show({ ...CALL, stage: { name: 'ending' } }, over, before)).toMatchObject({
      phase: 'input_required',
      task: { status: 'input_required' },
    })
    expect(shown({ name: 'ending' }, over)).toMatchObject({ phase: 'working', task: { statusMessage: 'Done' } })
    expect(shown({ name: 'task' }, over)).toMatchObject({ phase: 'working' })
  })

  it.each(['task', 'ending'] as const)('keeps the progress that was shown until its end is delivered (%s)', (name) => {
    const before = task({ task: { ...TASK, progress: { progress: 3, total: 4, message: 'Adding up Europe' } } })
    const over = { ...RECORD, task: { ...TASK, status: 'completed' as const } }
    expect(show({ ...CALL, stage: { name } }, over, before).progress).toBe(before.progress)
    const told = { ...over, task: { ...over.task, progress: { progress: 4, total: 4 } } }
    expect(show({ ...CALL, stage: { name } }, told, before).progress).toEqual({ progress: 4, total: 4 })
  })

  it('of a call that is left is what was shown before', () => {
    const before = task({ failure: FAILURE })
    const left = { ...CALL, stage: { name: 'left' as const, reason: BUSY } }
    expect(show(left, undefined, before)).toBe(before)
    expect(show(left, undefined)).toMatchObject({ phase: 'calling' })
    expect(show(left, { ...RECORD, failure: FAILURE })).toMatchObject({ phase: 'working', network: 'ok' })
  })

  it('of a response without an error has none', () => {
    const inputs = new Map([['sent', { request: QUESTION, status: 'sending' as const }]])
    expect(here({ inputs }).inputResponses).toStrictEqual({ sent: { status: 'sending', isRetrying: false } })
  })

  it('names in a lost call of an earlier visit why, the task and the call', () => {
    expect(recorded(LOST).error).toMatchObject({ reason: 'ttl', taskId: 't', callId: 'c' })
    expect(recorded({ task: undefined })).toStrictEqual({ phase: 'ended', ...QUIET, endedAt: NOW })
  })

  it('keeps lists where they are the same, and takes others of as many for others', () => {
    const before = show(CALL, asking('a'))
    expect(Object.keys(show(CALL, asking('b'), before).inputRequests)).toEqual(['b'])
    expect(show(CALL, asking('a', { method: 'roots/list' }), before)).not.toBe(before)
    expect(show(CALL, asking('a'), before)).toBe(before)
    expect(show(CALL, RECORD, before).inputRequests).toEqual({})
    expect(show(CALL, asking('a'), show(CALL, RECORD)).inputRequests).toEqual({ a: QUESTION })
  })

  it('prefers why a cancellation failed to why a poll did', () => {
    const other = new TaskRequestError('other', { kind: 'network' })
    expect(task({ failure: FAILURE, here: { ...RECORD.here, cancelError: other } }).lastError).toBe(other)
  })
})

it.each<[string, Partial<TaskRecord>, boolean]>([
  ['when it is polled next', { sentAt: 5, earliestAt: 5, retryAt: 5, quietUntil: 5, notedAt: 5 }, true],
  ['its task', { task: { ...TASK } }, false],
  ['what this page does for it', { here: { ...RECORD.here } }, false],
  ['its failure', { failure: FAILURE }, false],
  ['whether it is cancelled', { cancelling: { at: 1, isWanted: true, isTaken: false } }, false],
  ['its end', { end: { at: 1, error: BUSY } }, false],
])('two records that differ in %s are shown alike: %s', (_, changes, isAlike) => {
  expect(isShownAlike(RECORD, { ...RECORD, ...changes })).toBe(isAlike)
})

it('two objects are the same where each member is', () => {
  expect(isSame({ a: 1 }, { a: 1 })).toBe(true)
  expect(isSame<object>({ a: 1 }, { a: 1, b: 2 })).toBe(false)
  expect(isSame<object>({ a: 1, b: 2 }, { a: 1 })).toBe(false)
  expect(isSame({ a: {} }, { a: {} })).toBe(false)
})
