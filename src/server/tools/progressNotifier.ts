import { isJsonObject } from '../../core/protocol/json.js'
import type { Exchange } from '../http/exchange.js'
import { requestParams } from '../http/requestParams.js'
import type { WorkReport } from '../tasks/workReport.js'

/** Beside a unit of work, nothing that a bar would show. */
const A_LITTLE = 0.001

/**
 * Sends progress to a client that has sent a progress token with its request. The number has to grow with each notification
 * (MCP 2026-07-28, "Progress"): a message that has no number of its own, or the same as before, is sent a little above the
 * last one. A number that goes back is left out.
 */
export function createProgressNotifier(exchange: Exchange): (report: WorkReport) => void {
  const { _meta } = requestParams(exchange.body)
  const progressToken = isJsonObject(_meta) ? _meta['progressToken'] : undefined
  /** The last number of the handler, what was said with it, and the number that was sent. */
  let reached = 0
  let said: string | undefined
  let sent: number | undefined
  return (report) => {
    if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return
    const { progress = reached, message } = report
    if (progress < reached || (sent !== undefined && progress === reached && message === said)) return
    reached = progress
    said = message
    sent = sent === undefined || progress > sent ? progress : sent + A_LITTLE
    const params = { progressToken, ...report, progress: sent }
    exchange.notify({ jsonrpc: '2.0', method: 'notifications/progress', params })
  }
}
