import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Task, TaskStatus } from '../protocol/task.js'
import {
  decodeToolCallRecord,
  encodeToolCallRecord,
  heldRecord,
  isHeldRecord,
  isNewerRecord,
  isRecordExpired,
  isSuccessor,
  mergeToolCallRecords,
  type RecordedTask,
  recordedTask,
  recordSnapshot,
  type ToolCallRecord,
} from './toolCallRecord.js'

const TASK: RecordedTask = {
  taskId: 't1',
  status: 'working',
  receivedAt: 1000,
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:10Z',
  ttlMs: 60_000,
  pollIntervalMs: 500,
  nextPollAt: 2000,
  answered: ['q1'],
  isCancelling: false,
}
const RECORD: ToolCallRecord & { task: RecordedTask } = {
  callId: 'c1',
  tool: 'report',
  key: 'weekly',
  endpoint: 'https://example.com/mcp',
  scope: 'ann',
  era: 'modern',
  startedAt: 900,
  task: TASK,
}
const { task: _, ...INTENT } = RECORD

const text = (changes: Record<string, unknown>): string => JSON.stringify({ v: 1, ...RECORD, ...changes })
const taskText = (changes: Record<string, unknown>): string => text({ task: { ...TASK, ...changes } })

const keys = (count: number): string[] => Array.from({ length: count }, (_, at) => `q${at}`)

describe('the text of a record', () => {
  it('[DUR-03] is a contract with the page before an update, to the letter', () => {
    expect(encodeToolCallRecord(RECORD)).toBe(
      '{"v":1,"callId":"c1","tool":"report","key":"weekly","endpoint":"https://example.com/mcp","scope":"ann",' +
        '"era":"modern","startedAt":900,"task":{"taskId":"t1","status":"working","receivedAt":1000,' +
        '"createdAt":"2026-07-28T00:00:00Z","lastUpdatedAt":"2026-07-28T00:00:10Z","ttlMs":60000,' +
        '"pollIntervalMs":500,"nextPollAt":2000,"answered":["q1"],"isCancelling":false}}',
    )
  })

  it.each([
    ['a task', RECORD],
    ['an intent', INTENT],
    ['an intent with the key of its call', { ...INTENT, idempotencyKey: 'f81d4fae7dec11d0' }],
    ['an intent whose key is as long as one can be', { ...INTENT, idempotencyKey: 'x'.repeat(256) }],
    ['a task without what is optional', { ...RECORD, task: bare(TASK) }],
    ['a task with what is optional', { ...RECORD, task: { ...TASK, notedAt: 1100, snapshotAt: 1050 } }],
  ])('reads back as it was written: %s', (_name, record) => {
    expect(decodeToolCallRecord(encodeToolCallRecord(record))).toEqual(record)
  })

  it('reads back whatever was written', () => {
    const time = fc.integer({ min: 0, max: 4_102_444_800_000 })
    const status = fc.constantFrom<TaskStatus>('working', 'input_required', 'completed', 'failed', 'cancelled')
    const timestamp = fc.oneof(
      fc.constant(''),
      time.map((at) => new Date(at).toISOString()),
    )
    const task = fc.record(
      {
        taskId: fc.string({ minLength: 1 }),
        status,
        receivedAt: time,
        createdAt: timestamp,
        lastUpdatedAt: timestamp,
        ttlMs: fc.option(time),
        pollIntervalMs: time,
        nextPollAt: time,
        answered: fc.uniqueArray(fc.string({ unit: 'binary' })),
        isCancelling: fc.boolean(),
      },
      {
        requiredKeys: [
          'taskId',
          'status',
          'receivedAt',
          'createdAt',
          'lastUpdatedAt',
          'ttlMs',
          'answered',
          'isCancelling',
        ],
      },
    )
    const record = fc.record(
      {
        callId: fc.string(),
        tool: fc.string(),
        key: fc.string({ unit: 'binary' }),
        endpoint: fc.string(),
        scope: fc.string({ unit: 'binary' }),
        era: fc.constantFrom('modern' as const, 'legacy' as const),
        startedAt: time,
        task,
      },
      { requiredKeys: ['callId', 'tool', 'endpoint', 'scope', 'era', 'startedAt'] },
    )
    fc.assert(
      fc.property(record, (value) => {
        expect(decodeToolCallRecord(encodeToolCallRecord(value as ToolCallRecord))).toEqual(value)
      }),
      { seed: 2663, numRuns: 300 },
    )
  })

  it('with a key that is no text is the record of a call without', () => {
    const { key: _key, ...unnamed } = RECORD
    expect(decodeToolCallRecord(text({ key: 7 }))).toStrictEqual(unnamed)
  })

  it('with a word that is none for what other tabs hold is an intent', () => {
    expect(decodeToolCallRecord(JSON.stringify({ v: 1, ...INTENT, held: 'odd' }))).toStrictEqual(INTENT)
  })

  it('cut short anywhere is none', () => {
    const whole = encodeToolCallRecord(RECORD)
    for (let length = 0; length < whole.length; length += 1)
      expect(decodeToolCallRecord(whole.slice(0, length))).toBeUndefined()
  })

  it.each(['', 'null', '7', '"x"', '[]', '{}', 'undefined', '[object Object]', '{"v":1}'])('%j is none', (value) => {
    expect(decodeToolCallRecord(value)).toBeUndefined()
  })

  it.each([undefined, 0, 2, '1', null])('of version %j is none: another version wrote it', (v) => {
    expect(decodeToolCallRecord(text({ v }))).toBeUndefined()
  })

  it.each([
    ['callId', undefined],
    ['callId', 7],
    ['tool', undefined],
    ['tool', null],
    ['endpoint', undefined],
    ['endpoint', {}],
    ['scope', undefined],
    ['startedAt', undefined],
    ['startedAt', '900'],
    ['era', undefined],
    ['era', 'stone'],
    ['task', null],
    ['task', 'x'],
    ['task', []],
    ['task', {}],
  ])('with a %s of %j is none', (name, value) => {
    expect(decodeToolCallRecord(text({ [name]: value }))).toBeUndefined()
  })

  it.each([
    ['taskId', undefined],
    ['taskId', ''],
    ['taskId', 7],
    ['status', undefined],
    ['status', 'dancing'],
    ['status', 'toString'],
    ['receivedAt', undefined],
    ['receivedAt', null],
    ['createdAt', 0],
    ['lastUpdatedAt', undefined],
    ['ttlMs', undefined],
    ['ttlMs', '60000'],
  ])('with a task whose %s is %j is none', (name, value) => {
    expect(decodeToolCallRecord(taskText({ [name]: value }))).toBeUndefined()
  })

  it.each([
    [{ pollIntervalMs: 'soon' }, { pollIntervalMs: undefined }],
    [{ nextPollAt: null }, { nextPollAt: undefined }],
    [{ answered: undefined }, { answered: [] }],
    [{ answered: 'q1' }, { answered: [] }],
    [{ answered: ['q1', 7, null, 'q2'] }, { answered: ['q1', 'q2'] }],
    [{ answered: ['q1', 'x'.repeat(1000)] }, { answered: ['q1'] }],
    [{ answered: keys(600) }, { answered: keys(600).slice(-512) }],
    [{ createdAt: `2026-07-28 (${'x'.repeat(1000)})` }, { createdAt: '' }],
    [{ isCancelling: 'yes' }, { isCancelling: false }],
    [{ notedAt: 'now' }, { notedAt: undefined }],
    [{ snapshotAt: 'now' }, { snapshotAt: undefined }],
    [{ isCancelling: undefined }, { isCancelling: false }],
  ])('with %j goes on without', (changes, expected) => {
    expect(decodeToolCallRecord(taskText(changes))?.task).toEqual(defined({ ...TASK, ...expected }))
  })

  it.each([undefined, null, 7, 'too-short', 'x'.repeat(257), {}])(
    '[DUR-05] with %j for the key of its call is one without',
    (idempotencyKey) => {
      expect(decodeToolCallRecord(JSON.stringify({ v: 1, ...INTENT, idempotencyKey }))).toEqual(INTENT)
    },
  )

  it('keeps nothing that is no part of a record', () => {
    const decoded = decodeToolCallRecord(
      text({ token: 'x', arguments: {}, task: { ...TASK, result: {}, statusMessage: 'x' } }),
    )
    expect(decoded).toEqual(RECORD)
  })

  it('is not polluted by __proto__', () => {
    const decoded = decodeToolCallRecord(
      `{"__proto__":{"polluted":1},${encodeToolCallRecord(RECORD).slice(1, -2)},"__proto__":{"polluted":1}}}`,
    )
    expect(decoded).toEqual(RECORD)
    expect((decoded as unknown as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('never throws, whatever stands there', () => {
    const recordLike = fc.record(
      { v: fc.constant(1), callId: fc.anything(), tool: fc.anything(), task: fc.anything(), era: fc.anything() },
      { requiredKeys: ['v'] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), recordLike.map(stringify)), (value) => {
        decodeToolCallRecord(value)
      }),
      { seed: 2663, numRuns: 1000 },
    )
  })
})

describe('a record of a later version', () => {
  it.each([
    ['in the form of today', text({ v: 2 }), true],
    ['with nothing but its call', '{"v":3,"callId":"c1"}', true],
    ['of another call', text({ v: 2, callId: 'c2' }), false],
    ['of this version', text({}), false],
    ['of this version, in another order', JSON.stringify({ callId: 'c1', v: 1 }), false],
    ['of no version', text({ v: undefined }), false],
    ['of a version that is no number', text({ v: 'new' }), false],
    ['cut short', text({ v: 2 }).slice(0, -1), false],
    ['that is a list', '[2]', false],
  ])('%s is known by version and call', (_name, value, expected) => {
    expect(isNewerRecord(value, 'c1')).toBe(expected)
  })

  it.each([null, undefined, 7, {}])('is not %j', (value) => {
    expect(isNewerRecord(value, 'c1')).toBe(false)
  })
})

describe('the record of a lost task', () => {
  const lost = { at: 5000, reason: 'ttl' } as const

  it('is a contract with the page before an update, to the letter', () => {
    expect(encodeToolCallRecord({ ...RECORD, task: { ...TASK, lost } })).toContain(
      '"isCancelling":false,"lost":{"at":5000,"reason":"ttl"}}}',
    )
  })

  it.each([
    [lost, lost],
    [
      { at: 1, reason: 'odd' },
      { at: 1, reason: 'unknown-task' },
    ],
    [{ at: '1' }, undefined],
    [true, undefined],
  ])('reads %j', (value, expected) => {
    expect(decodeToolCallRecord(taskText({ lost: value }))?.task?.lost).toEqual(expected)
  })

  it('stays lost, in whatever order the tabs write, unless the task has ended', () => {
    const [a, b] = [RECORD, { ...RECORD, task: { ...TASK, lost } }]
    const ended = { ...RECORD, task: { ...TASK, status: 'completed' as const } }
    expect(mergeToolCallRecords(a, b).task?.lost).toEqual(lost)
    expect(mergeToolCallRecords(b, a).task?.lost).toEqual(lost)
    expect(mergeToolCallRecords(b, ended).task?.lost).toBeUndefined()
    expect(mergeToolCallRecords(ended, b).task?.lost).toBeUndefined()
  })
})

describe('a record whose task id names a session', () => {
  const bound = { ...RECORD, era: 'legacy' as const, task: { ...TASK, taskId: 'session:s1 t1' } }

  it.each([
    ['working', bound],
    ['ended', { ...bound, task: { ...bound.task, status: 'failed' as const } }],
    ['ended', { ...bound, task: { ...bound.task, lost: { at: 1, reason: 'ttl' as const } } }],
  ] as const)('is shown to others as %s, without its task', (held, record) => {
    const shown = heldRecord(encodeToolCallRecord(record)) ?? ''
    expect(decodeToolCallRecord(shown)).toEqual({ ...INTENT, era: 'legacy', held })
    expect(isHeldRecord(shown)).toBe(true)
    expect(isHeldRecord(encodeToolCallRecord(record))).toBe(false)
  })

  it.each([
    ['of 2026-07-28', { ...bound, era: 'modern' as const }],
    ['that is of no session', { ...bound, task: TASK }],
    ['that is an intent', { ...INTENT, era: 'legacy' as const, key: 'session:' }],
  ])('is not one %s', (_name, record) => {
    expect(heldRecord(encodeToolCallRecord(record))).toBeUndefined()
  })

  it.each([null, undefined, '{"v":1,"held":', JSON.stringify({ v: 1, ...INTENT, held: 'odd' })])(
    'is not what others see in %j',
    (shown) => {
      expect(isHeldRecord(shown)).toBe(false)
    },
  )
})

describe('isRecordExpired', () => {
  const DAY = 24 * 60 * 60 * 1000
  const WEEK = 7 * DAY
  const ended = (status: TaskStatus, ttlMs: number | null): ToolCallRecord => ({
    ...RECORD,
    task: { ...TASK, status, ttlMs },
  })

  const lost = (ttlMs: number | null): ToolCallRecord => ({
    ...RECORD,
    task: { ...TASK, ttlMs, lost: { at: 5000, reason: 'ttl' } },
  })
  const bound: ToolCallRecord = { ...RECORD, era: 'legacy', task: { ...TASK, taskId: 'session:s1 t1', ttlMs: null } }

  it.each<[string, ToolCallRecord, number, boolean]>([
    ['[DUR-14] a finished task within its ttl', ended('completed', 60_000), 60_999, false],
    ['[DUR-15] a finished task past its ttl', ended('completed', 60_000), 61_000, true],
    ['a failed task past its ttl', ended('failed', 60_000), 61_000, true],
    ['a cancelled task past its ttl', ended('cancelled', 60_000), 61_000, true],
    ['[DUR-16] a finished task without a ttl, within a week', ended('completed', null), 1000 + WEEK - 1, false],
    ['a finished task without a ttl, after a week', ended('completed', null), 1000 + WEEK, true],
    ['[DUR-17] a task at work past its ttl: one last poll decides', ended('working', 60_000), 61_000 + DAY - 1, false],
    ['[DUR-18] a task at work a day past its ttl', ended('working', 60_000), 61_000 + DAY, true],
    ['a task that waits for input, past its ttl', ended('input_required', 60_000), 61_000 + DAY - 1, false],
    ['a task that waits for input, a day past its ttl', ended('input_required', 60_000), 61_000 + DAY, true],
    ['a task at work without a ttl', ended('working', null), 10 * WEEK, false],
    ['a lost task within a week', lost(60_000), 5000 + WEEK - 1, false],
    ['a lost task after a week', lost(60_000), 5000 + WEEK, true],
    ['a lost task without a ttl, after a week', lost(null), 5000 + WEEK, true],
    ['a task that names a session, within a day', bound, 1000 + DAY - 1, false],
    ['a task that names a session, after a day', bound, 1000 + DAY, true],
    ['a call that other tabs know the task of, after a day', { ...INTENT, held: 'working' }, 900 + DAY, true],
    [
      'a task of 2025-11-25 that names no session, after a day',
      { ...bound, task: { ...TASK, ttlMs: null } },
      1000 + DAY,
      false,
    ],
    ['an intent of 2025-11-25, after a day', { ...INTENT, era: 'legacy' }, 900 + DAY, false],
    ['[DUR-19] an intent within a week', INTENT, 900 + WEEK - 1, false],
    ['[DUR-20] an intent after a week', INTENT, 900 + WEEK, true],
    ['a task with a ttl of 0', ended('completed', 0), 1000, true],
    ['a record from a clock that was ahead', ended('completed', 60_000), 0, false],
  ])('%s', (_name, record, now, expected) => {
    expect(isRecordExpired(record, now)).toBe(expected)
  })
})

describe('mergeToolCallRecords', () => {
  it('keeps the later of two times to poll, by the clock of the record that is written', () => {
    const poll = (nextPollAt: number, notedAt: number): ToolCallRecord => ({
      ...RECORD,
      task: { ...TASK, nextPollAt, notedAt },
    })
    expect(mergeToolCallRecords(poll(9000, 5000), poll(8000, 6000)).task?.nextPollAt).toBe(9000)
    expect(mergeToolCallRecords(poll(8000, 5000), poll(9000, 6000)).task?.nextPollAt).toBe(9000)
    // The clock was set back by 5 s or more: 4 s to wait are 4 s to wait.
    expect(mergeToolCallRecords(poll(9000, 5000), poll(500, 0)).task?.nextPollAt).toBe(4000)
  })

  const stored = (changes: Partial<RecordedTask>): ToolCallRecord => ({ ...RECORD, task: { ...TASK, ...changes } })
  const merge = (a: Partial<RecordedTask>, b: Partial<RecordedTask>) => mergeToolCallRecords(stored(a), stored(b)).task

  it('takes the record where nothing, an intent or another task is stored', () => {
    expect(mergeToolCallRecords(undefined, RECORD)).toBe(RECORD)
    expect(mergeToolCallRecords(INTENT, RECORD)).toBe(RECORD)
    expect(mergeToolCallRecords(RECORD, INTENT)).toBe(INTENT)
    expect(mergeToolCallRecords(stored({ taskId: 't0', status: 'completed', answered: ['old'] }), RECORD)).toBe(RECORD)
  })

  it('takes for answered what either has answered, each once', () => {
    expect(merge({ answered: ['q1', 'q2'] }, { answered: ['q2', 'q3'] })?.answered).toEqual(['q1', 'q2', 'q3'])
  })

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'a task that has %s stays so, in whatever order the tabs write',
    (status) => {
      expect(merge({ status }, { status: 'working' })?.status).toBe(status)
      expect(merge({ status: 'working' }, { status })?.status).toBe(status)
    },
  )

  it('an older snapshot does not overwrite a newer one', () => {
    const newer = {
      lastUpdatedAt: '2026-07-28T00:00:20Z',
      status: 'input_required',
      ttlMs: 90_000,
      pollIntervalMs: 9000,
    } as const
    expect(merge(newer, {})).toMatchObject(newer)
    expect(merge({}, newer)).toMatchObject(newer)
  })

  it('of two snapshots with one stamp the one that is written counts', () => {
    expect(merge({}, { status: 'input_required' })?.status).toBe('input_required')
  })

  it.each([
    ['the stored one where it arrived later', { snapshotAt: 5000 }, { snapshotAt: 4000 }, 5000],
    ['the stored one where only of that an arrival is known', { snapshotAt: 5000 }, {}, 5000],
    ['the written one where it arrived later', { snapshotAt: 5000 }, { snapshotAt: 6000 }, 6000],
    [
      'the written one where the clock was set back since',
      { snapshotAt: 5000 },
      { snapshotAt: 3000, notedAt: 4000 },
      3000,
    ],
    ['the stored one where it was noted before', { snapshotAt: 5000 }, { snapshotAt: 3000, notedAt: 5000 }, 5000],
  ])('by the time of arrival, not by the stamps of the server, keeps %s', (_name, known, written, expected) => {
    const [early, late] = ['2026-07-28T00:00:10Z', '2026-07-28T00:00:20Z']
    const isStoredKept = expected === 5000
    const merged = merge(
      { ...known, ttlMs: 1, lastUpdatedAt: isStoredKept ? early : late },
      { ...written, ttlMs: 2, lastUpdatedAt: isStoredKept ? late : early },
    )
    expect(merged).toMatchObject({ snapshotAt: expected, ttlMs: isStoredKept ? 1 : 2 })
  })

  it('keeps the arrival that is known where the task that has ended has none', () => {
    expect(merge({ status: 'completed' }, { snapshotAt: 5000 })?.snapshotAt).toBe(5000)
  })

  it('keeps the time to poll that one of them has, and the later one where it is not known when they were noted', () => {
    const task = bare(TASK)
    const next: ToolCallRecord = { ...RECORD, task: { ...task, notedAt: 5000, nextPollAt: 3000 } }
    expect(mergeToolCallRecords({ ...RECORD, task }, next).task?.nextPollAt).toBe(3000)
    expect(merge({ nextPollAt: 9000 }, { nextPollAt: 8000 })?.nextPollAt).toBe(9000)
  })

  it('makes nothing up that neither says', () => {
    const record = { ...RECORD, task: bare(TASK) }
    expect(mergeToolCallRecords(record, record)).toStrictEqual(record)
  })
})

describe('isSuccessor', () => {
  const other = { ...RECORD, task: { ...TASK, taskId: 't0' } }

  it.each<[string, ToolCallRecord | undefined, ToolCallRecord, boolean]>([
    ['nothing', undefined, RECORD, false],
    ['the intent that led to the task', INTENT, RECORD, false],
    ['an intent of later', { ...INTENT, startedAt: 901 }, RECORD, true],
    ['the same task', RECORD, RECORD, false],
    ['another task', other, RECORD, true],
    ['a task, where there was none', RECORD, INTENT, true],
  ])('%s', (_name, stored, record, expected) => {
    expect(isSuccessor(stored, record)).toBe(expected)
  })
})

describe('a snapshot in a record', () => {
  const task: Task = {
    taskId: 't1',
    status: 'working',
    statusMessage: 'Reading the mail of Ann',
    createdAt: '2026-07-28T00:00:00Z',
    lastUpdatedAt: '2026-07-28T00:00:10Z',
    ttlMs: null,
    pollIntervalMs: 500,
  }

  it('has no status message: these are words to the user', () => {
    expect(recordSnapshot(task)).toEqual(defined({ ...task, statusMessage: undefined }))
  })

  it('has no poll interval where the server names none', () => {
    const { pollIntervalMs: _interval, ...rest } = task
    expect(recordSnapshot(rest)).not.toHaveProperty('pollIntervalMs')
  })

  it('has nothing that a status carries', () => {
    const completed = { ...task, status: 'completed', result: { content: [] } } as const
    expect(Object.keys(recordSnapshot(completed))).not.toContain('result')
  })

  it('is a task again', () => {
    expect(recordedTask({ ...TASK, ...recordSnapshot(task) })).toEqual(defined({ ...task, statusMessage: undefined }))
  })
})

function bare({ pollIntervalMs: _interval, nextPollAt: _next, ...task }: RecordedTask): RecordedTask {
  return task
}

function defined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>
}

/** As JSON where it can be. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
