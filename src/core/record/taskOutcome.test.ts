import { describe, expect, it } from 'vitest'
import { TaskCancelledError, TaskFailedError } from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { taskOutcome } from './taskOutcome.js'

const TASK: Task = {
  taskId: 't1',
  status: 'working',
  statusMessage: 'Tray 2',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
}

describe('taskOutcome', () => {
  it('of a completed task is its result, the very one', () => {
    const result = { content: [] }
    expect(taskOutcome({ ...TASK, status: 'completed', result })).toBe(result)
  })

  it('takes isError for a result', () => {
    const result = { content: [], isError: true }
    expect(taskOutcome({ ...TASK, status: 'completed', result })).toBe(result)
  })

  it('of a failed task is its error', () => {
    const task = {
      ...TASK,
      status: 'failed',
      error: { code: -32050, message: 'Out of paper', data: { tray: 2 } },
    } as const
    const error = caught(() => taskOutcome(task, 'c1'))
    expect(error).toBeInstanceOf(TaskFailedError)
    expect(error).toMatchObject({
      code: -32050,
      message: 'Out of paper',
      data: { tray: 2 },
      statusMessage: 'Tray 2',
      taskId: 't1',
      callId: 'c1',
    })
  })

  it('of a cancelled task is a cancellation', () => {
    const error = caught(() => taskOutcome({ ...TASK, status: 'cancelled' }, 'c1'))
    expect(error).toBeInstanceOf(TaskCancelledError)
    expect(error).toMatchObject({ statusMessage: 'Tray 2', taskId: 't1', callId: 'c1' })
  })
})

function caught(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}
