import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { TaskProgress } from '../../protocol/progress.js'
import { requestParams } from '../http/requestParams.js'

/**
 * Sends progress to a client that has sent a progress token with its request. The number has to grow with each notification
 * (MCP 2026-07-28, "Progress"): one that does not is left out.
 */
export function createProgressNotifier(
  body: unknown,
  notify: (notification: { method: string; params: JsonObject }) => void,
): (progress: TaskProgress | undefined) => void {
  const { _meta } = requestParams(body)
  const progressToken = isJsonObject(_meta) ? _meta['progressToken'] : undefined
  let last = Number.NEGATIVE_INFINITY
  return (reached) => {
    if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return
    if (reached === undefined || reached.progress <= last) return
    last = reached.progress
    notify({ method: 'notifications/progress', params: { progressToken, ...reached } })
  }
}
