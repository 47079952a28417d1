import { TaskConfigurationError } from '../../protocol/errors.js'
import { isAmount, type TaskProgress } from '../../protocol/progress.js'

/**
 * The progress that a tool reports.
 *
 * @throws {TaskConfigurationError} where a number is not finite or below 0, or the message is not a string.
 */
export function checkProgress(progress: number, total?: number, message?: string): TaskProgress {
  if (!isAmount(progress)) throw unusable(`progress ${String(progress)}`)
  if (total !== undefined && !(isAmount(total) && total > 0)) throw unusable(`the total ${String(total)}`)
  if (message !== undefined && typeof message !== 'string') throw unusable(`a ${typeof message} as message`)
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
}

/** The same for clients that show a text alone. */
export function progressText({ progress, total, message }: TaskProgress): string {
  const reached = total === undefined ? String(progress) : `${progress} of ${total}`
  return message === undefined || message === '' ? reached : `${message} (${reached})`
}

function unusable(what: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to set the progress of a task: setProgress() was given ${what}. Pass setProgress(3, 10, 'Asia'): numbers of 0 or more, and a text.`,
  )
}
