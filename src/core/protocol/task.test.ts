import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaskProtocolError } from './errors.js'
import { isSameTask, isTerminal, parseDetailedTask, parseTask, pickTask, type Task, type TaskStatus } from './task.js'

type Json = Record<string, unknown>

const TASK_ID = 'task-secret-1'

const WORKING: Json = {
  taskId: TASK_ID,
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:01Z',
  ttlMs: 60_000,
  pollIntervalMs: 1000,
}

/** What `String()` refuses, and JSON can hold. */
const UNPRINTABLE: unknown = JSON.parse('{"toString":1,"valueOf":1}')

/** Parses, and says what `onIssue` heard. */
function parse(value: unknown, parser: typeof parseTask = parseTask) {
  const issues: TaskProtocolError[] = []
  const task = parser(value, 'tasks/get', (issue) => issues.push(issue))
  return { task, issues: issues.map(({ violation }) => violation), errors: issues }
}

function violationOf(value: unknown, parser: typeof parseTask = parseDetailedTask): string {
  try {
    parser(value, 'tasks/get')
  } catch (error) {
    if (error instanceof TaskProtocolError) return error.violation
    throw error
  }
  throw new Error('It was accepted.')
}

const without = (key: string): Json => Object.fromEntries(Object.entries(WORKING).filter(([name]) => name !== key))

describe('parseTask', () => {
  it('reads a task, and nothing that is no part of one', () => {
    const { task, issues } = parse({ ...WORKING, statusMessage: 'half way', resultType: 'task', _meta: {}, extra: 1 })
    expect(task).toEqual({ ...WORKING, statusMessage: 'half way' })
    expect(issues).toEqual([])
  })

  it('reads a task without what is optional', () => {
    const { task, issues } = parse(without('pollIntervalMs'))
    expect(task).toEqual(without('pollIntervalMs'))
    expect(Object.keys(task)).not.toContain('statusMessage')
    expect(issues).toEqual([])
  })

  it.each([undefined, null, 'task', 1, true, [], [WORKING]])('refuses %j, which is no object', (value) => {
    expect(violationOf(value, parseTask)).toBe('the task is not an object')
  })

  it.each([
    ['missing', without('taskId'), 'the task has no taskId'],
    ['empty', { ...WORKING, taskId: '' }, 'the task has no taskId'],
    ['a number', { ...WORKING, taskId: 7 }, 'the task has no taskId'],
    ['null', { ...WORKING, taskId: null }, 'the task has no taskId'],
    ['an object', { ...WORKING, taskId: { id: 1 } }, 'the task has no taskId'],
    ['longer than any header', { ...WORKING, taskId: 'x'.repeat(4097) }, 'the taskId is too long'],
  ])('refuses a taskId that is %s', (_, value, violation) => {
    expect(violationOf(value, parseTask)).toBe(violation)
  })

  it('takes a taskId as long as a header may be', () => {
    expect(parse({ ...WORKING, taskId: 'x'.repeat(4096) }).task.taskId).toHaveLength(4096)
  })

  it.each([
    [undefined, 'the status is missing'],
    [null, 'the status is null'],
    [1, 'the status is 1'],
    ['', 'the status is ""'],
    ['done', 'the status is "done"'],
    ['WORKING', 'the status is "WORKING"'],
    ['canceled', 'the status is "canceled"'],
    ['constructor', 'the status is "constructor"'],
  ])('refuses the status %j', (status, violation) => {
    expect(violationOf({ ...WORKING, status }, parseTask)).toBe(violation)
  })

  it.each([
    ['status', { ...WORKING, status: UNPRINTABLE }],
    ['status in a list', { ...WORKING, status: [UNPRINTABLE] }],
  ])('refuses a %s that cannot even be printed', (_, value) => {
    expect(violationOf(value, parseTask)).toContain('the status is')
  })

  it.each(['working', 'input_required', 'completed', 'failed', 'cancelled'])('knows the status %s', (status) => {
    expect(parse({ ...WORKING, status }).task.status).toBe(status)
  })

  it.each([
    ['createdAt', undefined],
    ['createdAt', 1785196800000],
    ['createdAt', 'yesterday'],
    ['createdAt', '2026-13-28T00:00:00Z'],
    ['createdAt', `2026-07-28 (${'x'.repeat(1000)})`],
    ['lastUpdatedAt', undefined],
    ['lastUpdatedAt', null],
    ['lastUpdatedAt', ''],
  ])('goes on without a %s of %j, and says so', (name, value) => {
    const { task, issues } = parse({ ...WORKING, [name]: value })
    expect(task).toEqual({ ...WORKING, [name]: '' })
    expect(issues).toEqual([`${name} is not an ISO 8601 timestamp`])
  })

  it.each([
    [null, null, []],
    [0, 0, []],
    [60_000, 60_000, []],
    [1e15, 1e15, []],
    [undefined, null, ['ttlMs is missing; taken as unlimited']],
    [-1, null, ['ttlMs is -1; taken as unlimited']],
    [Number.NaN, null, ['ttlMs is NaN; taken as unlimited']],
    [Number.POSITIVE_INFINITY, null, ['ttlMs is Infinity; taken as unlimited']],
    ['60000', null, ['ttlMs is "60000"; taken as unlimited']],
    [{}, null, [expect.stringMatching(/^ttlMs is .*; taken as unlimited$/)]],
  ])('reads a ttlMs of %s as %s', (ttlMs, expected, heard) => {
    const { task, issues } = parse({ ...WORKING, ttlMs })
    expect(task.ttlMs).toBe(expected)
    expect(issues).toEqual(heard)
  })

  it.each([
    [undefined, undefined, []],
    [0, 0, []],
    [250.5, 250.5, []],
    [1e12, 1e12, []],
    [-1, undefined, ['pollIntervalMs is -1; ignored']],
    [Number.NaN, undefined, ['pollIntervalMs is NaN; ignored']],
    [Number.POSITIVE_INFINITY, undefined, ['pollIntervalMs is Infinity; ignored']],
    ['5', undefined, ['pollIntervalMs is "5"; ignored']],
    [null, undefined, ['pollIntervalMs is null; ignored']],
    [true, undefined, ['pollIntervalMs is true; ignored']],
  ])('reads a pollIntervalMs of %s as %s', (pollIntervalMs, expected, heard) => {
    const { task, issues } = parse({ ...WORKING, pollIntervalMs })
    expect(task.pollIntervalMs).toBe(expected)
    expect(issues).toEqual(heard)
  })

  it.each(['ttlMs', 'pollIntervalMs'])('goes on without a %s that cannot even be printed', (name) => {
    const { task, issues } = parse({ ...WORKING, [name]: UNPRINTABLE })
    expect(task.taskId).toBe(TASK_ID)
    expect(issues).toHaveLength(1)
  })

  it.each([
    [7, undefined],
    [null, undefined],
    ['', ''],
    ['x'.repeat(1_000_000), 'x'.repeat(4096)],
  ])('keeps a status message only where it is text, and no more of it than fits', (statusMessage, expected) => {
    expect(parse({ ...WORKING, statusMessage }).task.statusMessage).toBe(expected)
  })

  it('quotes no more of a nonsense than a line', () => {
    expect(violationOf({ ...WORKING, status: 'x'.repeat(1_000_000) }, parseTask).length).toBeLessThan(80)
    expect(parse({ ...WORKING, pollIntervalMs: 'x'.repeat(1_000_000) }).issues[0]?.length).toBeLessThan(80)
  })

  it('names source and task in what it reports, and the task nowhere that ends up in a log', () => {
    const [issue] = parse({ ...WORKING, ttlMs: 'soon' }).errors
    expect(issue).toBeInstanceOf(TaskProtocolError)
    expect(issue).toMatchObject({ source: 'tasks/get', taskId: TASK_ID })
    expect(`${issue?.message}${JSON.stringify(issue)}`).not.toContain(TASK_ID)
  })
})

describe('parseDetailedTask', () => {
  it.each(['working', 'cancelled'])(
    'reads a task that is %s without anything that belongs to another status',
    (status) => {
      const value = { ...WORKING, status, result: { content: [] }, error: { code: 1, message: 'x' }, inputRequests: {} }
      expect(parseDetailedTask(value, 'tasks/get')).toEqual({ ...WORKING, status })
    },
  )

  describe('completed', () => {
    const done = (result: unknown): Json => ({ ...WORKING, status: 'completed', result })

    it.each([
      ['with resultType', { resultType: 'complete', content: [] }],
      ['without resultType', { content: [] }],
    ])('takes a result %s, and hands it on without', (_, result) => {
      expect(parseDetailedTask(done(result), 'tasks/get')).toEqual(done({ content: [] }))
    })

    it('takes isError for a result like any other', () => {
      const result = { content: [{ type: 'text', text: 'no such file' }], isError: true }
      expect(parseDetailedTask(done(result), 'tasks/get')).toEqual(done(result))
    })

    it('hands on all that a result holds', () => {
      const result = { content: [{ type: 'text', text: 'a' }], structuredContent: { n: 1 }, _meta: { k: 'v' } }
      expect(parseDetailedTask(done(result), 'tasks/get')).toEqual(done(result))
    })

    it.each([
      [undefined, 'a completed task has no result'],
      [null, 'a completed task has a malformed result: result is not an object'],
      [[], 'a completed task has a malformed result: result is not an object'],
      [{}, 'a completed task has a malformed result: result.content is not an array'],
      [{ content: 'x' }, 'a completed task has a malformed result: result.content is not an array'],
      [{ content: [{}] }, 'a completed task has a malformed result: result.content holds a block without a type'],
      [{ content: ['x'] }, 'a completed task has a malformed result: result.content holds a block without a type'],
      [{ content: [], isError: 'yes' }, 'a completed task has a malformed result: result.isError is not a boolean'],
    ])('refuses the result %j', (result, violation) => {
      expect(violationOf(done(result))).toBe(violation)
    })
  })

  describe('failed', () => {
    const failed = (error: unknown): Json => ({ ...WORKING, status: 'failed', error })

    it.each([
      { code: -32603, message: 'Out of paper' },
      { code: -32050, message: '', data: { tray: 2 } },
      { code: 0, message: 'x', data: null },
    ])('reads the error %j', (error) => {
      expect(parseDetailedTask(failed(error), 'tasks/get')).toEqual(failed(error))
    })

    it.each([
      undefined,
      null,
      'broken',
      [],
      {},
      { code: 1 },
      { message: 'x' },
      { code: '1', message: 'x' },
      { code: 1, message: 2 },
    ])('refuses the error %j', (error) => {
      expect(violationOf(failed(error))).toBe('a failed task has no error with a code and a message')
    })

    it('keeps no more of a message than fits a screen', () => {
      const task = parseDetailedTask(failed({ code: 1, message: 'x'.repeat(1_000_000) }), 'tasks/get')
      expect(task.status === 'failed' && task.error.message).toBe('x'.repeat(4096))
    })
  })

  describe('input_required', () => {
    const asks = (inputRequests: unknown): Json => ({ ...WORKING, status: 'input_required', inputRequests })
    const form = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object' } } }

    it('reads the input requests by their keys', () => {
      const { task, issues } = parse(asks({ name: form, roots: { method: 'roots/list' } }), parseDetailedTask)
      expect(task).toEqual(
        asks({ name: { ...form, params: { ...form.params, mode: 'form' } }, roots: { method: 'roots/list' } }),
      )
      expect(issues).toEqual([])
    })

    it.each([
      [{ method: 'eval' }, 'an input request has no params'],
      [{ method: 'eval', params: {} }, 'an input request has a method that no client answers'],
      [7, 'an input request is not an object'],
    ])('refuses a malformed input request beside others: %j', (bad, violation) => {
      expect(violationOf(asks({ good: form, bad }))).toBe(violation)
    })

    it('takes no input requests at all for an empty list', () => {
      expect(parseDetailedTask(asks({}), 'tasks/get')).toEqual(asks({}))
    })

    it.each([undefined, null, [], [form], 'name?'])('refuses inputRequests of %j', (inputRequests) => {
      expect(violationOf(asks(inputRequests))).toBe('a task in input_required has no inputRequests')
    })
  })

  describe('hostile JSON', () => {
    const HOSTILE = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'

    it('is not polluted by __proto__ in a task, a result or an input request', () => {
      const inputs = [
        `${HOSTILE},"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttlMs":null}`,
        `{"taskId":"t","status":"completed","ttlMs":null,"result":${HOSTILE},"content":[${HOSTILE},"type":"x"}]}}`,
        `{"taskId":"t","status":"failed","ttlMs":null,"error":${HOSTILE},"code":1,"message":"m"}}`,
        `{"taskId":"t","status":"input_required","ttlMs":null,"inputRequests":{"__proto__":{"method":"roots/list","params":${HOSTILE}}}}}`,
      ]
      for (const input of inputs) {
        const task = parseDetailedTask(JSON.parse(input), 'tasks/get')
        expect(Object.getPrototypeOf(task)).toBe(Object.prototype)
        expect((task as unknown as Json)['polluted']).toBeUndefined()
        expect(({} as Json)['polluted']).toBeUndefined()
      }
    })

    it('takes nothing from a prototype that JSON brought along', () => {
      const value = JSON.parse('{"__proto__":{"taskId":"t","status":"working"}}')
      expect(violationOf(value)).toBe('the task has no taskId')
    })

    it('keeps an input request under the key __proto__ as an own member', () => {
      const value = JSON.parse(
        '{"taskId":"t","status":"input_required","ttlMs":null,"inputRequests":{"__proto__":{"method":"roots/list"}}}',
      )
      const task = parseDetailedTask(value, 'tasks/get')
      if (task.status !== 'input_required') throw new Error('unexpected')
      expect(Object.keys(task.inputRequests)).toEqual(['__proto__'])
      expect(Object.getPrototypeOf(task.inputRequests)).toBe(Object.prototype)
    })
  })

  describe('whatever comes', () => {
    // The same seed each time: what is found here is found again.
    const runs = { seed: 2663, numRuns: 3000 }
    const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, maxDepth: 3 })
    const statuses = fc.constantFrom('working', 'input_required', 'completed', 'failed', 'cancelled')
    const taskLike = fc.record(
      {
        taskId: fc.oneof(fc.string(), anything),
        status: fc.oneof(statuses, statuses, anything),
        statusMessage: anything,
        createdAt: fc.oneof(fc.string(), anything),
        lastUpdatedAt: fc.oneof(fc.string(), anything),
        ttlMs: fc.oneof(fc.double(), anything),
        pollIntervalMs: fc.oneof(fc.double(), anything),
        result: fc.oneof(fc.record({ content: anything, isError: anything }, { requiredKeys: [] }), anything),
        error: fc.oneof(
          fc.record({ code: anything, message: anything, data: anything }, { requiredKeys: [] }),
          anything,
        ),
        inputRequests: fc.oneof(
          fc.dictionary(
            fc.string(),
            fc.record({
              method: fc.constantFrom('elicitation/create', 'sampling/createMessage', 'roots/list', 'x'),
              params: anything,
            }),
          ),
          anything,
        ),
      },
      { requiredKeys: [] },
    )

    it.each([
      ['parseTask', parseTask],
      ['parseDetailedTask', parseDetailedTask],
    ])('%s throws a TaskProtocolError or nothing', (_, parser) => {
      fc.assert(
        fc.property(fc.oneof(anything, taskLike, taskLike), (value) => {
          let isRefused = false
          let task: Task | undefined
          try {
            task = parser(value, 'tasks/get', () => {})
          } catch (error) {
            isRefused = error instanceof TaskProtocolError
          }
          expect(typeof task?.taskId).toBe(isRefused ? 'undefined' : 'string')
        }),
        runs,
      )
    })

    it('what is accepted has only numbers that a timer and a clock can use', () => {
      fc.assert(
        fc.property(fc.double(), fc.double(), (ttlMs, pollIntervalMs) => {
          const task = parseTask({ ...WORKING, ttlMs, pollIntervalMs }, 'tasks/get')
          expect(task.ttlMs === null || (Number.isFinite(task.ttlMs) && task.ttlMs >= 0)).toBe(true)
          expect(task.pollIntervalMs ?? 0).toBeGreaterThanOrEqual(0)
          expect(Number.isFinite(task.pollIntervalMs ?? 0)).toBe(true)
        }),
        runs,
      )
    })
  })
})

describe('pickTask', () => {
  it('leaves out what the status carries, and invents nothing', () => {
    const detailed = parseDetailedTask({ ...WORKING, status: 'completed', result: { content: [] } }, 'tasks/get')
    expect(pickTask(detailed)).toEqual({ ...WORKING, status: 'completed' })
    const bare = pickTask(parseTask(without('pollIntervalMs'), 'tasks/get'))
    expect(Object.keys(bare)).toEqual(['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs'])
  })
})

describe('isTerminal', () => {
  it.each<[TaskStatus, boolean]>([
    ['working', false],
    ['input_required', false],
    ['completed', true],
    ['failed', true],
    ['cancelled', true],
  ])('%s: %s', (status, expected) => {
    expect(isTerminal(status)).toBe(expected)
  })
})

describe('a task', () => {
  const task: Task = {
    taskId: TASK_ID,
    status: 'working',
    statusMessage: 'Reading',
    createdAt: '2026-07-28T00:00:00Z',
    lastUpdatedAt: '2026-07-28T00:00:01Z',
    ttlMs: 60_000,
    pollIntervalMs: 1000,
    progress: { progress: 1 },
    _meta: { app: 1 },
  }
  const { statusMessage: _m, pollIntervalMs: _i, progress: _p, _meta, ...bare } = task

  it('is picked with what it has, and no more', () => {
    expect(pickTask({ ...task, result: 1 } as Task)).toStrictEqual(task)
    expect(pickTask(bare)).toStrictEqual(bare)
    expect(parse(bare).task).toStrictEqual(bare)
  })

  it('says the same as a copy of it', () => {
    expect(isSameTask(task, structuredClone(task))).toBe(true)
    expect(isSameTask(bare, { ...bare })).toBe(true)
  })

  it.each<Partial<Task>>([
    { taskId: 't2' },
    { status: 'completed' },
    { statusMessage: 'Writing' },
    { createdAt: '2026-07-28T00:00:09Z' },
    { lastUpdatedAt: '2026-07-28T00:00:09Z' },
    { ttlMs: null },
    { pollIntervalMs: 9 },
    { progress: { progress: 2 } },
    { _meta: { app: 2 } },
  ])('does not say the same as one with %j', (changes) => {
    expect(isSameTask(task, { ...task, ...changes })).toBe(false)
  })

  it('has a part that the other has not', () => {
    expect(isSameTask(task, bare)).toBe(false)
    const { _meta: _own, ...rest } = task
    expect([isSameTask(task, rest), isSameTask(rest, task)]).toEqual([false, false])
  })
})

describe('the error of a task that cannot be read', () => {
  let deep: object = {}
  for (let level = 0; level < 512; level += 1) deep = { deep }

  it.each([
    ['no object', 7],
    ['no id', { ...WORKING, taskId: '' }],
    ['an id that is too long', { ...WORKING, taskId: 'x'.repeat(100_000) }],
    ['an unknown status', { ...WORKING, status: 'odd' }],
    ['no result', { ...WORKING, status: 'completed' }],
    ['what is nested too deep', { ...WORKING, deep }],
  ])('says where the server said it: %s', (_name, value) => {
    expect(() => parseDetailedTask(value, 'tasks/get')).toThrow(expect.objectContaining({ source: 'tasks/get' }))
  })

  it('quotes a status as long as 40 characters, and no longer', () => {
    const said = (status: string) => () => parseTask({ ...WORKING, status }, 'tasks/get')
    expect(said('x'.repeat(40))).toThrow('x'.repeat(40))
    expect(said('x'.repeat(41))).toThrow('a text of 41 characters')
  })
})

it('an input request whose key is too long is left out, and reported where somebody listens', () => {
  const inputRequests = { a: { method: 'roots/list' }, ['x'.repeat(300)]: { method: 'roots/list' } }
  const value = { ...WORKING, status: 'input_required', inputRequests }
  expect(parseDetailedTask(value, 'tasks/get')).toMatchObject({ inputRequests: { a: { method: 'roots/list' } } })
  const heard: string[] = []
  const task = parseDetailedTask(value, 'tasks/get', ({ violation }) => heard.push(violation))
  expect('inputRequests' in task && Object.keys(task.inputRequests)).toEqual(['a'])
  expect(heard).toEqual(['an input request has a key that is too long'])
})

it('the failure of a task has data only where the server sent some', () => {
  const failed = (error: object) => parseDetailedTask({ ...WORKING, status: 'failed', error }, 'tasks/get')
  expect(failed({ code: 1, message: 'x' })).toHaveProperty('error')
  expect(failed({ code: 1, message: 'x' })).not.toHaveProperty('error.data')
  expect(failed({ code: 1, message: 'x', data: null })).toHaveProperty('error.data', null)
})
