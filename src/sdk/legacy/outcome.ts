import { TaskProtocolError, TaskRequestError } from '../../core/protocol/errors.js'
import { parseLegacyResult } from '../../core/protocol/legacyTask.js'
import type { CompletedTask, FailedTask, Task } from '../../core/protocol/task.js'
import type { JsonRpcError } from '../../core/wire/errors.js'
import type { LegacyResultResponse } from './requests.js'

const INTERNAL_ERROR = -32603

/**
 * What a task of 2025-11-25 has come to, by its `tasks/result`. A tool's own error (`isError`) is a failed
 * task there and a completed one today; a failed task whose result is a JSON-RPC error failed in both.
 */
export async function legacyOutcome(
  task: Task,
  fetchResult: () => Promise<LegacyResultResponse>,
): Promise<CompletedTask | FailedTask> {
  const { taskId } = task
  const response = await fetchResult()
  if ('refusal' in response) {
    const { refusal, error } = response
    if (task.status === 'failed') return { ...task, status: 'failed', error: failureOf(refusal, task) }
    if (!(error instanceof TaskRequestError)) throw error
    const violation = `a completed task has no result: ${refusal.message}`
    throw new TaskProtocolError(violation, { source: 'tasks/result', taskId })
  }
  const parsed = parseLegacyResult(response.result)
  if ('problem' in parsed) {
    throw new TaskProtocolError(`a malformed result: ${parsed.problem}`, { source: 'tasks/result', taskId })
  }
  const { result } = parsed
  return { ...task, status: 'completed', result: task.status === 'failed' ? { ...result, isError: true } : result }
}

/** An internal error is the server's trouble with the request and says nothing of the task; its status message does. */
function failureOf({ code, message, data }: JsonRpcError, { statusMessage }: Task): FailedTask['error'] {
  const isAboutTask = code !== INTERNAL_ERROR || statusMessage === undefined
  return { code, message: isAboutTask ? message : statusMessage, ...(data !== undefined && { data }) }
}
