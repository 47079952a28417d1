import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskCancelledError, TaskFailedError } from '../protocol/errors.js'
import type { TerminalTask } from '../protocol/task.js'

/**
 * The result that a terminal task stands for; `isError: true` is one.
 *
 * @throws {TaskFailedError} for a failed task, {@link TaskCancelledError} for a cancelled one.
 */
export function taskOutcome(task: TerminalTask, callId?: string): CallToolResult {
  const options = { taskId: task.taskId, callId }
  switch (task.status) {
    case 'completed':
      return task.result
    case 'failed':
      throw new TaskFailedError({ ...task.error, statusMessage: task.statusMessage }, options)
    case 'cancelled':
      throw new TaskCancelledError(task.statusMessage, options)
  }
}
