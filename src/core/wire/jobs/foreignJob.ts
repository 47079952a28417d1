import { TaskRequestError, TasksUnsupportedError } from '../../protocol/errors.js'
import { METHOD_NOT_FOUND } from '../../protocol/extension.js'

/**
 * Why this page cannot ask for a job: it was started by another page of the app, or by another version of this one. Where
 * a page with the definition is open, it gets the lead, as from a tab that cannot reach the server.
 */
export function foreignJobError(taskId: string): TaskRequestError {
  return new TaskRequestError('This page has no defineJob for the job.', { kind: 'network', taskId })
}

/** Why this page cannot cancel the job or respond to it, which is not tried again: no page would take that over. */
export function refusedJobError(taskId: string): TasksUnsupportedError {
  return new TasksUnsupportedError(
    'This page has no defineJob for the job, so it can neither cancel it nor respond to it. A page that has it can.',
    { taskId, code: METHOD_NOT_FOUND },
  )
}
