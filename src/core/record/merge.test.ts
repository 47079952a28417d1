import {
  boolean,
  assert as check,
  constant,
  constantFrom,
  integer,
  option,
  property,
  record as recordOf,
  uniqueArray,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaskFailedError, TaskRequestError } from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { isLostBefore, isPredecessor, isSuccessor, merge, mergeCalls, mergeNote, withAnswered } from './merge.js'
import { type CallRecord, newTaskRecord, type TaskEnd, type TaskRecord } from './record.js'

const TASK: Task = {
  taskId: 'task-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 60_000,
}
const BUSY = new TaskRequestError('busy', { kind: 'network' })
const DONE = { ...TASK, status: 'completed' as const, result: { content: [] } }

const time = integer({ min: 0, max: 6 })
const failure = option(
  recordOf({
    error: constant(BUSY),
    network: constantFrom('retrying' as const, 'paused' as const),
    count: integer({ min: 1, max: 3 }),
    unreached: integer({ min: 0, max: 2 }),
    violations: integer({ min: 0, max: 2 }),
    refusals: constant(0),
  }),
  { nil: undefined },
)

/** Records of one task, with few times, so that many of them are equal. */
const records = recordOf({
  status: constantFrom('working' as const, 'input_required' as const, 'completed' as const),
  statusMessage: constantFrom('a', 'b'),
  receivedAt: time,
  snapshotAt: time,
  heardAt: time,
  earliestAt: time,
  sentAt: time,
  triedAt: time,
  pollingUntil: time,
  retryAt: time,
  quietUntil: time,
  failure,
  answered: uniqueArray(constantFrom('a', 'b', 'c')),
  idlePolls: integer({ min: 0, max: 2 }),
  cancelling: recordOf({ at: time, isWanted: boolean(), isTaken: boolean() }),
  lost: option(recordOf({ at: time, reason: constantFrom('ttl' as const, 'unknown-task' as const) }), {
    nil: undefined,
  }),
  endedAt: option(time, { nil: undefined }),
  hasFailed: boolean(),
  notedAt: time,
}).map(({ status, statusMessage, endedAt, hasFailed, ...known }): TaskRecord => {
  const error = new TaskFailedError({ code: 1, message: 'no' }, { taskId: 'task-1' })
  const end = endedAt === undefined ? undefined : hasFailed ? { at: endedAt, error } : { at: endedAt, task: DONE }
  return { ...newTaskRecord({ ...TASK, status, statusMessage }, 'modern', 0, 0), ...known, end }
})

/** What is compared: the keys that were answered have no order. */
function facts({ answered, end, ...record }: TaskRecord) {
  return { ...record, answered: [...answered].sort(), end: end && { at: end.at, isTask: 'task' in end } }
}

describe('merge', () => {
  it('takes two records in any order', () => {
    check(property(records, records, (a, b) => void expect(facts(merge(a, b))).toEqual(facts(merge(b, a)))))
  })

  it('takes three records in any grouping', () => {
    check(
      property(
        records,
        records,
        records,
        (a, b, c) => void expect(facts(merge(merge(a, b), c))).toEqual(facts(merge(a, merge(b, c)))),
      ),
    )
  })

  it('changes nothing when the same record comes twice', () => {
    check(property(records, records, (a, b) => void expect(facts(merge(merge(a, b), b))).toEqual(facts(merge(a, b)))))
  })

  it('forgets no end, no answer, no loss and no time before which the server does not want to be asked', () => {
    check(
      property(records, records, (a, b) => {
        const both = merge(a, b)
        expect(both.earliestAt).toBe(Math.max(a.earliestAt, b.earliestAt))
        expect(both.answered).toEqual(expect.arrayContaining([...a.answered, ...b.answered]))
        expect(both.end !== undefined).toBe(a.end !== undefined || b.end !== undefined)
        expect(both.lost !== undefined).toBe(a.lost !== undefined || b.lost !== undefined)
        expect(a.task.status !== 'completed' || both.task.status === 'completed').toBe(true)
      }),
    )
  })

  it('keeps what only this page knows', () => {
    check(property(records, records, (a, b) => void expect(merge(a, b).here).toBe(a.here)))
  })

  it('keeps the references of what is the same, so that nothing renders', () => {
    const mine = { ...newTaskRecord(TASK, 'modern', 1, 1), failure: { ...NO_FAILURE, error: BUSY } }
    const theirs = { ...mine, task: { ...TASK }, snapshotAt: 5, triedAt: 5, failure: { ...NO_FAILURE, error: BUSY } }
    const both = merge(mine, theirs)
    expect(both.task).toBe(mine.task)
    expect(both.failure).toBe(mine.failure)
  })

  it('takes a poll that is over for later than one that was sent in the same millisecond', () => {
    const sent = { ...newTaskRecord(TASK, 'modern', 1, 1), triedAt: 5, pollingUntil: 5005 }
    expect(merge(sent, { ...sent, pollingUntil: 0 }).pollingUntil).toBe(0)
  })
})

const NO_FAILURE = { network: 'retrying' as const, count: 1, unreached: 0, violations: 0, refusals: 0 }

describe('mergeCalls', () => {
  const call: CallRecord = {
    callId: 'c',
    tool: 'report',
    key: undefined,
    argumentsHash: undefined,
    meta: undefined,
    keepResult: undefined,
    endpoint: 'e',
    scope: '',
    startedAt: 1,
    idempotencyKey: undefined,
    task: undefined,
    held: undefined,
  }
  const of = (taskId: string, answered: readonly string[]) => ({
    ...call,
    task: { ...newTaskRecord({ ...TASK, taskId }, 'modern', 1, 1), answered },
  })

  it('merges the records of one task, and replaces that of another one', () => {
    expect(mergeCalls(of('one', ['a']), of('one', ['b'])).task?.answered).toEqual(['b', 'a'])
    expect(mergeCalls(of('one', ['a']), of('two', ['b'])).task?.answered).toEqual(['b'])
    expect(mergeCalls(call, of('one', ['b']))).toEqual(of('one', ['b']))
    expect(mergeCalls(undefined, call)).toBe(call)
    expect(mergeCalls(of('one', ['a']), call)).toBe(call)
    expect(mergeCalls({ ...of('one', []), argumentsHash: 'h' }, of('one', ['b'])).argumentsHash).toBe('h')
  })
})

describe('merge of single members', () => {
  const base = newTaskRecord(TASK, 'modern', 1, 1)

  it('takes the later time of what both have, and the earlier end and loss', () => {
    const later = { ...base, receivedAt: 5, heardAt: 6, sentAt: 7, notedAt: 8, believedFrom: 9 }
    for (const both of [merge(base, later), merge(later, base)])
      expect(both).toMatchObject({ receivedAt: 5, heardAt: 6, sentAt: 7, notedAt: 8, believedFrom: 9 })
    const [soon, late] = [
      { ...base, end: { at: 2, task: DONE }, lost: { at: 2, reason: 'ttl' as const } },
      { ...base, end: { at: 9, task: { ...DONE } }, lost: { at: 9, reason: 'ttl' as const } },
    ]
    for (const both of [merge(soon, late), merge(late, soon)])
      expect(both).toMatchObject({ end: { at: 2 }, lost: { at: 2 } })
  })

  it('agrees on one of two ends of the same millisecond, whichever is known first', () => {
    const ended = (end: TaskEnd) => ({ ...base, end })
    const no = (message: string) => ({ at: 5, error: new TaskFailedError({ code: 1, message }) })
    const [a, b] = [ended(no('a')), ended(no('b'))]
    expect(merge(a, b).end).toBe(merge(b, a).end)
    const done = (text: string) => ({
      at: 5,
      task: { ...DONE, result: { content: [{ type: 'text' as const, text }] } },
    })
    expect(merge(ended(done('x')), ended(done('y'))).end).toEqual(merge(ended(done('y')), ended(done('x'))).end)
  })

  it('knows of no failure where none of the two does', () => {
    expect(merge(base, { ...base, triedAt: 5 }).failure).toBeUndefined()
  })

  it('agrees on one of two failures of the same millisecond, whichever is known first', () => {
    const failing = (message: string) => ({
      ...base,
      triedAt: 5,
      failure: { ...NO_FAILURE, error: new TaskRequestError(message, { kind: 'network' }) },
    })
    const [a, b] = [failing('a'), failing('b')]
    expect(merge(a, b).failure?.error.message).toBe(merge(b, a).failure?.error.message)
  })

  it.each([{ count: 2 }, { unreached: 1 }, { violations: 1 }, { refusals: 1 }, { network: 'paused' as const }])(
    'takes another failure for another one: %j',
    (changes) => {
      const mine = { ...base, failure: { ...NO_FAILURE, error: BUSY } }
      const theirs = { ...mine, triedAt: 5, failure: { ...NO_FAILURE, ...changes, error: BUSY } }
      expect(merge(mine, theirs).failure).toBe(theirs.failure)
      expect(merge(base, theirs).failure).toBe(theirs.failure)
      expect(merge(mine, { ...base, triedAt: 5 }).failure).toBeUndefined()
    },
  )

  it('returns its own record where it is given that', () => {
    expect(merge(base, base)).toBe(base)
  })
})

describe('withAnswered', () => {
  const known = ['a', 'b']

  it('has each key once, and keeps its reference where none is new', () => {
    expect(withAnswered(known, ['b', 'c'])).toEqual(['a', 'b', 'c'])
    expect(withAnswered(known, ['b'])).toBe(known)
    expect(withAnswered(known, known)).toBe(known)
  })

  it('takes no key that no record has room for, and nothing that is no key', () => {
    expect(withAnswered(known, ['x'.repeat(300), 5, null, 'c'])).toEqual(['a', 'b', 'c'])
  })
})

describe('isSuccessor', () => {
  const call = { callId: 'c', startedAt: 5, task: undefined } as CallRecord
  const of = (taskId: string): CallRecord => ({ ...call, task: newTaskRecord({ ...TASK, taskId }, 'modern', 1, 1) })

  it.each<[string, CallRecord | undefined, CallRecord, boolean]>([
    ['nothing', undefined, of('one'), false],
    ['the same task', of('one'), of('one'), false],
    ['another task', of('two'), of('one'), true],
    ['a task, where only an intent is known', of('two'), call, true],
    ['the intent that led to the task', call, of('one'), false],
    ['an intent of later', { ...call, startedAt: 6 }, of('one'), true],
    ['an intent of earlier', { ...call, startedAt: 4 }, of('one'), false],
  ])('of %s', (_, stored, record, expected) => {
    expect(isSuccessor(stored, record)).toBe(expected)
  })
})

describe('a task that the server did not know', () => {
  const named = { ...newTaskRecord({ ...TASK, createdAt: '' }, 'modern', 1000, 0), sentAt: 1999 }
  const lost = { at: 2000, reason: 'unknown-task' as const }
  const made = newTaskRecord(TASK, 'modern', 2000, 0)

  it.each<[string, TaskRecord, boolean]>([
    ['was asked for before it was made', { ...named, lost }, true],
    ['was asked for in the moment in which it was made', { ...named, lost, sentAt: 2000 }, false],
    ['is known', named, false],
    ['had been shown', { ...named, lost, task: TASK }, false],
  ])('%s', (_, record, expected) => {
    expect(isLostBefore(record, made)).toBe(expected)
  })
})

describe('the task that a call had before it was started again', () => {
  const LATER = { ...TASK, taskId: 'task-2', createdAt: '2026-07-28T00:01:00Z' }
  const call = (startedAt: number, task?: Task): CallRecord => ({
    ...{ callId: 'c', tool: 'report', key: 'k', argumentsHash: undefined, meta: undefined, keepResult: undefined },
    ...{ endpoint: 'e', scope: '', startedAt, idempotencyKey: undefined, held: undefined },
    task: task && newTaskRecord(task, 'modern', startedAt, 0),
  })

  it.each<[string, CallRecord, CallRecord, boolean]>([
    ['is earlier by both clocks', call(1, TASK), call(2, LATER), true],
    ['was started in the same moment', call(2, TASK), call(2, LATER), false],
    ['was started later', call(3, TASK), call(2, LATER), false],
    ['was made in the same moment', call(1, TASK), call(2, { ...LATER, createdAt: TASK.createdAt }), false],
    ['was made later', call(1, LATER), call(2, TASK), false],
    ['is not stored', call(1), call(2, LATER), false],
    ['is unknown to the call', call(1, TASK), call(2), false],
  ])('%s', (_, stored, record, expected) => {
    expect(isPredecessor(stored, record)).toBe(expected)
  })
})

describe('a note of a task', () => {
  const record = newTaskRecord(TASK, 'modern', 1000, 0)
  const other = { ...TASK, createdAt: '2026-07-28T00:01:00Z', lastUpdatedAt: '2026-07-28T00:01:00Z' }

  it('says what is known of it elsewhere', () => {
    expect(mergeNote(record, { ...record, earliestAt: 5000 }).earliestAt).toBe(5000)
  })

  it('says nothing where it is of an earlier or a later task under the same id', () => {
    const later = { ...newTaskRecord(other, 'modern', 1000, 0), earliestAt: 5000 }
    expect(mergeNote(record, later)).toBe(record)
    expect(mergeNote(later, { ...record, earliestAt: 9000 })).toBe(later)
  })
})

it('a failure keeps its reference where the other one is the same, and is taken and dropped with its poll', () => {
  const failed = (sentAt: number, count?: number): TaskRecord => {
    const known = { ...newTaskRecord(TASK, 'modern', 1000, 0), sentAt }
    if (count === undefined) return known
    const error = new TaskRequestError('busy', { kind: 'network' })
    return { ...known, failure: { error, network: 'retrying', count, unreached: 0, violations: 0, refusals: 0 } }
  }
  const [mine, same, other] = [failed(1, 1), failed(2, 1), failed(2, 2)]
  expect(merge(mine, same).failure).toBe(mine.failure)
  expect(merge(mine, other).failure).toBe(other.failure)
  expect(merge(mine, failed(2)).failure).toBeUndefined()
  expect(merge(failed(1), other).failure).toBe(other.failure)
})
