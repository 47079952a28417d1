import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { isAmount, type TaskProgress } from '../../core/protocol/progress.js'

/** Where the work of a tool stands: so far, or in words alone. */
export type WorkReport = TaskProgress | { readonly progress?: undefined; readonly message: string }

/** The arguments of `ToolContext.progress`. */
export type WorkReportArguments =
  | [message: string]
  | [progress: number, total?: number | undefined, message?: string | undefined]

/**
 * What a tool reports.
 *
 * @throws {TaskConfigurationError} if a number is not finite or below 0, or the message is not a string.
 */
export function checkReport(...[progress, total, message]: WorkReportArguments): WorkReport {
  if (typeof progress === 'string' && total === undefined) return { message: progress }
  if (!isAmount(progress)) throw unusable(`progress ${String(progress)}`)
  if (total !== undefined && !(isAmount(total) && total > 0)) throw unusable(`the total ${String(total)}`)
  if (message !== undefined && typeof message !== 'string') throw unusable(`a ${typeof message} as message`)
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
}

/** The same for clients that show a text alone. */
export function reportText(report: WorkReport): string {
  if (report.progress === undefined) return report.message
  const { progress, total, message } = report
  const reached = total === undefined ? String(progress) : `${progress} of ${total}`
  return message === undefined || message === '' ? reached : `${message} (${reached})`
}

function unusable(what: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to report progress: progress() was given ${what}. Pass progress(3, 10, 'Asia'), numbers of 0 or more and a text, ` +
      "or a text alone, progress('Sending').",
  )
}
