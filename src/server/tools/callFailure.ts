import { INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import type { Exchange } from '../http/exchange.js'
import type { ServerParts } from '../serverParts.js'
import { isLimitReached } from '../tasks/limitReached.js'
import { toTaskFailure } from '../tasks/taskFailure.js'
import { causeOfUnavailable, unavailable } from '../tasks/unavailable.js'
import type { ToolDefinition } from './defineTool.js'
import { isResultTooLarge } from './sendableResult.js'

const SERVICE_UNAVAILABLE = 503

/** The error that a client gets for a failed call. Leaves it in the exchange, and reports what clients do not get. */
export function failedCall(
  thrown: unknown,
  { tool, exchange }: { readonly tool: Pick<ToolDefinition, 'name' | 'pollIntervalMs'>; readonly exchange: Exchange },
  parts: ServerParts,
): ProtocolError {
  const error = isGivenUp(exchange) ? givenUp(thrown) : thrown
  exchange.isMeantForClient = error instanceof ProtocolError
  exchange.failure = toTaskFailure(error)
  const refused = causeOfUnavailable(error)
  if (refused !== undefined || isLimitReached(error)) exchange.retryAfterMs = parts.config.pollIntervalOf(tool)
  if (isLimitReached(error)) parts.notify({ type: 'limit-reached', what: 'tasks' })
  if (refused !== undefined) exchange.failureStatus = SERVICE_UNAVAILABLE
  const { code, message, data } = exchange.failure
  const isStopped = (exchange.run?.signal ?? exchange.signal).aborted
  const about = { tool: tool.name, requestId: exchange.requestId }
  if (refused !== undefined && !isStopped) parts.report(refused.cause, { source: 'server', ...about })
  if (!isStopped && (!(error instanceof ProtocolError) || isResultTooLarge(error)))
    parts.report(error, { source: 'tool', ...about })
  return new ProtocolError(code, message, data)
}

/** Another process may have the call, and the client that waits for its outcome gets that when it sends the call again. */
function isGivenUp({ isDirect, run }: Exchange): boolean {
  return isDirect && run?.isLost === true
}

function givenUp(cause: unknown): ProtocolError {
  return unavailable('The server has stopped before the call had ended. Send it again.', cause)
}

/** The same for a request about a task. */
export function failedMethod(error: unknown, exchange: Exchange, { report, config }: ServerParts): ProtocolError {
  const refused = causeOfUnavailable(error)
  if (error instanceof ProtocolError && refused === undefined) return error
  report(refused === undefined ? error : refused.cause, { source: 'server' })
  if (!(error instanceof ProtocolError)) return new ProtocolError(INTERNAL_ERROR, 'Internal error')
  exchange.failure = toTaskFailure(error)
  exchange.failureStatus = SERVICE_UNAVAILABLE
  exchange.retryAfterMs = config.pollIntervalOf(undefined)
  return error
}
