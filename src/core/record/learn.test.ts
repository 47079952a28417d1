import { boolean, assert as check, constantFrom, integer, option, property, record as recordOf } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaskExpiredError, TaskInputRequiredError, TaskProtocolError, TaskStuckError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import { DEFAULT_POLL_POLICY } from '../time/policy.js'
import { nextPoll } from './decide.js'
import { type Arrival, type CallRules, ended, learn } from './learn.js'
import { isAnotherTask } from './merge.js'
import { newTaskRecord, type TaskRecord } from './record.js'

const CREATED = Date.parse('2026-07-28T00:00:00Z')
const NOW = CREATED + 100_000
const at = (ms: number) => new Date(CREATED + ms).toISOString()

const TASK: Task = {
  taskId: 'task-secret-1',
  status: 'working',
  createdAt: at(0),
  lastUpdatedAt: at(0),
  ttlMs: null,
  pollIntervalMs: 1000,
}
const policy = DEFAULT_POLL_POLICY
const RULES: CallRules = {
  policy,
  missingInput: 'wait',
  stuckAfterPolls: 3,
  isHandled: () => false,
  missingCapability: () => undefined,
}
const RECORD: TaskRecord = { ...newTaskRecord(TASK, 'modern', NOW - 5000, NOW - 1000), sentAt: NOW - 100 }
const POLLED: Arrival = { now: NOW, askedAt: NOW - 100, isPushed: false }
const PUSHED: Arrival = { now: NOW, askedAt: 0, isPushed: true }

const working = (changes: Partial<Task> = {}): DetailedTask =>
  ({ ...TASK, lastUpdatedAt: at(50_000), ...changes }) as DetailedTask
const completed = { ...working(), status: 'completed' as const, result: { content: [] } }
const question = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } },
})
const asking = (...keys: readonly string[]): DetailedTask => ({
  ...working(),
  status: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, question(`What is ${key}?`)])),
})

const isoTimes = integer({ min: 0, max: 200_000 }).map(at)
const snapshots = recordOf({
  status: constantFrom('working' as const, 'completed' as const),
  createdAt: constantFrom(at(0), at(90_000)),
  lastUpdatedAt: isoTimes,
  ttlMs: option(integer({ min: 0, max: 200_000 })),
  pollIntervalMs: option(integer({ min: 0, max: 100_000 }), { nil: undefined }),
}).map(
  ({ status, ...members }) =>
    ({ ...TASK, ...members, status, ...(status === 'completed' && { result: { content: [] } }) }) as DetailedTask,
)
const records = recordOf({
  receivedAt: integer({ min: NOW - 300_000, max: NOW }),
  earliestAt: integer({ min: NOW - 20_000, max: NOW + 90_000 }),
  heardAt: integer({ min: NOW - 20_000, max: NOW }),
  retryAt: constantFrom(0, NOW + 7000),
  quietUntil: constantFrom(0, NOW + 30_000),
  lastUpdatedAt: isoTimes,
}).map(({ lastUpdatedAt, ...known }): TaskRecord => ({ ...RECORD, ...known, task: { ...TASK, lastUpdatedAt } }))
const arrivals = recordOf({ isPolled: boolean(), isPushed: boolean() }).map(
  ({ isPolled, isPushed }): Arrival => ({ now: NOW, askedAt: isPolled ? NOW - 100 : 0, isPushed }),
)

describe('learn', () => {
  it('never brings the next poll forward to before the time that the server has named', () => {
    check(
      property(records, snapshots, arrivals, (record, snapshot, arrival) => {
        const after = learn(record, snapshot, arrival, RULES)
        expect(after.earliestAt).toBeGreaterThanOrEqual(record.earliestAt)
        // A server is not waited for much longer than it keeps the task.
        const isFree = after.end !== undefined || after.task.ttlMs !== null
        expect(isFree || nextPoll(after, policy).at >= record.earliestAt).toBe(true)
      }),
    )
  })

  it('never changes a record that has its end', () => {
    check(
      property(records, snapshots, arrivals, (record, snapshot, arrival) => {
        const over = learn(record, completed, POLLED, RULES)
        expect(over.end === undefined || learn(over, snapshot, arrival, RULES) === over).toBe(true)
      }),
    )
  })

  it('keeps the task and its order: what was stamped earlier replaces nothing at the first time', () => {
    const known = learn(RECORD, working({ lastUpdatedAt: at(60_000) }), POLLED, RULES)
    const older = learn(known, working({ lastUpdatedAt: at(40_000) }), { ...POLLED, askedAt: NOW - 200 }, RULES)
    expect(older.task).toBe(known.task)
    expect(older.earliestAt).toBe(NOW + 1000)
  })

  it.each<[string, Arrival, Partial<TaskRecord>]>([
    [
      'an answer to a poll plans the next one after the interval',
      POLLED,
      { earliestAt: NOW + 1000, quietUntil: 0, pollingUntil: 0 },
    ],
    [
      'a push puts the next poll off by the safety interval, and ends no poll that is under way',
      PUSHED,
      { earliestAt: NOW + 1000, quietUntil: NOW + 30_000, pollingUntil: NOW + 4000 },
    ],
  ])('%s', (_, arrival, expected) => {
    const busy = { ...RECORD, pollingUntil: NOW + 4000, retryAt: NOW + 9000 }
    expect(learn(busy, working(), arrival, RULES)).toMatchObject({
      ...expected,
      retryAt: 0,
      failure: undefined,
      heardAt: NOW,
      snapshotAt: NOW,
      triedAt: NOW,
      notedAt: NOW,
    })
  })

  it('keeps the reference of a task that is shown as it was, so that nothing renders', () => {
    const first = learn(RECORD, working(), POLLED, RULES)
    expect(learn(first, working(), { ...POLLED, now: NOW + 1000, askedAt: NOW + 900 }, RULES).task).toBe(first.task)
  })

  it('ends with the snapshot of a task that is over', () => {
    const after = learn(RECORD, completed, POLLED, RULES)
    expect(after.end).toEqual({ at: NOW, task: completed })
    expect(after.task.status).toBe('completed')
    expect(after.lost).toBeUndefined()
  })

  describe('of a task under an id that the server has given to another one', () => {
    const other = working({ createdAt: at(90_000), lastUpdatedAt: at(91_000) })

    it('ends as lost where a poll says so', () => {
      const { end, lost } = learn(RECORD, other, POLLED, RULES)
      expect(end).toMatchObject({ error: expect.any(TaskExpiredError) })
      expect(lost).toEqual({ at: NOW, reason: 'unknown-task' })
    })

    it('leaves it to the next poll where it was pushed', () => {
      expect(learn(RECORD, other, PUSHED, RULES)).toBe(RECORD)
    })

    it('takes it for the same one of a server of 2025-11-25', () => {
      expect(learn({ ...RECORD, era: 'legacy' }, other, POLLED, RULES).end).toBeUndefined()
    })
  })

  describe('past the ttl', () => {
    const brief = { ...RECORD, task: { ...TASK, ttlMs: 3000 }, earliestAt: NOW - 200 }

    it('ends as expired where the server still says working', () => {
      expect(learn(brief, working({ ttlMs: 3000 }), POLLED, RULES).lost).toEqual({ at: NOW, reason: 'ttl' })
    })

    it('goes on where the answer has prolonged the ttl', () => {
      expect(learn(brief, working({ ttlMs: 60_000 }), POLLED, RULES).end).toBeUndefined()
      expect(learn(brief, working({ ttlMs: null }), POLLED, RULES).end).toBeUndefined()
    })

    it('goes on where the poll was late by more than the ttl: the clock may have been set forward', () => {
      const late = { ...brief, receivedAt: NOW - 80_000, earliestAt: NOW - 79_000 }
      expect(learn(late, working({ ttlMs: 3000 }), POLLED, RULES).end).toBeUndefined()
    })

    it('does not end by a push', () => {
      expect(learn(brief, working({ ttlMs: 3000 }), PUSHED, RULES).end).toBeUndefined()
    })
  })

  describe('what the task asks', () => {
    it('is known by its key, and gone when the task goes on', () => {
      const asked = learn(RECORD, asking('size'), POLLED, RULES)
      expect(Object.keys(asked.inputRequests)).toEqual(['size'])
      const after = learn(asked, working({ lastUpdatedAt: at(70_000) }), { ...POLLED, now: NOW + 1000 }, RULES)
      expect(after.inputRequests).toEqual({})
    })

    it('counts polls in which nothing is left to be answered, and ends as stuck', () => {
      let record: TaskRecord = { ...RECORD, answered: ['size'] }
      for (const poll of [1, 2]) {
        record = learn(record, asking('size'), { ...POLLED, now: NOW + poll * 1000 }, RULES)
        expect(record).toMatchObject({ idlePolls: poll, end: undefined })
      }
      record = learn(record, asking('size'), { ...POLLED, now: NOW + 3000 }, RULES)
      expect(record.end).toMatchObject({ error: expect.any(TaskStuckError) })
    })

    it('does not count while something waits for its answer', () => {
      let record = RECORD
      for (const poll of [1, 2, 3, 4, 5])
        record = learn(record, asking('size'), { ...POLLED, now: NOW + poll * 1000 }, RULES)
      expect(record).toMatchObject({ idlePolls: 0, end: undefined })
    })

    it('breaks the protocol where it changes under its key', () => {
      const asked = learn(RECORD, asking('size'), POLLED, RULES)
      const changed = { ...asking('size'), inputRequests: { size: question('Which colour?') } } as DetailedTask
      const { end } = learn(asked, changed, { ...POLLED, now: NOW + 1000 }, RULES)
      expect(end).toMatchObject({ error: expect.any(TaskProtocolError) })
    })

    it.each<[string, Partial<CallRules>, new (...args: never[]) => Error]>([
      ['a capability that was not declared', { missingCapability: () => 'sampling' }, TaskInputRequiredError],
      ['an answer and nobody is to be asked', { missingInput: 'error' }, TaskInputRequiredError],
    ])('ends the task where it needs %s', (_, rules, type) => {
      const { end } = learn(RECORD, asking('size'), POLLED, { ...RULES, ...rules })
      expect(end).toMatchObject({ error: expect.any(type) })
    })

    it('waits for a handler where there is one', () => {
      const rules: CallRules = { ...RULES, missingInput: 'error', isHandled: () => true }
      expect(learn(RECORD, asking('size'), POLLED, rules).end).toBeUndefined()
    })
  })
})

describe('learn, of what ends a task', () => {
  const record = { ...RECORD, receivedAt: NOW - 50_000, earliestAt: NOW - 100, task: { ...TASK, ttlMs: 40_000 } }

  it('names the task and keeps what was asked', () => {
    const named = { error: { taskId: 'task-secret-1' } }
    expect(learn(record, working({ ttlMs: 40_000 }), POLLED, RULES).end).toMatchObject(named)
    const asked = learn(RECORD, asking('size'), POLLED, { ...RULES, missingInput: 'error' })
    expect(asked).toMatchObject({ end: named, task: { taskId: 'task-secret-1' }, inputRequests: { size: {} } })
    const changed = { ...asking('size'), inputRequests: { size: question('Else?') } } as DetailedTask
    const known = learn(RECORD, asking('size'), POLLED, RULES)
    expect(learn(known, changed, { ...POLLED, now: NOW + 1000 }, RULES).end).toMatchObject({
      error: { taskId: 'task-secret-1', source: 'tasks/get' },
    })
    expect(learn(RECORD, asking('size'), POLLED, { ...RULES, missingCapability: () => 'x' }).end).toMatchObject(named)
    const answered = { ...RECORD, answered: ['size'], idlePolls: 2 }
    expect(learn(answered, asking('size'), POLLED, RULES).end).toMatchObject(named)
    const reused = learn(RECORD, working({ createdAt: at(90_000), lastUpdatedAt: at(95_000) }), POLLED, RULES)
    expect(reused.end).toMatchObject({
      error: { taskId: 'task-secret-1', message: expect.stringContaining('another one') },
    })
  })

  it('ends where one of several inputs has nobody to ask', () => {
    const rules: CallRules = {
      ...RULES,
      missingInput: 'error',
      isHandled: (request) => request === asked.inputRequests.a,
    }
    const asked = asking('a', 'b') as Extract<DetailedTask, { status: 'input_required' }>
    expect(learn(RECORD, asked, POLLED, rules).end).toMatchObject({ error: expect.any(TaskInputRequiredError) })
  })

  it('is lost where it has expired, and not where it has failed in another way', () => {
    const expired = new TaskExpiredError('ttl')
    expect(ended(RECORD, { at: NOW, error: expired }).lost).toEqual({ at: NOW, reason: 'ttl' })
    expect(ended(RECORD, { at: NOW, error: new Error('no') }).lost).toBeUndefined()
  })

  it('is another task only where it was made after the last change of this one, and at another time than it', () => {
    const known = { task: working({ lastUpdatedAt: at(50_000) }), era: 'modern' as const } as TaskRecord
    expect(isAnotherTask(known, working({ createdAt: at(50_001) }))).toBe(true)
    expect(isAnotherTask(known, working({ createdAt: at(50_000) }))).toBe(false)
    const late = { ...known, task: working({ createdAt: at(60_000), lastUpdatedAt: at(50_000) }) }
    expect(isAnotherTask(late, working({ createdAt: at(60_000) }))).toBe(false)
  })

  it('counts a poll as late from ten seconds after it was due, and moves the task no further than to the poll', () => {
    const due = (lateMs: number) => ({ ...record, earliestAt: NOW - 100 - lateMs })
    const answer = working({ ttlMs: 40_000 })
    expect(learn(due(10_000), answer, POLLED, RULES).end).toBeDefined()
    expect(learn(due(10_001), answer, POLLED, RULES).end).toBeUndefined()
    expect(learn(due(10_001), answer, POLLED, RULES).receivedAt).toBe(NOW - 50_000 + 10_001)
    expect(learn(due(500_000), answer, POLLED, RULES).receivedAt).toBe(NOW - 100)
    expect(learn(due(500_000), answer, PUSHED, RULES)).toMatchObject({ receivedAt: NOW - 50_000, end: undefined })
  })

  it('counts the time that a page was away before the end of the ttl, however late the next poll is', () => {
    const away = { ...record, receivedAt: NOW - 30_000, earliestAt: NOW - 25_000 }
    expect(learn(away, working({ ttlMs: 40_000 }), POLLED, RULES).receivedAt).toBe(NOW - 30_000)
  })

  it('leaves what it does not change as it is', () => {
    expect(learn(RECORD, working(), POLLED, RULES).here).toBe(RECORD.here)
    const refused = { ...RECORD, here: { ...RECORD.here, cancelError: new Error('no') } }
    expect(learn(refused, working(), POLLED, RULES).here).toEqual(RECORD.here)
    const passed = { ...RECORD, here: { ...RECORD.here, passedOver: TASK } }
    expect(learn(passed, working(), POLLED, RULES).here).toEqual(RECORD.here)
  })

  it('plans the next poll anew where something old was pushed, and leaves a failure alone', () => {
    const known = {
      ...RECORD,
      task: { ...TASK, lastUpdatedAt: at(60_000) },
      quietUntil: NOW + 9000,
      retryAt: NOW + 8000,
    }
    expect(learn(known, working(), PUSHED, RULES)).toMatchObject({
      quietUntil: 0,
      retryAt: 0,
      triedAt: NOW,
      notedAt: NOW,
    })
    const error = new Error('no')
    const failing = {
      ...known,
      failure: { error, network: 'retrying' as const, count: 1, unreached: 0, violations: 0, refusals: 0 },
    }
    expect(learn(failing, working(), PUSHED, RULES)).toBe(failing)
  })
})
