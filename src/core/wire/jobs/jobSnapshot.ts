import type { CallToolResult } from '../../protocol/callToolResult.js'
import { isTaskError, TaskProtocolError, TaskRequestError } from '../../protocol/errors.js'
import { type DetailedTask, isTerminal, parseDetailedTask, type Task } from '../../protocol/task.js'
import type { Job, JobReading, JobToolResult } from './job.js'
import { brokenJob, goneJob, type JobRequest } from './jobErrors.js'

/** What JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000

/** The task that a job is, where nothing but its id is known yet. */
export function newJobTask(taskId: string, { intervalMs, ttlMs }: Job): Task {
  return {
    taskId,
    status: 'working',
    // A job says nothing of its times: its snapshots count in the order in which they come.
    createdAt: '',
    lastUpdatedAt: '',
    ttlMs: ttlMs ?? null,
    ...(intervalMs !== undefined && { pollIntervalMs: intervalMs }),
  }
}

/**
 * What `read` makes of the result of the status tool.
 *
 * @throws {TaskProtocolError} if it throws.
 */
export function readJob(result: JobToolResult, { read }: Job, request: JobRequest): JobReading {
  try {
    const reading = read(result)
    if (typeof reading === 'object' && reading !== null) return reading
  } catch (error) {
    // A word that `byStatusField` does not know may be the id.
    if (error instanceof TaskRequestError)
      throw new TaskRequestError(request.hidden(error.message), { ...error, taskId: request.taskId })
    if (isTaskError(error)) throw error
    throw brokenJob(request, `read() of defineJob threw (${request.hidden(String(error))})`, error)
  }
  throw brokenJob(request, 'read() of defineJob returned no { status }')
}

/** The reading as a snapshot of a task. `outcome`: what the caller gets of a job that is done. */
export function jobSnapshot(
  reading: JobReading,
  outcome: CallToolResult | undefined,
  job: Job,
  request: JobRequest,
): DetailedTask {
  const { message } = reading
  if (reading.status === 'gone') throw goneJob(request, message && request.hidden(message))
  const body = {
    ...newJobTask(request.taskId, job),
    // The errors of these quote it.
    ...(typeof message === 'string' && {
      statusMessage: isTerminal(reading.status) ? request.hidden(message) : message,
    }),
    ...carried(reading, outcome, request),
    status: reading.status,
  }
  try {
    return parseDetailedTask(body, 'tools/call')
  } catch (error) {
    if (!(error instanceof TaskProtocolError)) throw error
    throw brokenJob(
      request,
      `read() of defineJob returned something that is not the state of a job: ${error.violation}`,
      error,
    )
  }
}

function carried(reading: JobReading, outcome: CallToolResult | undefined, { hidden }: JobRequest): object {
  switch (reading.status) {
    case 'working': {
      const { progress, pollAfterMs } = reading
      return {
        ...(progress && { progress: { progress: progress.value, total: progress.total } }),
        ...(pollAfterMs !== undefined && { pollIntervalMs: pollAfterMs }),
      }
    }
    case 'completed':
      return { result: outcome }
    case 'failed': {
      const { message = 'The job failed; the server does not say why.', code = SERVER_ERROR, data } = reading
      return { error: { code, message: hidden(String(message)), ...(data !== undefined && { data: hidden(data) }) } }
    }
    case 'input_required':
      return { inputRequests: reading.inputRequests }
    default:
      return {}
  }
}
