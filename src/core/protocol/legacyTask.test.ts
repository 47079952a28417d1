import { describe, expect, it } from 'vitest'
import { TaskProtocolError } from './errors.js'
import {
  cancelsLegacyTasks,
  isLegacyCreateTaskResult,
  legacyTaskSupport,
  parseLegacyResult,
  parseLegacyTask,
  RELATED_TASK_META,
  relatedTaskId,
  servesLegacyTasks,
  withoutRelatedTask,
} from './legacyTask.js'

const AT = '2025-11-25T10:00:00Z'
const TASK = { taskId: 't1', status: 'working', createdAt: AT, lastUpdatedAt: AT }

describe('parseLegacyTask', () => {
  it.each([
    ['ttl and pollInterval', { ttl: 60_000, pollInterval: 500 }, { ttlMs: 60_000, pollIntervalMs: 500 }],
    ['ttl: null and no pollInterval', { ttl: null }, { ttlMs: null }],
    ['neither', {}, { ttlMs: null }],
    ['pollInterval: null', { ttl: 1, pollInterval: null }, { ttlMs: 1 }],
    ['the names of today, which mean nothing yet', { ttlMs: 5, pollIntervalMs: 5 }, { ttlMs: null }],
  ])('reads %s', (_, wire, expected) => {
    const issues: TaskProtocolError[] = []
    expect(parseLegacyTask({ ...TASK, ...wire }, 'tasks/get', (issue) => issues.push(issue))).toEqual({
      ...TASK,
      ...expected,
    })
    expect(issues).toEqual([])
  })

  it.each([undefined, null, 'task', [], {}, { ...TASK, taskId: '' }, { ...TASK, status: 'paused' }])(
    'refuses %j',
    (value) => {
      expect(() => parseLegacyTask(value, 'tasks/get')).toThrow(TaskProtocolError)
    },
  )

  it('reports numbers that are none, and does without', () => {
    const issues: TaskProtocolError[] = []
    const task = parseLegacyTask({ ...TASK, ttl: 'long', pollInterval: -1 }, 'tasks/get', (one) => issues.push(one))
    expect(task).toEqual({ ...TASK, ttlMs: null })
    expect(issues).toHaveLength(2)
  })
})

describe('what is a task', () => {
  it.each([
    [{ task: TASK }, true],
    [{ task: TASK, content: [{ type: 'text', text: 'started' }] }, true],
    [{ task: { ...TASK, taskId: undefined } }, false],
    [{ task: null, content: [] }, false],
    [{ content: [], structuredContent: { task: TASK } }, false],
    [{ ...TASK, resultType: 'task' }, false],
  ])('%j: %s', (result, expected) => {
    expect(isLegacyCreateTaskResult(result)).toBe(expected)
  })
})

describe('what a server and its tools say', () => {
  it.each([
    [{ tasks: { requests: { tools: { call: {} } } } }, true],
    [{ tasks: { requests: { tools: {} } } }, false],
    [{ tasks: {} }, false],
    [{ tasks: true }, false],
    [{}, false],
    [undefined, false],
  ])('%j serves tasks: %s', (capabilities, expected) => {
    expect(servesLegacyTasks(capabilities)).toBe(expected)
  })

  it.each([
    [{ tasks: { cancel: {} } }, true],
    [{ tasks: { list: {} } }, false],
    [undefined, false],
  ])('%j lets them be cancelled: %s', (capabilities, expected) => {
    expect(cancelsLegacyTasks(capabilities)).toBe(expected)
  })

  it.each([
    [{ execution: { taskSupport: 'required' } }, 'required'],
    [{ execution: { taskSupport: 'optional' } }, 'optional'],
    [{ execution: { taskSupport: 'forbidden' } }, 'forbidden'],
    [{ execution: { taskSupport: 'sometimes' } }, 'forbidden'],
    [{ execution: {} }, 'forbidden'],
    [{}, 'forbidden'],
    [undefined, 'forbidden'],
  ])('%j: %s', (tool, expected) => {
    expect(legacyTaskSupport(tool)).toBe(expected)
  })
})

describe('the name of the related task', () => {
  const meta = { [RELATED_TASK_META]: { taskId: 't1' } }

  it('is read', () => {
    expect(relatedTaskId({ _meta: meta })).toBe('t1')
    expect(relatedTaskId({ _meta: { [RELATED_TASK_META]: { taskId: 1 } } })).toBeUndefined()
    expect(relatedTaskId(undefined)).toBeUndefined()
  })

  it('is taken away, and with it the _meta that held nothing else', () => {
    expect(withoutRelatedTask({ a: 1, _meta: meta })).toEqual({ a: 1 })
    expect(withoutRelatedTask({ a: 1, _meta: { ...meta, b: 2 } })).toEqual({ a: 1, _meta: { b: 2 } })
    const untouched = { a: 1 }
    expect(withoutRelatedTask(untouched)).toBe(untouched)
  })
})

describe('parseLegacyResult', () => {
  it('reads a missing content as an empty one', () => {
    expect(parseLegacyResult({ structuredContent: { a: 1 } })).toEqual({
      result: { content: [], structuredContent: { a: 1 } },
    })
  })

  it.each([undefined, null, 'done', [], { content: 'done' }])('says what is wrong with %j', (value) => {
    expect(parseLegacyResult(value)).toHaveProperty('problem')
  })
})
