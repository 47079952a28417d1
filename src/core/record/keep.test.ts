import { describe, expect, it } from 'vitest'
import { RECORDED_CALL as CALL, NOW } from '../../../test/support/recordedCall.js'
import type { Task } from '../protocol/task.js'
import { decodeCallRecord, encodeCallRecord } from './codec.js'
import { heldRecord, isHeldRecord, isNewerRecord, isProlonged, isRecordExpired, isSameStart } from './keep.js'
import { type CallRecord, newTaskRecord, type TaskRecord } from './record.js'

const DAY = 24 * 60 * 60 * 1000
const WEEK = 7 * DAY
const TASK: Task = {
  taskId: 'task-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
}
const taskOf = (task: Partial<Task>, changes: Partial<TaskRecord> = {}): TaskRecord => ({
  ...newTaskRecord({ ...TASK, ...task }, 'modern', NOW, NOW),
  ...changes,
})
const inSession = (task: Partial<Task> = {}, changes: Partial<TaskRecord> = {}) =>
  taskOf({ taskId: 'session:s-1 task-1', ...task }, { era: 'legacy', ...changes })

describe('whether the ttl of a task was prolonged', () => {
  const end = { at: NOW, error: new Error('lost') }
  it.each<[string, TaskRecord, TaskRecord, boolean]>([
    ['by a longer one', taskOf({ ttlMs: 6000 }), taskOf({ ttlMs: 5000 }), true],
    ['by none', taskOf({ ttlMs: null }), taskOf({ ttlMs: 5000 }), true],
    ['not by the same', taskOf({ ttlMs: 5000 }), taskOf({ ttlMs: 5000 }), false],
    ['not by a shorter one', taskOf({ ttlMs: 4000 }), taskOf({ ttlMs: 5000 }), false],
    ['not where there was none', taskOf({ ttlMs: 6000 }), taskOf({ ttlMs: null }), false],
    ['not where the task has ended', taskOf({ ttlMs: 6000 }, { end }), taskOf({ ttlMs: 5000 }), false],
  ])('%s', (_, record, before, expected) => {
    expect(isProlonged(record, before)).toBe(expected)
  })
})

describe('how long a record is kept', () => {
  it.each<[string, Partial<CallRecord>, number]>([
    ['a call without a response', {}, WEEK],
    ['one that other tabs hold', { held: 'working' }, DAY],
    ['a running task with a ttl', { task: taskOf({ ttlMs: 5000 }) }, 5000 + DAY],
    ['an ended task with a ttl', { task: taskOf({ status: 'completed', ttlMs: 5000 }) }, 5000],
    [
      'an ended task with a ttl whose result is kept',
      { task: taskOf({ status: 'completed', ttlMs: 5000 }), keepResult: 5 },
      WEEK,
    ],
    [
      'a running task with a ttl whose result is to be kept',
      { task: taskOf({ ttlMs: 5000 }), keepResult: 5 },
      5000 + DAY,
    ],
    ['an ended task without a ttl', { task: taskOf({ status: 'failed' }) }, WEEK],
    [
      'one that ended after two days',
      { task: taskOf({ status: 'failed' }, { snapshotAt: NOW + 2 * DAY }) },
      2 * DAY + WEEK,
    ],
    ['a lost task', { task: taskOf({ ttlMs: 5 }, { lost: { at: NOW + DAY, reason: 'ttl' } }) }, DAY + WEEK],
    [
      'one that ended before it was lost',
      { task: taskOf({ status: 'completed' }, { lost: { at: NOW + DAY, reason: 'ttl' } }) },
      WEEK,
    ],
    ['a running task whose id names a session', { task: inSession() }, DAY],
    ['a task of long ago whose id names a session', { task: inSession({}, { receivedAt: NOW + DAY }) }, 2 * DAY],
  ])('%s', (_, members, forMs) => {
    const record = { ...CALL, ...members }
    expect(isRecordExpired(record, NOW + forMs - 1)).toBe(false)
    expect(isRecordExpired(record, NOW + forMs)).toBe(true)
  })

  it('has no end for a task that runs without a ttl', () => {
    expect(isRecordExpired({ ...CALL, task: taskOf({}) }, NOW + 1000 * WEEK)).toBe(false)
    // Of 2026-07-28, an id that looks like one is an id like any other.
    const task = inSession({}, { era: 'modern' })
    expect(isRecordExpired({ ...CALL, task }, NOW + 1000 * WEEK)).toBe(false)
  })
})

describe('a record whose task id names a session', () => {
  it.each<[Task['status'], string]>([
    ['working', 'working'],
    ['completed', 'ended'],
  ])('is held, without its task, as one that is %s: %s', (status, held) => {
    const text = heldRecord(encodeCallRecord({ ...CALL, task: inSession({ status }) }))
    expect(text).not.toContain('session:')
    expect(decodeCallRecord(text ?? '', NOW)).toEqual({ ...CALL, held })
    expect(isHeldRecord(text)).toBe(true)
  })

  it.each([
    ['a task of 2026-07-28', encodeCallRecord({ ...CALL, task: inSession({}, { era: 'modern' }) })],
    ['a task without a session', encodeCallRecord({ ...CALL, task: taskOf({}, { era: 'legacy' }) })],
    [
      'one that names a session elsewhere',
      encodeCallRecord({ ...CALL, key: 'session:', task: taskOf({ taskId: 'x session:' }, { era: 'legacy' }) }),
    ],
    ['a call without a task', encodeCallRecord({ ...CALL, key: 'session:' })],
    ['no record', '"session:'],
  ])('is none that is %s', (_, text) => {
    expect(heldRecord(text)).toBeUndefined()
    expect(isHeldRecord(text)).toBe(false)
  })

  it.each([null, undefined, '', '{"held":"working"}', encodeCallRecord({ ...CALL, key: '"held":' })])(
    'is not held by %j',
    (text) => {
      expect(isHeldRecord(text)).toBe(false)
    },
  )
})

it('takes two records for those of one call where it was made in the same moment, and nothing else for a record', () => {
  const [one, later] = [encodeCallRecord(CALL), encodeCallRecord({ ...CALL, startedAt: NOW + 1 })]
  expect(isSameStart(one, encodeCallRecord({ ...CALL, held: 'working' }))).toBe(true)
  expect(isSameStart(one, later)).toBe(false)
  for (const [a, b] of [
    [one, 'no record'],
    ['no record', one],
    ['no record', 'none either'],
  ] as const)
    expect(isSameStart(a, b)).toBe(false)
})

it.each([
  [JSON.stringify({ v: 2, callId: 'c' }), true],
  [JSON.stringify({ callId: 'c', v: 2 }), true],
  [JSON.stringify({ v: 2, callId: 'd' }), false],
  [JSON.stringify({ callId: 'c', v: 1 }), false],
  [JSON.stringify({ v: 'x', callId: 'c' }), false],
  [JSON.stringify({ v: 1, callId: 'c', text: '{"v":1,' }), false],
  [JSON.stringify([2]), false],
  ['{"v":2', false],
  ['null', false],
  [undefined, false],
  [5, false],
])('takes %j for the record of a later version: %s', (text, isNewer) => {
  expect(isNewerRecord(text, 'c')).toBe(isNewer)
})
