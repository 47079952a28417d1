import { describe, expect, it } from 'vitest'
import { TaskRequestError } from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { merge } from './merge.js'
import { newTaskRecord, type PollFailure, type TaskEnd, type TaskRecord } from './record.js'

const TASK: Task = {
  taskId: 'task-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 60_000,
}
const BASE = newTaskRecord(TASK, 'modern', 0, 0)
const TIMES = [0, 1]

/** Every choice of one value for each name. */
function choices<Shape>(domain: { readonly [Name in keyof Shape]: readonly Shape[Name][] }): Shape[] {
  let made: object[] = [{}]
  for (const [name, values] of Object.entries(domain) as [string, readonly unknown[]][])
    made = made.flatMap((choice) => values.map((value) => ({ ...choice, [name]: value })))
  return made as Shape[]
}

const FAILURES: (PollFailure | undefined)[] = [
  undefined,
  {
    error: new TaskRequestError('busy', { kind: 'network' }),
    network: 'retrying',
    count: 1,
    unreached: 0,
    violations: 0,
    refusals: 0,
  },
]

const ENDS: (TaskEnd | undefined)[] = [
  undefined,
  ...TIMES.flatMap((at): TaskEnd[] => [
    { at, task: { ...TASK, status: 'completed', result: { content: [] } } },
    { at, error: new Error('lost') },
  ]),
]

const LOST: TaskRecord['lost'][] = [
  undefined,
  ...choices<NonNullable<TaskRecord['lost']>>({ at: TIMES, reason: ['ttl', 'unknown-task'] }),
]

/** The groups of members that have an order of their own, each with every value that it can have in a small domain. */
const groups: Readonly<Record<string, readonly TaskRecord[]>> = {
  'the snapshot': choices<{
    status: 'working' | 'input_required' | 'completed'
    at: number
    stamp: number
    idlePolls: number
  }>({
    status: ['working', 'input_required', 'completed'],
    at: TIMES,
    stamp: TIMES,
    idlePolls: TIMES,
  }).map(({ status, at, stamp, idlePolls }) => ({
    ...BASE,
    task: { ...TASK, status, lastUpdatedAt: `2026-07-28T00:00:0${stamp}Z` },
    snapshotAt: at,
    idlePolls,
  })),
  'the poll': choices<Pick<TaskRecord, 'triedAt' | 'pollingUntil' | 'retryAt' | 'quietUntil' | 'failure'>>({
    triedAt: TIMES,
    pollingUntil: TIMES,
    retryAt: TIMES,
    quietUntil: TIMES,
    failure: FAILURES,
  }).map((poll) => ({ ...BASE, ...poll })),
  'the times': choices<Pick<TaskRecord, 'receivedAt' | 'heardAt' | 'earliestAt' | 'sentAt' | 'notedAt'>>({
    receivedAt: TIMES,
    heardAt: TIMES,
    earliestAt: TIMES,
    sentAt: TIMES,
    notedAt: TIMES,
  }).map((times) => ({ ...BASE, ...times })),
  'answers and cancellation': choices<{ answered: string[]; at: number; isWanted: boolean; isTaken: boolean }>({
    answered: [[], ['a'], ['b'], ['a', 'b']],
    at: TIMES,
    isWanted: [false, true],
    isTaken: [false, true],
  }).map(({ answered, ...cancelling }) => ({ ...BASE, answered, cancelling })),
  'loss and end': choices<Pick<TaskRecord, 'lost' | 'end'>>({ lost: LOST, end: ENDS }).map((over) => ({
    ...BASE,
    ...over,
  })),
}

/** What a record says, however it was put together. */
function said(record: TaskRecord): string {
  const { end, failure } = record
  const errors = [end && 'error' in end ? end.error.message : '', failure?.error.message ?? '']
  return JSON.stringify([{ ...record, answered: [...record.answered].sort(), here: undefined }, errors])
}

describe.each(Object.entries(groups))('of every record that differs in %s, merge', (_name, records) => {
  it('is idempotent and commutative', () => {
    const differing: [TaskRecord, TaskRecord][] = []
    for (const a of records) {
      expect(merge(a, { ...a })).toEqual(a)
      for (const b of records) if (said(merge(a, b)) !== said(merge(b, a))) differing.push([a, b])
    }
    expect(differing).toEqual([])
  })

  it('is associative', () => {
    const pairs = records.map((a) => records.map((b) => merge(a, b)))
    const texts = new Map<string, string>()
    for (const [i, a] of records.entries()) {
      for (const [j] of records.entries()) {
        for (const [k, c] of records.entries()) {
          const left = said(merge(pairs[i]?.[j] as TaskRecord, c))
          const right = said(merge(a, pairs[j]?.[k] as TaskRecord))
          if (left !== right) texts.set(left, right)
        }
      }
    }
    expect([...texts]).toEqual([])
  })

  it('forgets no end, no answer, no loss and no time before which the server does not want to be asked', () => {
    const forgetting: [TaskRecord, TaskRecord][] = []
    for (const a of records) {
      for (const b of records) {
        const both = merge(a, b)
        const isForgotten =
          (a.end !== undefined && both.end === undefined) ||
          (a.lost !== undefined && both.lost === undefined) ||
          (a.task.status === 'completed' && both.task.status !== 'completed') ||
          a.answered.some((key) => !both.answered.includes(key)) ||
          both.earliestAt < a.earliestAt ||
          both.sentAt < a.sentAt
        if (isForgotten) forgetting.push([a, b])
      }
    }
    expect(forgetting).toEqual([])
  })
})
