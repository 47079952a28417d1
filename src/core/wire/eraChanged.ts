import { TaskExpiredError, TasksUnsupportedError } from '../protocol/errors.js'

type Era = 'modern' | 'legacy'

const REVISION: Record<Era, string> = { modern: '2026-07-28', legacy: '2025-11-25 or earlier' }

/**
 * What a failed request for a task means where the task was made in another era than the one that the
 * server speaks now: tasks do not survive that.
 */
export function eraChangedError(error: unknown, taskId: string, taskEra: Era | undefined, serverEra: Era): unknown {
  const isUnknown = error instanceof TaskExpiredError || error instanceof TasksUnsupportedError
  if (taskEra === undefined || taskEra === serverEra || !isUnknown) return error
  return new TaskExpiredError('unknown-task', {
    taskId,
    cause: error,
    message:
      `The task was started while the server spoke MCP ${REVISION[taskEra]}; now it speaks ${REVISION[serverEra]} and does not know it. ` +
      'Start the call again.',
  })
}
