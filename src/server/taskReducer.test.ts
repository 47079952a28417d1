import { describe, expect, it } from 'vitest'
import { workingRecord } from '../../test/server/support/records.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { TaskRecord } from './taskRecord.js'
import { reduceTask, type TaskEvent } from './taskReducer.js'

const question: InputRequest = { method: 'roots/list' }
const ok = { content: [] }
const broken = { code: -32603, message: 'Broken' }

const EVENTS: Record<TaskEvent['type'], TaskEvent> = {
  status: { type: 'status', message: 'half done' },
  ask: { type: 'ask', key: 'q1', request: question },
  answer: { type: 'answer', answers: { q0: { roots: [] } } },
  requestCancel: { type: 'requestCancel' },
  complete: { type: 'complete', result: ok },
  fail: { type: 'fail', error: broken },
}

function reduceAll(record: TaskRecord, ...events: TaskEvent[]): TaskRecord {
  return events.reduce((current, event) => reduceTask(current, event, 1000), record)
}

const working = workingRecord('t')
const asking = reduceAll(working, { type: 'ask', key: 'q0', request: question })
const cancelling = reduceAll(working, EVENTS.requestCancel)
const RECORDS = {
  working,
  input_required: asking,
  cancelling,
  completed: reduceAll(working, EVENTS.complete),
  failed: reduceAll(working, EVENTS.fail),
  cancelled: reduceAll(cancelling, EVENTS.fail),
}

describe('reduceTask', () => {
  const table: [keyof typeof RECORDS, TaskEvent['type'], string][] = [
    ['working', 'status', 'working'],
    ['working', 'ask', 'input_required'],
    ['working', 'answer', 'unchanged'],
    ['working', 'requestCancel', 'working'],
    ['working', 'complete', 'completed'],
    ['working', 'fail', 'failed'],
    ['input_required', 'status', 'input_required'],
    ['input_required', 'ask', 'input_required'],
    ['input_required', 'answer', 'working'],
    ['input_required', 'requestCancel', 'input_required'],
    ['input_required', 'complete', 'completed'],
    ['input_required', 'fail', 'failed'],
    ['cancelling', 'status', 'working'],
    ['cancelling', 'ask', 'input_required'],
    ['cancelling', 'answer', 'unchanged'],
    ['cancelling', 'requestCancel', 'unchanged'],
    ['cancelling', 'complete', 'completed'],
    ['cancelling', 'fail', 'cancelled'],
    ...(['completed', 'failed', 'cancelled'] as const).flatMap((state) =>
      (Object.keys(EVENTS) as TaskEvent['type'][]).map((type): [typeof state, TaskEvent['type'], string] => [
        state,
        type,
        'unchanged',
      ]),
    ),
  ]

  it.each(table)('takes %s through %s to %s', (state, type, expected) => {
    const before = RECORDS[state]
    const next = reduceTask(before, EVENTS[type], 2000)
    if (expected === 'unchanged') {
      expect(next).toBe(before)
    } else {
      expect(next.task.status).toBe(expected)
      expect(next.version).toBe(before.version + 1)
    }
  })

  it('keeps the id, the creation, the ttl and the poll interval whatever happens', () => {
    const { taskId, createdAt, ttlMs, pollIntervalMs } = working.task
    for (const { task } of Object.values(RECORDS))
      expect(task).toMatchObject({ taskId, createdAt, ttlMs, pollIntervalMs })
  })

  it('asks until every question has its answer', () => {
    const two = reduceAll(asking, EVENTS.ask)
    expect(two.task).toMatchObject({ inputRequests: { q0: question, q1: question } })
    const one = reduceAll(two, EVENTS.answer)
    expect(one.task).toMatchObject({ status: 'input_required', inputRequests: { q1: question } })
    expect(one.task).not.toHaveProperty('inputRequests.q0')
    const none = reduceAll(one, { type: 'answer', answers: { q1: { roots: [] } } })
    expect(none.task.status).toBe('working')
    expect(none.answers).toEqual({ q0: { roots: [] }, q1: { roots: [] } })
  })

  it('takes the first answer to a question and ignores unknown keys', () => {
    const answered = reduceAll(asking, EVENTS.answer)
    expect(reduceAll(answered, { type: 'answer', answers: { q0: { roots: ['late'] } } })).toBe(answered)
    const hostile = JSON.parse('{ "__proto__": { "roots": [] }, "toString": { "roots": [] } }')
    expect(reduceAll(asking, { type: 'answer', answers: hostile })).toBe(asking)
  })

  it('keeps the message of progress while a question is open, and drops it at the end', () => {
    const talking = reduceAll(working, EVENTS.status, EVENTS.ask)
    expect(talking.task.statusMessage).toBe('half done')
    expect(reduceAll(talking, EVENTS.complete).task).not.toHaveProperty('statusMessage')
  })

  it('says why a task has failed', () => {
    expect(RECORDS.failed.task).toMatchObject({ error: broken, statusMessage: 'Broken' })
  })

  it('leaves nothing of the questions in a task that is over', () => {
    const ended = reduceAll(asking, EVENTS.ask, EVENTS.answer, EVENTS.complete)
    expect(ended.task).not.toHaveProperty('inputRequests')
    expect(ended.answers).toEqual({})
  })

  it('never lets lastUpdatedAt go back, though the clock does', () => {
    const later = reduceTask(working, EVENTS.status, 5000)
    const earlier = reduceTask(later, { type: 'status', message: 'more' }, 1000)
    expect(earlier.task.lastUpdatedAt).toBe(new Date(5000).toISOString())
  })
})
