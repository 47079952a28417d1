import { describe, expect, it } from 'vitest'
import { TaskExpiredError, TaskRequestError, TasksUnsupportedError } from '../protocol/errors.js'
import { eraChangedError } from './eraChanged.js'

const unknown = [
  new TaskExpiredError('unknown-task', { taskId: 't' }),
  new TasksUnsupportedError('No tasks.', { taskId: 't', code: -32601 }),
]
const passing = new TaskRequestError('busy', { kind: 'http', status: 503, taskId: 't' })

describe('eraChangedError()', () => {
  it.each(unknown)('says that the server speaks another revision now: $name', (error) => {
    const told = eraChangedError(error, 't', 'legacy', 'modern') as TaskExpiredError
    expect(told).toBeInstanceOf(TaskExpiredError)
    expect(told).toMatchObject({ taskId: 't', reason: 'unknown-task', cause: error })
    expect(told.message).toMatch(/spoke MCP 2025-11-25 or earlier; now it speaks 2026-07-28 and does not know it/)
  })

  it.each([
    ['the era is the same', unknown[0], 'modern', 'modern'],
    ['the era of the task is not known', unknown[0], undefined, 'modern'],
    ['the error is another', passing, 'legacy', 'modern'],
  ] as const)('leaves the error alone where %s', (_, error, taskEra, serverEra) => {
    expect(eraChangedError(error, 't', taskEra, serverEra)).toBe(error)
  })
})
