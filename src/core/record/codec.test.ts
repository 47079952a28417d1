import {
  anything,
  assert as check,
  constant,
  constantFrom,
  dictionary,
  integer,
  json,
  option,
  property,
  record as recordOf,
  string,
  uniqueArray,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RECORDED_CALL as CALL, NOW, RECORDED_TASK as TASK } from '../../../test/support/recordedCall.js'
import { TaskRequestError } from '../protocol/errors.js'
import { LONGEST_WAIT_MS } from '../time/policy.js'
import { decodeCallRecord, encodeCallRecord, MAX_META_LENGTH, readCallRecord, VERSION } from './codec.js'
import { type CallRecord, newTaskRecord, type TaskRecord } from './record.js'

const past = integer({ min: NOW - 10_000_000, max: NOW })
const soon = integer({ min: NOW - 1000, max: NOW + LONGEST_WAIT_MS })

const CANCELLATIONS = [
  { isWanted: false, isTaken: false },
  { isWanted: true, isTaken: false },
  { isWanted: true, isTaken: true },
]

const tasks = recordOf({
  status: constantFrom('working' as const, 'input_required' as const, 'cancelled' as const),
  receivedAt: past,
  snapshotAt: past,
  earliestAt: soon,
  sentAt: past,
  answered: uniqueArray(string({ maxLength: 8 }), { maxLength: 5 }),
  cancelling: constantFrom(...CANCELLATIONS).map((state) => ({ at: NOW - 5, ...state })),
  lost: option(recordOf({ at: past, reason: constantFrom('ttl' as const, 'unknown-task' as const) }), {
    nil: undefined,
  }),
}).map(
  ({ status, ...known }): TaskRecord => ({
    ...newTaskRecord({ ...TASK, status }, 'modern', NOW, 0),
    ...known,
    lost: status === 'cancelled' ? undefined : known.lost,
    notedAt: NOW,
    heardAt: Math.max(known.receivedAt, known.snapshotAt),
  }),
)
const calls = recordOf({
  callId: string(),
  tool: string(),
  key: option(string(), { nil: undefined }),
  argumentsHash: option(string({ maxLength: 64 }), { nil: undefined }),
  meta: option(dictionary(string({ maxLength: 8 }), string({ maxLength: 20 }), { maxKeys: 5, noNullPrototype: true }), {
    nil: undefined,
  }),
  keepResult: option(integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
  endpoint: string(),
  scope: string(),
  startedAt: past,
  idempotencyKey: constant(undefined),
  held: constant(undefined),
  task: option(tasks, { nil: undefined }),
}).map((call): CallRecord => call)

/** The members of a record that are kept. */
function keptOf({ task, ...call }: CallRecord) {
  if (task === undefined) return call
  const { receivedAt, snapshotAt, earliestAt, sentAt, notedAt, answered, cancelling, lost, era } = task
  return {
    ...call,
    task: { task: task.task, receivedAt, snapshotAt, earliestAt, sentAt, notedAt, answered, cancelling, lost, era },
  }
}

describe('a record as text', () => {
  it('is read as it was written', () => {
    check(
      property(calls, (record) => {
        const read = decodeCallRecord(encodeCallRecord(record), NOW)
        expect(read && keptOf(read)).toEqual(keptOf(record))
      }),
    )
  })

  it('holds no result, no message of the server and no error', () => {
    const secret = 'only for the user'
    const task: TaskRecord = {
      ...newTaskRecord(
        { ...TASK, statusMessage: secret, progress: { progress: 1, message: secret } },
        'modern',
        NOW,
        0,
      ),
      failure: {
        error: new TaskRequestError(secret, { kind: 'network' }),
        network: 'retrying',
        count: 1,
        unreached: 0,
        violations: 0,
        refusals: 0,
      },
      inputRequests: { [secret]: { method: 'roots/list' } },
      end: { at: NOW, task: { ...TASK, status: 'completed', result: { content: [{ type: 'text', text: secret }] } } },
    }
    expect(encodeCallRecord({ ...CALL, task })).not.toContain(secret)
  })

  it('is nothing where it is none, whatever it is, and nothing is thrown', () => {
    check(property(string(), (text) => void expect(decodeCallRecord(text, NOW)).toBeUndefined()))
    check(property(json(), (text) => void expect(decodeCallRecord(text, NOW)).toBeUndefined()))
    check(property(anything(), (value) => void expect(readCallRecord(value, NOW)).toBeUndefined()))
  })

  it('is nothing where one member is of another type', () => {
    const body = JSON.parse(encodeCallRecord({ ...CALL, task: newTaskRecord(TASK, 'modern', NOW, 0) }))
    expect(readCallRecord(body, NOW)).toBeDefined()
    for (const name of ['v', 'callId', 'tool', 'endpoint', 'scope', 'startedAt', 'era']) {
      expect(readCallRecord({ ...body, [name]: {} }, NOW), name).toBeUndefined()
    }
    for (const name of [
      'receivedAt',
      'ttlMs',
      'taskId',
      'status',
      'createdAt',
      'lastUpdatedAt',
      'nextPollAt',
      'sentAt',
    ]) {
      expect(readCallRecord({ ...body, task: { ...body.task, [name]: {} } }, NOW), name).toBeUndefined()
    }
  })

  it('of another version is nothing', () => {
    const body = JSON.parse(encodeCallRecord(CALL))
    expect(readCallRecord({ ...body, v: VERSION + 1 }, NOW)).toBeUndefined()
  })

  it.each([
    ['argumentsHash', 'x'.repeat(65)],
    ['idempotencyKey', 'too short'],
    ['idempotencyKey', 'x'.repeat(257)],
    ['meta', { text: 'x'.repeat(MAX_META_LENGTH) }],
    ['meta', ['a list']],
    ['keepResult', -1],
    ['keepResult', 0.5],
    ['key', 5],
  ] as const)('is read without its %s where that is %s', (name, value) => {
    const body = JSON.parse(encodeCallRecord(CALL))
    const read = readCallRecord({ ...body, [name]: value }, NOW)
    expect(read).toBeDefined()
    expect(read?.[name]).toBeUndefined()
  })

  it('names the latest 512 answered input requests', () => {
    const answered = Array.from({ length: 600 }, (_, at) => `key-${at}`)
    const text = encodeCallRecord({ ...CALL, task: { ...newTaskRecord(TASK, 'modern', NOW, 0), answered } })
    expect(text).not.toContain('"key-87"')
    expect(decodeCallRecord(text, NOW)?.task?.answered).toEqual(answered.slice(-512))
  })
})

describe('a record of a clock that was ahead', () => {
  it('is moved back by as much as it was noted in the future', () => {
    const task = { ...newTaskRecord(TASK, 'modern', NOW + 5000, NOW + 6000), snapshotAt: NOW + 4000 }
    const read = readCallRecord(JSON.parse(encodeCallRecord({ ...CALL, task })), NOW)
    expect(read?.task).toMatchObject({ notedAt: NOW, receivedAt: NOW, earliestAt: NOW + 1000, snapshotAt: NOW - 1000 })
  })

  it('says so, as long as it is in the page, and only then', () => {
    const task = newTaskRecord(TASK, 'modern', NOW, 0)
    const text = encodeCallRecord({ ...CALL, task })
    expect(decodeCallRecord(text, NOW - 1)?.task?.here.wasAhead).toBe(true)
    expect(decodeCallRecord(text, NOW)?.task?.here.wasAhead).toBe(false)
  })
})

describe('a record at the edges of what one may be', () => {
  const task = newTaskRecord(TASK, 'modern', NOW, 0)
  const body = JSON.parse(encodeCallRecord({ ...CALL, task }))
  const bare = JSON.parse(encodeCallRecord(CALL))

  it.each([
    ['argumentsHash', 'x'.repeat(64)],
    ['idempotencyKey', 'x'.repeat(16)],
    ['idempotencyKey', 'x'.repeat(256)],
    ['meta', { text: 'x'.repeat(MAX_META_LENGTH - 11) }],
    ['held', 'working'],
    ['held', 'ended'],
    ['isCancelled', true],
  ] as const)('is read with its %s where that just fits', (name, value) => {
    expect(readCallRecord({ ...bare, [name]: value }, NOW)?.[name]).toEqual(value)
  })

  it('is held by others only where it has no task, and as one of two', () => {
    expect(readCallRecord({ ...body, held: 'working' }, NOW)?.held).toBeUndefined()
    expect(readCallRecord({ ...bare, held: 'lost' }, NOW)?.held).toBeUndefined()
  })

  it('is of one of two eras', () => {
    expect(readCallRecord({ ...body, era: 'legacy' }, NOW)?.task?.era).toBe('legacy')
    expect(readCallRecord({ ...body, era: 'stone' }, NOW)).toBeUndefined()
  })

  it('is nothing where its task is none', () => {
    expect(readCallRecord({ ...body, task: null }, NOW)).toBeUndefined()
    expect(readCallRecord({ ...body, task: [] }, NOW)).toBeUndefined()
  })

  it('was heard of when it was seen last, or received', () => {
    const read = (times: object) => readCallRecord({ ...body, task: { ...body.task, ...times } }, NOW)?.task
    expect(read({ receivedAt: NOW - 9, snapshotAt: NOW - 5, notedAt: undefined })).toMatchObject({
      heardAt: NOW - 5,
      notedAt: NOW - 9,
    })
    expect(read({ receivedAt: NOW - 5, snapshotAt: NOW - 9 })).toMatchObject({ heardAt: NOW - 5 })
  })

  it.each([undefined, 'a', {}, 5])('has no answers where they are %j', (answered) => {
    expect(readCallRecord({ ...body, task: { ...body.task, answered } }, NOW)?.task?.answered).toEqual([])
  })

  it('has no more answers than are kept, and those alone that are keys', () => {
    const answered = [...Array.from({ length: 600 }, (_, at) => `key-${at}`), 5]
    const read = readCallRecord({ ...body, task: { ...body.task, answered } }, NOW)?.task?.answered
    expect(read).toEqual(answered.slice(-512, -1))
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '5', null])('is nothing where a time is %j', (time) => {
    expect(readCallRecord({ ...body, task: { ...body.task, receivedAt: time } }, NOW)).toBeUndefined()
    expect(readCallRecord({ ...body, startedAt: time }, NOW)).toBeUndefined()
  })

  it.each([1.5, -1, Number.POSITIVE_INFINITY, '5'])('keeps no result up to %j bytes', (keepResult) => {
    expect(readCallRecord({ ...bare, keepResult }, NOW)?.keepResult).toBeUndefined()
  })

  it('notes when a cancellation was wanted, or when the record was noted', () => {
    const read = (members: object) =>
      readCallRecord({ ...body, task: { ...body.task, ...members } }, NOW)?.task?.cancelling
    const wanted = { isWanted: true, isTaken: false }
    const unwanted = { isWanted: false, isTaken: false }
    expect(read({ isCancelling: true, cancelNotedAt: NOW - 5 })).toEqual({ at: NOW - 5, ...wanted })
    expect(read({ isCancelling: true, cancelNotedAt: undefined })).toEqual({ at: NOW, ...wanted })
    expect(read({ isCancelling: true, isCancelTaken: true })).toMatchObject({ isWanted: true, isTaken: true })
    expect(read({ isCancelling: true, isCancelTaken: 'yes' })).toMatchObject(wanted)
    expect(read({ isCancelling: false, isCancelTaken: true })).toMatchObject(unwanted)
    expect(read({ isCancelling: false, cancelNotedAt: NOW - 5 })).toEqual({ at: NOW - 5, ...unwanted })
    expect(read({ isCancelling: 'yes', cancelNotedAt: undefined })).toEqual({ at: 0, ...unwanted })
  })

  it('is lost where that is said with its time', () => {
    const read = (lost: unknown) => readCallRecord({ ...body, task: { ...body.task, lost } }, NOW)?.task?.lost
    expect(read({ at: NOW, reason: 'ttl' })).toEqual({ at: NOW, reason: 'ttl' })
    expect(read({ at: NOW, reason: 'else' })).toEqual({ at: NOW, reason: 'unknown-task' })
    expect(read({ at: 'now', reason: 'ttl' })).toBeUndefined()
    expect(read('lost')).toBeUndefined()
  })
})

it.each<[string, unknown, unknown]>([
  ['startedFor', 'r'.repeat(128), 'r'.repeat(128)],
  ['startedFor', 'r'.repeat(129), undefined],
  ['startedFor', 5, undefined],
  ['isCancelled', true, true],
  ['isCancelled', 'yes', undefined],
])('a record in which %s is %j has %j', (name, written, read) => {
  const { task: _, ...intent } = JSON.parse(encodeCallRecord(CALL))
  expect(decodeCallRecord(JSON.stringify({ ...intent, [name]: written }), NOW)).toMatchObject({ [name]: read })
})
