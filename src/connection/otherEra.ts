import { TaskExpiredError, TasksUnsupportedError } from '../protocol/errors.js'

type Era = 'modern' | 'legacy'

const REVISION: Record<Era, string> = { modern: '2026-07-28', legacy: '2025-11-25 or earlier' }

/**
 * What a failed request for a task means where the task was made in another era than the one that the
 * server speaks now: tasks do not survive that.
 */
export function otherEraError(error: unknown, taskId: string, madeIn: Era | undefined, spoken: Era): unknown {
  const isUnknown = error instanceof TaskExpiredError || error instanceof TasksUnsupportedError
  if (madeIn === undefined || madeIn === spoken || !isUnknown) return error
  return new TaskExpiredError('unknown-task', {
    taskId,
    cause: error,
    message:
      `The task was started while the server spoke MCP ${REVISION[madeIn]}; now it speaks ${REVISION[spoken]} and does not know it. ` +
      'Start the call again.',
  })
}
