import { isJsonObject, type JsonObject } from './json.js'
import { cutText } from './text.js'

/**
 * `_meta` key of the progress of a task. SEP-2663 has `statusMessage` alone; the members are those of
 * `notifications/progress`.
 */
export const PROGRESS_META = 'dev.taskwire/progress'

/** The progress of a task, as the server counts it. */
export interface TaskProgress {
  /** How many units of the work are done. */
  readonly progress: number
  /** The total. Absent if the server does not know it. */
  readonly total?: number
  /** The current step, in words for people. It comes from the server: render it as text. */
  readonly message?: string
}

/**
 * Reads the progress of a task from its `_meta`, or from the members `progress` and `progressTotal` beside its status.
 * Undefined where there is none; `issue` is called where there is one that makes no sense.
 */
export function parseProgress(task: JsonObject, issue: (violation: string) => void): TaskProgress | undefined {
  const { _meta: meta, progress: flat, progressTotal } = task
  const raw = (isJsonObject(meta) ? meta[PROGRESS_META] : undefined) ?? flat ?? undefined
  if (raw === undefined) return undefined
  const { progress, total, message } = isJsonObject(raw)
    ? raw
    : { progress: raw, total: progressTotal, message: undefined }
  if (!isAmount(progress)) return void issue('the progress is not a number of 0 or more; ignored')
  return {
    progress,
    ...(isAmount(total) && total > 0 && { total }),
    ...(typeof message === 'string' && { message: cutText(message) }),
  }
}

/** True for a number that progress can be. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
