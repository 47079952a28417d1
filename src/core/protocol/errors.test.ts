import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaskError } from './errorJson.js'
import * as errors from './errors.js'
import {
  AuthorizationFailedError,
  ConnectionFailedError,
  isTaskError,
  PageOutdatedError,
  TaskCancelledError,
  TaskConfigurationError,
  type TaskErrorOptions,
  TaskExpiredError,
  TaskFailedError,
  TaskInputError,
  TaskInputRequiredError,
  TaskProtocolError,
  TaskRequestError,
  TaskStorageError,
  TaskStuckError,
  TasksUnsupportedError,
  TaskUnreachableError,
  ToolCallInterruptedError,
  ToolCallKeyConflictError,
  ToolCallRejectedError,
  ToolOutputError,
} from './errors.js'

const TASK_ID = 'task-secret-1'

interface Row {
  readonly type: new (...args: never[]) => TaskError
  readonly make: (options: TaskErrorOptions) => TaskError
  /** The members that it has beyond those of every error, as they are after a round trip. */
  readonly details: Record<string, unknown>
  readonly message: string
}

/** One row a class, under the name that apps compare with. */
const rows: Record<string, Row> = {
  TaskError: { type: TaskError, make: (options) => new TaskError('Oh.', options), details: {}, message: 'Oh.' },
  TaskFailedError: {
    type: TaskFailedError,
    make: (options) =>
      new TaskFailedError(
        { code: -32050, message: 'Out of paper', data: { tray: 2 }, statusMessage: 'Tray 2' },
        options,
      ),
    details: { code: -32050, data: { tray: 2 }, statusMessage: 'Tray 2' },
    message: 'Out of paper',
  },
  AuthorizationFailedError: {
    type: AuthorizationFailedError,
    make: (options) =>
      new AuthorizationFailedError('Not you.', { ...options, reason: 'denied', code: 'access_denied' }),
    details: { reason: 'denied', code: 'access_denied' },
    message: 'Not you.',
  },
  TaskCancelledError: {
    type: TaskCancelledError,
    make: (options) => new TaskCancelledError('By the operator', options),
    details: { statusMessage: 'By the operator' },
    message: 'The task was cancelled: By the operator',
  },
  TaskExpiredError: {
    type: TaskExpiredError,
    make: (options) => new TaskExpiredError('ttl', options),
    details: { reason: 'ttl' },
    message: 'The task did not end within the time that the server keeps it (ttlMs). Start the call again.',
  },
  TaskUnreachableError: {
    type: TaskUnreachableError,
    make: (options) => new TaskUnreachableError('Nobody there.', options),
    details: {},
    message: 'Nobody there.',
  },
  TaskInputRequiredError: {
    type: TaskInputRequiredError,
    make: (options) => new TaskInputRequiredError('Nobody to ask.', options),
    details: {},
    message: 'Nobody to ask.',
  },
  TaskInputError: {
    type: TaskInputError,
    make: (options) =>
      new TaskInputError('Does not fit.', { ...options, issues: [{ path: 'regions', message: 'Choose at least 1.' }] }),
    details: { issues: [{ path: 'regions', message: 'Choose at least 1.' }] },
    message: 'Does not fit.',
  },
  TaskStuckError: {
    type: TaskStuckError,
    make: (options) => new TaskStuckError('Still waiting.', options),
    details: {},
    message: 'Still waiting.',
  },
  TaskProtocolError: {
    type: TaskProtocolError,
    make: (options) => new TaskProtocolError('the status is "done"', { ...options, source: 'tasks/get' }),
    details: { violation: 'the status is "done"', source: 'tasks/get' },
    message: 'The server broke the tasks protocol (tasks/get): the status is "done". Report this to its maintainers.',
  },
  TasksUnsupportedError: {
    type: TasksUnsupportedError,
    make: (options) => new TasksUnsupportedError('No tasks here.', { ...options, code: -32021 }),
    details: { code: -32021 },
    message: 'No tasks here.',
  },
  ToolCallInterruptedError: {
    type: ToolCallInterruptedError,
    make: (options) => new ToolCallInterruptedError('report', options),
    details: { toolName: 'report' },
    message:
      'The call of "report" was interrupted before its response arrived; it may be running on the server. ' +
      'Call it again only if running twice does no harm.',
  },
  ToolCallKeyConflictError: {
    type: ToolCallKeyConflictError,
    make: (options) => new ToolCallKeyConflictError('report', { ...options, key: 'weekly' }),
    details: { toolName: 'report' },
    message:
      '"report" was not called: the key "weekly" belongs to a call with other arguments. ' +
      "Put the difference into the key, or pass repeat: 'always' to call the tool again.",
  },
  PageOutdatedError: {
    type: PageOutdatedError,
    make: (options) => new PageOutdatedError('report', options),
    details: { toolName: 'report' },
    message:
      'The call of "report" was made by a newer version of this app, in another tab or at another visit. ' +
      'Reload the page to see it.',
  },
  ToolCallRejectedError: {
    type: ToolCallRejectedError,
    make: (options) => new ToolCallRejectedError('No such tool.', { ...options, code: -32602, data: ['report'] }),
    details: { code: -32602, data: ['report'] },
    message: 'No such tool.',
  },
  TaskRequestError: {
    type: TaskRequestError,
    make: (options) => new TaskRequestError('Busy.', { ...options, kind: 'http', retryAfterMs: 5000 }),
    details: { kind: 'http', retryAfterMs: 5000 },
    message: 'Busy.',
  },
  ConnectionFailedError: {
    type: ConnectionFailedError,
    make: (options) => new ConnectionFailedError('No server.', options),
    details: {},
    message: 'No server.',
  },
  ToolOutputError: {
    type: ToolOutputError,
    make: (options) =>
      new ToolOutputError('report', [{ message: 'Expected a number' }, { message: 'And more' }], options),
    details: { toolName: 'report', issues: [{ message: 'Expected a number' }, { message: 'And more' }] },
    message: 'The output of "report" does not match outputSchema: Expected a number',
  },
  TaskStorageError: {
    type: TaskStorageError,
    make: (options) => new TaskStorageError('Full.', options),
    details: {},
    message: 'Full.',
  },
  TaskConfigurationError: {
    type: TaskConfigurationError,
    make: (options) => new TaskConfigurationError('Pass a url.', options),
    details: {},
    message: 'Pass a url.',
  },
}

const options = (): TaskErrorOptions => ({ taskId: TASK_ID, callId: 'call-1', cause: new TypeError('socket closed') })

/** As it travels: to another tab, a worker, a log and back. */
const travel = (error: TaskError): TaskError => TaskError.fromJSON(structuredClone(error.toJSON()))

it('every class of error has a row here', () => {
  const classes = Object.values<unknown>(errors).filter((value): value is Row['type'] =>
    Object.prototype.isPrototypeOf.call(TaskError, Object(value)),
  )
  expect(classes.map((type) => type.name).sort()).toEqual(
    Object.keys(rows)
      .filter((name) => name !== 'TaskError')
      .sort(),
  )
})

describe.each(Object.entries(rows))('%s', (name, { type, make, details, message }) => {
  it('is what it says it is', () => {
    const error = make(options())
    expect(error).toBeInstanceOf(type)
    expect(error).toBeInstanceOf(TaskError)
    expect(error).toBeInstanceOf(Error)
    expect(isTaskError(error)).toBe(true)
    expect(error.name).toBe(name)
    expect(String(error)).toBe(`${name}: ${message}`)
    expect(error).toMatchObject({ message, callId: 'call-1', taskId: TASK_ID, ...details })
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'socket closed' })
  })

  it('is told from every other class', () => {
    const others = Object.entries(rows).filter(([other]) => other !== name && other !== 'TaskError')
    for (const [, other] of others) expect(make({})).not.toBeInstanceOf(other.type)
  })

  it('survives structuredClone by way of its JSON', () => {
    const back = travel(make(options()))
    expect(back.constructor).toBe(type)
    expect(back).toMatchObject({ name, message, callId: 'call-1', ...details })
    expect(back.cause).toMatchObject({ name: 'TypeError', message: 'socket closed' })
    expect(back.toJSON()).toEqual(make(options()).toJSON())
  })

  it('survives it with nothing but what it must have', () => {
    const back = travel(make({}))
    expect(back.constructor).toBe(type)
    expect(back.message).toBe(message)
    expect(back.callId).toBeUndefined()
    expect(back.cause).toBeUndefined()
  })

  it('does not give the task id away', () => {
    const error = make(options())
    expect(JSON.stringify(error)).not.toContain(TASK_ID)
    expect(JSON.stringify({ ...error })).not.toContain(TASK_ID)
    expect(Object.keys(error)).not.toContain('taskId')
    expect(error.message).not.toContain(TASK_ID)
    expect(error.stack).not.toContain(TASK_ID)
    expect(travel(error).taskId).toBeUndefined()
  })
})

it('no error gives the task id away where the cause has put it into words', () => {
  const leaks = Object.values(rows).filter(({ make }) => {
    const error = make({ taskId: TASK_ID, cause: new Error(`Task ${TASK_ID} not found`) })
    return JSON.stringify(error).includes(TASK_ID)
  })
  expect(leaks.map(({ type }) => type.name)).toEqual([])
})

it('a message that the server has put the task id into is shown without it', () => {
  const words = `Task ${TASK_ID} ran out of paper`
  const said = [
    new TaskFailedError({ code: 1, message: words, statusMessage: words }, { taskId: TASK_ID }),
    new TaskCancelledError(words, { taskId: TASK_ID }),
    new TaskRequestError(words, { kind: 'server', taskId: TASK_ID }),
  ]
  for (const error of said) expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(TASK_ID)
})

describe('TaskExpiredError', () => {
  it('says what to do for each reason, and keeps a message of its own', () => {
    expect(new TaskExpiredError('unknown-task').message).toBe(
      'The server no longer knows this task: it expired or was lost. Start the call again.',
    )
    const own = new TaskExpiredError('unknown-task', { message: 'Gone since Tuesday.' })
    expect(travel(own)).toMatchObject({ reason: 'unknown-task', message: 'Gone since Tuesday.' })
  })
})

describe('TaskCancelledError', () => {
  it('has a message without a status message, too', () => {
    const error = travel(new TaskCancelledError())
    expect(error.message).toBe('The task was cancelled.')
    expect(error).toMatchObject({ statusMessage: undefined })
  })
})

describe('TaskInputError', () => {
  it('has no issues where none are known, and reads none that are no issues', () => {
    expect(travel(new TaskInputError('Answered already.'))).toMatchObject({ issues: [] })
    const issues = [{ path: 'a', message: 'b' }, { path: 'a' }, { path: 7, message: 'b' }, 'c', null]
    expect(TaskError.fromJSON({ name: 'TaskInputError', message: 'Oh.', issues })).toMatchObject({
      issues: [{ path: 'a', message: 'b' }],
    })
  })
})

describe('TaskError.fromJSON', () => {
  it.each([undefined, null, 7, 'x', [], {}, { name: 'RangeError' }, { name: '__proto__' }, { name: 'constructor' }])(
    'makes a plain TaskError of %j, so that there is one to show',
    (json) => {
      const error = TaskError.fromJSON(json)
      expect(error.constructor).toBe(TaskError)
      expect(error.message).toBe('Unknown task error')
    },
  )

  it('reads what another version or a stranger wrote without throwing', () => {
    const detail = fc.anything()
    const json = fc.record(
      {
        name: fc.constantFrom(...Object.keys(rows)),
        message: fc.oneof(fc.string(), detail),
        callId: detail,
        cause: fc.oneof(fc.record({ name: detail, message: detail }, { requiredKeys: [] }), detail),
        code: detail,
        data: detail,
        statusMessage: detail,
        reason: detail,
        violation: detail,
        source: detail,
        toolName: detail,
        issues: fc.oneof(fc.array(fc.record({ message: detail })), detail),
        kind: detail,
        retryAfterMs: detail,
      },
      { requiredKeys: ['name'] },
    )
    fc.assert(
      fc.property(json, (value) => {
        const error = TaskError.fromJSON(value)
        expect(error.name).toBe(value.name)
        expect(typeof error.message).toBe('string')
      }),
      { seed: 2663, numRuns: 2000 },
    )
  })

  it('takes an unknown source and an unknown kind for the least that they can be', () => {
    expect(TaskError.fromJSON({ name: 'TaskProtocolError', violation: 'x', source: 'moon' })).toMatchObject({
      source: 'other',
    })
    expect(TaskError.fromJSON({ name: 'TaskRequestError', message: 'x', kind: 'moon' })).toMatchObject({
      kind: 'network',
    })
  })
})

describe('isTaskError', () => {
  it.each([
    undefined,
    null,
    7,
    'TaskError',
    {},
    new Error('x'),
    { name: 'TaskError' },
    { name: 'TaskError', taskId: 'x' },
  ])('refuses %j', (value) => {
    expect(isTaskError(value)).toBe(false)
  })

  it('knows the errors of a second copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('taskwire.TaskError')]: true })
    expect(isTaskError(foreign)).toBe(true)
  })
})

describe('the id of a task in a message', () => {
  it.each([
    ['a short id', '5', 'The server answered tasks/get with HTTP 500.', 'The server answered tasks/get with HTTP 500.'],
    ['a word for an id', 'answered', 'unanswered, answered', 'unanswered, [task]'],
    ['an id within a longer token', 'abcdefgh', 'xabcdefgh abcdefgh1 ébabcdefgh', 'xabcdefgh abcdefgh1 ébabcdefgh'],
    [
      'an id in quotes, a path and at the end',
      'abcd-1234',
      '"abcd-1234" /t/abcd-1234: abcd-1234',
      '"[task]" /t/[task]: [task]',
    ],
    ['an id that a prefix was put before', 'abcd1234', 'task_abcd1234 task-abcd1234', 'task_[task] task-[task]'],
    ['an id made of signs', '$&.*+?()', 'no $&.*+?() here', 'no [task] here'],
  ])('%s', (_, taskId, message, expected) => {
    expect(new TaskError(message, { taskId }).message).toBe(expected)
  })
})

describe('an error that is read back', () => {
  it('has none of the members that are of another kind', () => {
    const request = { name: 'TaskRequestError', message: 'x', kind: 'http', code: '7', status: {} }
    expect(TaskError.fromJSON(request)).toMatchObject({ code: undefined, status: undefined })
    const failed = TaskError.fromJSON({ name: 'TaskFailedError', message: 'x', code: 1, statusMessage: 7 })
    expect(failed).toMatchObject({ statusMessage: undefined })
  })

  it.each([
    ['no message', { name: 'TypeError' }, undefined],
    ['a name that is no text', { name: 7, message: 'down' }, 'Error'],
    ['both', { name: 'TypeError', message: 'down' }, 'TypeError'],
  ])('has a cause where that had %s', (_name, cause, expected) => {
    const read = TaskError.fromJSON({ name: 'TaskError', message: 'x', cause })
    expect((read.cause as Error | undefined)?.name).toBe(expected)
  })
})

describe('an error', () => {
  it('without issues has none, and says so', () => {
    expect(new TaskInputError('x').issues).toEqual([])
    expect(new ToolOutputError('report', []).message).toContain('no reason given')
  })

  it('of a name that is none of ours is read back as the plain one', () => {
    expect(TaskError.fromJSON({ name: 'OddError', message: 'x' }).name).toBe('TaskError')
  })
})

describe('the cause of an error', () => {
  it('is the one that was passed where there is no id, and where it is of Taskwire', () => {
    const cause = new Error('x')
    expect(new TaskError('y', { cause }).cause).toBe(cause)
    const own = new TaskError('x')
    expect(new TaskError('y', { cause: own, taskId: TASK_ID }).cause).toBe(own)
  })

  it('is not there where there was none, and no call is named without one', () => {
    expect(new TaskError('y')).not.toHaveProperty('cause')
    expect(new TaskError('y').toJSON()).toStrictEqual({ name: 'TaskError', message: 'y' })
  })
})
