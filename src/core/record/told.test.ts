import { describe, expect, it } from 'vitest'
import { RECORDED_CALL as CALL, NOW, RECORDED_TASK as TASK } from '../../../test/support/recordedCall.js'
import { TaskFailedError, TaskRequestError } from '../protocol/errors.js'
import { LONGEST_WAIT_MS } from '../time/policy.js'
import { VERSION } from './codec.js'
import { POLLING_MS } from './decide.js'
import { type CallRecord, newTaskRecord, type TaskRecord } from './record.js'
import { readOutcome, readToldRecord, tellCallRecord } from './told.js'

describe('a record that is told to another tab', () => {
  const through = (record: CallRecord) =>
    readToldRecord({ ...structuredClone(tellCallRecord(record)), v: VERSION }, NOW)?.task

  it('has what the server says and how the last poll failed', () => {
    const error = new TaskRequestError('HTTP 503', { kind: 'http', status: 503 })
    const failure = { error, network: 'retrying' as const, count: 2, unreached: 1, violations: 1, refusals: 0 }
    const task = {
      ...newTaskRecord({ ...TASK, statusMessage: 'Half' }, 'modern', NOW, 0),
      failure,
      retryAt: NOW + 5,
      idlePolls: 2,
    }
    const read = through({ ...CALL, task })
    expect(read).toMatchObject({ task: { statusMessage: 'Half' }, retryAt: NOW + 5, idlePolls: 2 })
    expect(read?.failure).toMatchObject({ network: 'retrying', count: 2, unreached: 1, violations: 1, refusals: 0 })
    expect(read?.failure?.error).toBeInstanceOf(TaskRequestError)
  })

  it('counts all failures of a tab of an earlier version as such that did not reach the server', () => {
    const error = new TaskRequestError('HTTP 503', { kind: 'http', status: 503 })
    const failure = { error, network: 'retrying' as const, count: 2, unreached: 1, violations: 0, refusals: 0 }
    const told = tellCallRecord({ ...CALL, task: { ...newTaskRecord(TASK, 'modern', NOW, 0), failure } })
    const body = JSON.parse(JSON.stringify(told))
    delete body.task.failure.unreached
    expect(readToldRecord(body, NOW)?.task?.failure).toMatchObject({ count: 2, unreached: 2 })
  })

  it('has the end, by its result or by its error', () => {
    const done = { ...TASK, status: 'completed' as const, result: { content: [] } }
    const ended = { ...newTaskRecord({ ...TASK, status: 'completed' }, 'modern', NOW, 0), end: { at: NOW, task: done } }
    expect(through({ ...CALL, task: ended })?.end).toEqual({ at: NOW, task: done })
    const error = new TaskFailedError({ code: -1, message: 'broken' }, { taskId: 'task-secret-1' })
    const failed = { ...newTaskRecord(TASK, 'modern', NOW, 0), end: { at: NOW, error } }
    expect(through({ ...CALL, task: failed })?.end).toMatchObject({ at: NOW, error: { message: 'broken' } })
  })

  it('has what the task asks, also where another tab has given it up', () => {
    const inputRequests = { sure: { method: 'roots/list' as const } }
    const asking = { ...newTaskRecord({ ...TASK, status: 'input_required' as const }, 'modern', NOW, 0), inputRequests }
    expect(through({ ...CALL, task: asking })).toMatchObject({ inputRequests, end: undefined })
    const error = new TaskFailedError({ code: -1, message: 'broken' })
    expect(through({ ...CALL, task: { ...asking, end: { at: NOW, error } } })).toMatchObject({
      inputRequests,
      end: { at: NOW, error: { message: 'broken' } },
    })
  })

  it('has an error of the app by its name and its words, and a failure that waits for credentials', () => {
    const failure = {
      error: new RangeError('out of it'),
      network: 'paused' as const,
      count: 1,
      unreached: 0,
      violations: 0,
      refusals: 3,
    }
    const read = through({ ...CALL, task: { ...newTaskRecord(TASK, 'modern', NOW, 0), failure } })
    expect(read?.failure).toMatchObject({ network: 'paused', refusals: 3, error: { message: 'out of it' } })
    expect(tellCallRecord({ ...CALL, task: { ...newTaskRecord(TASK, 'modern', NOW, 0), failure } })).toMatchObject({
      task: { failure: { error: { name: 'RangeError', message: 'out of it' } } },
    })
  })

  it('asks nothing where it was kept while the task asked, and has not been seen since', () => {
    const { task, ...body } = tellCallRecord({
      ...CALL,
      task: newTaskRecord({ ...TASK, status: 'input_required' }, 'modern', NOW, 0),
    })
    const { inputRequests, ...kept } = task as { inputRequests: object }
    expect(inputRequests).toEqual({})
    expect(readToldRecord({ ...body, v: VERSION, task: kept }, NOW)?.task).toMatchObject({
      task: { status: 'input_required' },
      inputRequests: {},
    })
  })

  it.each([-1, 0.5, '2', undefined])('counts no idle polls where it says %j', (idlePolls) => {
    const { task, ...body } = tellCallRecord({ ...CALL, task: newTaskRecord(TASK, 'modern', NOW, 0) })
    const told = { ...body, v: VERSION, task: { ...(task as object), idlePolls } }
    expect(readToldRecord(told, NOW)?.task?.idlePolls).toBe(0)
  })

  it.each(['completed', 'failed'] as const)(
    'is %s without an end where it was created so, and nobody has asked yet',
    (status) => {
      const born = newTaskRecord({ ...TASK, status }, 'modern', NOW, NOW)
      expect(through({ ...CALL, task: born })).toMatchObject({ task: { status }, end: undefined })
      // The poll that asks for its outcome can end it, too.
      const error = new TaskFailedError({ code: -1, message: 'broken' })
      expect(through({ ...CALL, task: { ...born, end: { at: NOW, error } } })).toMatchObject({
        task: { status },
        end: { at: NOW, error: { message: 'broken' } },
      })
    },
  )

  it('has no end where it has an error without a time', () => {
    const { task, ...body } = tellCallRecord({ ...CALL, task: newTaskRecord(TASK, 'modern', NOW, 0) })
    const told = { ...body, v: VERSION, task: { ...(task as object), endError: { message: 'no' } } }
    expect(readToldRecord(told, NOW)?.task?.end).toBeUndefined()
  })

  it.each([
    ['an end without its time', { endedAt: 'today', status: 'cancelled' }, undefined],
    ['a time of its end while it works', { endedAt: NOW }, undefined],
  ])('has no end where it says %s', (_, members, end) => {
    const { task, ...body } = tellCallRecord({ ...CALL, task: newTaskRecord(TASK, 'modern', NOW, 0) })
    const read = readToldRecord({ ...body, v: VERSION, task: { ...(task as object), ...members } }, NOW)
    expect(read?.task).toMatchObject({ end })
  })

  it.each([
    ['completed', {}],
    ['completed', { result: {} }],
    ['input_required', { inputRequests: { sure: { method: 'unknown' } } }],
  ])('is nothing where it is %s with %j', (status, members) => {
    const { task, ...body } = tellCallRecord({ ...CALL, task: newTaskRecord(TASK, 'modern', NOW, 0) })
    const told = { ...(task as object), endedAt: NOW, status, ...members }
    expect(readToldRecord({ ...body, v: VERSION, task: told }, NOW)).toBeUndefined()
  })

  it('is nothing where its failure makes no sense', () => {
    const body = { ...tellCallRecord({ ...CALL, task: newTaskRecord(TASK, 'modern', NOW, 0) }), v: VERSION }
    const { task } = body as unknown as { task: object }
    const failure = { network: 'retrying', count: 1, unreached: 0, violations: 0, refusals: 0, error: {} }
    expect(readToldRecord({ ...body, task: { ...task, failure } }, NOW)).toBeDefined()
    for (const change of [
      { network: 'fine' },
      { count: -1 },
      { unreached: -1 },
      { violations: '1' },
      { refusals: 0.5 },
    ])
      expect(readToldRecord({ ...body, task: { ...task, failure: { ...failure, ...change } } }, NOW)).toBeUndefined()
    expect(readToldRecord({ ...body, task: { ...task, failure: 'a text' } }, NOW)).toBeUndefined()
  })
})

describe('a record of a clock that was ahead, told by another tab', () => {
  it('is believed no time further ahead than a server may ask for', () => {
    const far = NOW + 100 * LONGEST_WAIT_MS
    const task: TaskRecord = {
      ...newTaskRecord(TASK, 'modern', NOW, far),
      ...{ retryAt: far, quietUntil: far, pollingUntil: far, sentAt: far, snapshotAt: far },
    }
    const told = { ...tellCallRecord({ ...CALL, task }), v: VERSION }
    expect(readToldRecord(told, NOW)?.task).toMatchObject({
      earliestAt: NOW + LONGEST_WAIT_MS,
      retryAt: NOW + LONGEST_WAIT_MS,
      quietUntil: NOW + LONGEST_WAIT_MS,
      pollingUntil: NOW + POLLING_MS,
      sentAt: NOW,
      snapshotAt: NOW,
    })
  })
})

describe('the outcome of a call that became no task', () => {
  it('is its result or its error', () => {
    expect(readOutcome({ result: { content: [] } })).toEqual({ result: { content: [] } })
    const error = new TaskFailedError({ code: 5, message: 'no' })
    const told = tellCallRecord(CALL, { error })
    expect(readOutcome(told['outcome'])).toMatchObject({ error: { name: 'TaskFailedError', message: 'no' } })
    expect(tellCallRecord(CALL, { result: { content: [] } })).toMatchObject({ outcome: { result: { content: [] } } })
    expect(tellCallRecord(CALL)['outcome']).toBeUndefined()
    expect(readOutcome({ error: error.toJSON() })).toMatchObject({ error: { name: 'TaskFailedError', message: 'no' } })
  })

  it.each([undefined, null, 'text', {}, { result: 'none' }])('is nothing where it is %j', (value) => {
    expect(readOutcome(value)).toBeUndefined()
  })
})
