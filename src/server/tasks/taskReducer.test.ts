import { describe, expect, it } from 'vitest'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import { workingRecord } from '../../tools/testing/workingRecord.js'
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
  claim: { type: 'claim', attempt: 2, lease: { worker: 'w2', until: 9000 } },
  giveBack: { type: 'giveBack', attempt: 2, until: 9000, restsUntil: 5000 },
  extend: { type: 'extend' },
  renew: { type: 'renew', until: 9000 },
  handOver: { type: 'handOver', until: 9000 },
  orphan: { type: 'orphan', mayRetry: true, seen: { worker: 'w1', until: 5000 }, until: 9000 },
  step: { type: 'step', name: 'pay', step: { isDone: false } },
  runAgain: { type: 'runAgain' },
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
        state === 'failed' && type === 'runAgain' ? 'failed' : 'unchanged',
      ]),
    ),
  ]

  const changes = table.filter(([, , expected]) => expected !== 'unchanged')
  const others = table.filter(([, , expected]) => expected === 'unchanged')

  it.each(changes)('takes %s through %s to %s', (state, type, expected) => {
    const before = RECORDS[state]
    const next = reduceTask(before, EVENTS[type], 2000)
    expect(next.task.status).toBe(expected)
    expect(next.version).toBe(before.version + 1)
  })

  it.each(others)('leaves %s at %s %s', (state, type) => {
    const before = RECORDS[state]
    expect(reduceTask(before, EVENTS[type], 2000)).toBe(before)
  })

  it('keeps the id, the creation, the ttl and the poll interval whatever happens', () => {
    const { taskId, createdAt, ttlMs, pollIntervalMs } = working.task
    for (const { task } of Object.values(RECORDS))
      expect(task).toMatchObject({ taskId, createdAt, ttlMs, pollIntervalMs })
  })

  it('is input_required until every input request has its response', () => {
    const two = reduceAll(asking, EVENTS.ask)
    expect(two.task).toMatchObject({ inputRequests: { q0: question, q1: question } })
    const one = reduceAll(two, EVENTS.answer)
    expect(one.task).toMatchObject({ status: 'input_required', inputRequests: { q1: question } })
    expect(one.task).not.toHaveProperty('inputRequests.q0')
    const none = reduceAll(one, { type: 'answer', answers: { q1: { roots: [] } } })
    expect(none.task.status).toBe('working')
    expect(none.answers).toEqual({ q0: { roots: [] }, q1: { roots: [] } })
  })

  it('takes the first response to an input request and ignores unknown keys', () => {
    const answered = reduceAll(asking, EVENTS.answer)
    expect(reduceAll(answered, { type: 'answer', answers: { q0: { roots: ['late'] } } })).toBe(answered)
    const hostile = JSON.parse('{ "__proto__": { "roots": [] }, "toString": { "roots": [] } }')
    expect(reduceAll(asking, { type: 'answer', answers: hostile })).toBe(asking)
  })

  it('keeps the message of progress while an input request is open, and drops it at the end', () => {
    const talking = reduceAll(working, EVENTS.status, EVENTS.ask)
    expect(talking.task.statusMessage).toBe('half done')
    expect(reduceAll(talking, EVENTS.complete).task).not.toHaveProperty('statusMessage')
  })

  it('says why a task has failed', () => {
    expect(RECORDS.failed.task).toMatchObject({ error: broken, statusMessage: 'Broken' })
  })

  it('leaves nothing of the input requests in a task that is over', () => {
    const ended = reduceAll(asking, EVENTS.ask, EVENTS.answer, EVENTS.complete)
    expect(ended.task).not.toHaveProperty('inputRequests')
    expect(ended.answers).toEqual({})
  })

  it('never lets lastUpdatedAt go back or stand still, though the clock does', () => {
    const later = reduceTask(working, EVENTS.status, 5000)
    const earlier = reduceTask(later, { type: 'status', message: 'more' }, 1000)
    expect(earlier.task.lastUpdatedAt).toBe(new Date(5001).toISOString())
  })
})

describe('a task with a lease', () => {
  const by = { attempt: 1, worker: 'w1' }
  const lease = { worker: 'w1', until: 5000 }
  const held = workingRecord('t', { lease, call: 'sealed' })
  const queued = workingRecord('t', {
    attempt: 0,
    lease: { worker: '', until: 5000 },
    call: 'sealed',
    task: { ...workingRecord('t').task, statusMessage: 'Waiting for a worker.' },
  })
  const claim = (attempt: number) => ({ type: 'claim' as const, attempt, lease: { worker: 'w2', until: 9000 } })

  it('is claimed by the next attempt while it waits, and by no other', () => {
    const claimed = reduceTask(queued, claim(1), 1000)
    expect(claimed).toMatchObject({ attempt: 1, lease: { worker: 'w2', until: 9000 } })
    expect(claimed.task.statusMessage).toBeUndefined()
    expect(reduceTask(claimed, claim(1), 1000)).toBe(claimed)
    expect(reduceTask(claimed, claim(2), 1000)).toBe(claimed)
    expect(reduceTask(queued, claim(2), 1000)).toBe(queued)
    expect(reduceTask(held, claim(2), 9999)).toBe(held)
  })

  it('takes nothing from a run that does not hold it', () => {
    for (const stranger of [
      { attempt: 1, worker: 'w0' },
      { attempt: 0, worker: 'w1' },
    ]) {
      for (const type of ['status', 'ask', 'complete', 'fail', 'renew', 'handOver', 'step'] as const) {
        expect(reduceTask(held, { ...EVENTS[type], by: stranger } as TaskEvent, 2000)).toBe(held)
      }
    }
    expect(reduceTask(held, { type: 'renew', by, until: 9000 }, 2000).lease).toEqual({ worker: 'w1', until: 9000 })
  })

  it('has failed where its worker was lost, in plain words', () => {
    const orphan = { ...EVENTS.orphan, mayRetry: false } as TaskEvent
    expect(reduceTask(held, orphan, 4999)).toBe(held)
    const renewed = reduceTask(held, { type: 'renew', by, until: 6000 }, 2000)
    expect(reduceTask(renewed, orphan, 6000)).toBe(renewed)
    expect(reduceTask(held, orphan, 5000).task).toMatchObject({
      status: 'failed',
      statusMessage: 'The worker was lost; the tool may have run in part.',
    })
  })

  it('waits for another worker where the tool may be run again, and was cancelled where that was asked for', () => {
    const waiting = reduceTask(held, EVENTS.orphan, 5000)
    expect(waiting).toMatchObject({ attempt: 1, lease: { worker: '', until: 9000 } })
    expect(reduceTask(waiting, claim(2), 6000)).toMatchObject({ attempt: 2 })
    const cancelled = reduceTask({ ...held, cancelRequested: true }, EVENTS.orphan, 5000)
    expect(cancelled.task.status).toBe('cancelled')
  })

  it('goes on waiting where no worker has come, whatever the tool', () => {
    const orphan = { type: 'orphan', mayRetry: false, seen: { worker: '', until: 5000 }, until: 9000 } as const
    expect(reduceTask(queued, orphan, 5000)).toMatchObject({ attempt: 0, lease: { worker: '', until: 9000 } })
  })

  it('is cancelled at once while it waits', () => {
    expect(reduceTask(queued, EVENTS.requestCancel, 1000).task.status).toBe('cancelled')
  })

  it('keeps what another worker needs until it is over, and no longer', () => {
    const asked = reduceTask(held, { type: 'ask', key: 'q1', request: question, isKept: true, by }, 1000)
    const stepped = reduceTask(asked, { ...EVENTS.step, by } as TaskEvent, 1000)
    expect(stepped).toMatchObject({ asked: { q1: question }, steps: { pay: { isDone: false } } })
    const done = reduceTask(stepped, { type: 'complete', result: ok, by }, 1000)
    for (const field of ['lease', 'call', 'asked', 'steps']) expect(done).not.toHaveProperty(field)
  })

  it('asks the same input request under the same key once', () => {
    const ask = { type: 'ask', key: 'q1', request: question, isKept: true } as const
    const asked = reduceTask(held, ask, 1000)
    expect(reduceTask(asked, ask, 1000)).toBe(asked)
    const answered = reduceTask(asked, { type: 'answer', answers: { q1: { roots: [] } } }, 1000)
    expect(reduceTask(answered, ask, 1000)).toBe(answered)
  })
})
