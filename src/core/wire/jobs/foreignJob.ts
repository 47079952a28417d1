import { TaskRequestError } from '../../protocol/errors.js'

/** What the task id of a job begins with. No server gives such ids. */
export const JOB_PREFIX = 'taskwire:job:'

/**
 * Why this page cannot ask for a job: it was started by another page of the app, or by another version of this one. Where
 * a page with the definition is open, it gets the lead, as from a tab that cannot reach the server.
 */
export function foreignJobError(taskId: string): TaskRequestError {
  return new TaskRequestError('This page has no defineJob for the job.', { kind: 'network', taskId })
}
