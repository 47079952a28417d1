import { describe, expect, it } from 'vitest'
import { TaskCancelledError, TaskExpiredError, TaskRequestError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { Task } from '../protocol/task.js'
import { type Call, type CallStage, settledBy } from './call.js'
import { type CallRecord, newTaskRecord, type TaskRecord } from './record.js'
import { show } from './show.js'

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
  startedAt: NOW,
  sent: 'once',
  progress: undefined,
  progressAt: 0,
  stage: { name: 'task' },
}
const RECORD = newTaskRecord(TASK, 'modern', NOW, NOW)
const BUSY = new TaskRequestError('busy', { kind: 'network' })
const FAILURE = { error: BUSY, network: 'retrying' as const, count: 3, violations: 0, refusals: 0 }
const QUESTION: InputRequest = { method: 'roots/list' }

const shown = (stage: CallStage, record?: TaskRecord, more: Partial<Call> = {}) =>
  show({ ...CALL, ...more, stage }, record)
const task = (changes: Partial<TaskRecord>) => shown({ name: 'task' }, { ...RECORD, ...changes })
const here = (changes: Partial<TaskRecord['here']>) => task({ here: { ...RECORD.here, ...changes } })
const calling = { name: 'calling' as const, inputs: new Map(), failure: undefined, isOffline: false }

describe('show', () => {
  it.each<[string, ReturnType<typeof show>, object]>([
    [
      'waits for its turn',
      shown({ name: 'waiting', for: 'lock', wish: 'call', isCancelling: false }),
      { phase: 'calling', network: 'ok' },
    ],
    [
      'waits offline',
      shown({ name: 'waiting', for: 'network', wish: 'call', isCancelling: false }),
      { phase: 'calling', network: 'offline' },
    ],
    ['is sent', shown(calling), { phase: 'calling', network: 'ok', failureCount: 0 }],
    [
      'is sent again',
      shown({ ...calling, failure: { error: BUSY, count: 2 } }),
      { phase: 'calling', network: 'retrying', failureCount: 2, lastError: BUSY },
    ],
    [
      'waits offline to be sent again',
      shown({ ...calling, failure: { error: BUSY, count: 2 }, isOffline: true }),
      { network: 'offline', failureCount: 2 },
    ],
    [
      'asks before there is a task',
      shown({ ...calling, inputs: new Map([['q', { request: QUESTION, status: 'open' as const }]]) }),
      { phase: 'input_required', inputRequests: { q: QUESTION } },
    ],
    ['has a task', task({}), { phase: 'working', task: TASK, network: 'ok', isCancelling: false }],
    ['has a task that asks', task({ task: { ...TASK, status: 'input_required' } }), { phase: 'input_required' }],
    ['cannot be polled', task({ failure: FAILURE }), { network: 'retrying', failureCount: 3, lastError: BUSY }],
    ['is not polled offline', here({ blocked: 'offline' }), { network: 'offline' }],
    ['is not polled while hidden', here({ blocked: 'paused' }), { network: 'paused' }],
    ['is being cancelled', here({ cancel: 'sending' }), { isCancelling: true, cancelStatus: 'sending' }],
    [
      'was asked to be cancelled, here or in another tab',
      task({ cancelling: { at: NOW, isWanted: true } }),
      { isCancelling: true, cancelStatus: 'requested' },
    ],
    ['could not be cancelled', here({ cancelError: BUSY }), { lastError: BUSY }],
    ['has ended, and its result is checked', shown({ name: 'ending' }, RECORD), { phase: 'working', task: TASK }],
  ])('a call that %s', (_, state, expected) => {
    expect(state).toMatchObject(expected)
  })

  it('lists the responses on their way, and no input request that is answered or handled', () => {
    const inputs = new Map([
      ['open', { request: QUESTION, status: 'open' as const }],
      ['sent', { request: QUESTION, status: 'sending' as const, isRetrying: true, error: BUSY }],
      ['answered', { request: QUESTION, status: 'answered' as const }],
      ['handled', { request: QUESTION, status: 'handling' as const }],
    ])
    const state = here({ inputs } as never)
    expect(Object.keys(state.inputRequests)).toEqual(['open', 'sent'])
    expect(state.inputResponses).toEqual({ sent: { status: 'sending', isRetrying: true, error: BUSY } })
  })

  it('takes a key that names what every object has for a key like any other', () => {
    const inputs = new Map([['__proto__', { request: QUESTION, status: 'open' as const }]])
    expect(Object.keys(here({ inputs } as never).inputRequests)).toEqual(['__proto__'])
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
    const record = (changes: Partial<TaskRecord>) => ({ task: { ...RECORD, ...changes } }) as CallRecord
    const over = { task: { ...TASK, status: 'completed' as const } }
    expect(shown({ name: 'recorded', record: record(over), endedAt: NOW })).toMatchObject({
      phase: 'ended',
      endedAt: NOW,
      task: over.task,
    })
    const lost = record({ lost: { at: NOW, reason: 'ttl' } })
    expect(shown({ name: 'recorded', record: lost, endedAt: NOW })).toMatchObject({
      phase: 'failed',
      error: expect.any(TaskExpiredError),
    })
  })

  it('keeps the reference of what is shown as it was, and of the members that are', () => {
    const inputs = new Map([['q', { request: QUESTION, status: 'open' as const }]])
    const record = { ...RECORD, here: { ...RECORD.here, inputs } } as TaskRecord
    const before = show({ ...CALL, stage: { name: 'task' } }, record)
    expect(show({ ...CALL, stage: { name: 'task' } }, { ...record, sentAt: NOW + 5 }, before)).toBe(before)
    const failing = show({ ...CALL, stage: { name: 'task' } }, { ...record, failure: FAILURE }, before)
    expect(failing).not.toBe(before)
    expect(failing.inputRequests).toBe(before.inputRequests)
    expect(failing.task).toBe(before.task)
  })
})
