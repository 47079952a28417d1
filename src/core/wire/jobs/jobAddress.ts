import { isJsonObject } from '../../protocol/json.js'
import { isJob, JOB_PREFIX } from '../../protocol/taskAddress.js'
import type { Job, JobId } from './job.js'

/** A job, and by what the server knows it. */
export interface JobAddress {
  readonly job: Job
  readonly id: JobId
}

/** Longer ones are longer than what a record keeps of a task id. */
const MAX_LENGTH = 4096

/** The id of a job for the code above: a task id that says which job it is. Undefined for what is none, or too long. */
export function jobTaskId(job: Job, id: unknown): string | undefined {
  if (!isJobId(id)) return undefined
  const taskId = prefixOf(job) + encoded(id)
  return taskId.length <= MAX_LENGTH ? taskId : undefined
}

/**
 * The job that a task id stands for. Undefined for the id of a task.
 *
 * @throws `foreign` for a job that is unknown here.
 */
export function jobAddress(
  taskId: string,
  jobs: readonly Job[],
  foreign: (taskId: string) => Error,
): JobAddress | undefined {
  if (!isJob(taskId)) return undefined
  // A tool may be named like the beginning of another one with its id.
  const [job] = jobs.filter((one) => taskId.startsWith(prefixOf(one))).sort((a, b) => b.start.length - a.start.length)
  if (job === undefined) throw foreign(taskId)
  return { job, id: decoded(taskId.slice(prefixOf(job).length)) }
}

function prefixOf({ start }: Job): string {
  return `${JOB_PREFIX}${start}:`
}

function isJobId(id: unknown): id is JobId {
  if (typeof id === 'string') return id !== ''
  if (typeof id === 'number') return Number.isFinite(id)
  // Of arguments that are all undefined nothing is left.
  return isJsonObject(id) && JSON.stringify(id) !== '{}'
}

/** A text stands as it is, unless it would be read as JSON. */
function encoded(id: JobId): string {
  return typeof id === 'string' && decoded(id) === id ? id : JSON.stringify(id)
}

function decoded(text: string): JobId {
  try {
    const id: unknown = JSON.parse(text)
    return isJobId(id) ? id : text
  } catch {
    return text
  }
}
