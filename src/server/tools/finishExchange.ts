import {
  type Implementation,
  INTERNAL_ERROR,
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import { parseCallToolResult } from '../../protocol/callToolResult.js'
import { MISSING_CLIENT_CAPABILITY } from '../../protocol/extension.js'
import { pickTask } from '../../protocol/task.js'
import type { Exchange } from '../http/exchange.js'
import { errorResponse, resultResponse } from '../http/jsonRpcResponse.js'
import type { ServerParts } from '../serverParts.js'
import type { TaskOutcome } from '../tasks/settlement.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import { withWireProgress } from '../tasks/toWireTask.js'

/**
 * Responds that the call has become a task: a flat `CreateTaskResult`, which carries no result and no error
 * even where the task is over (SEP-2663, "Task Creation").
 */
export function taskCreatedResponse({ body }: Exchange, { task }: TaskRecord, serverInfo: Implementation): Response {
  const { _meta, ...shown } = withWireProgress(pickTask(task))
  const meta = { ...(_meta as object | undefined), [SERVER_INFO_META_KEY]: serverInfo }
  return resultResponse(body, { resultType: 'task', ...shown, _meta: meta })
}

/**
 * Takes the SDK's response for what it is: the outcome of the task where there is one, which is in the store when
 * this resolves, else the response to the client, unless the tool has thrown.
 */
export async function finishExchange(exchange: Exchange, response: Response, parts: ServerParts): Promise<Response> {
  const { run, elsewhere, isDirect, failure, isLegacy, body, retryAfterMs } = exchange
  if (elsewhere !== undefined) {
    await response.body?.cancel()
    return taskCreatedResponse(exchange, elsewhere, parts.config.serverInfo)
  }
  if (run !== undefined) {
    const outcome: TaskOutcome =
      failure === undefined ? await outcomeOf(isDirect ? response.clone() : response) : { type: 'fail', error: failure }
    const record = await parts.runtime.settle(run, outcome)
    if (!isDirect) return taskCreatedResponse(exchange, record, parts.config.serverInfo)
  }
  // To earlier revisions the SDK streams: its response is on the way before the tool has ended.
  if (failure === undefined || isLegacy) return response
  await response.body?.cancel()
  // As the SDK maps them: what a tool throws is in-band, but for the one code whose status is specified.
  const status = failure.code === MISSING_CLIENT_CAPABILITY ? 400 : exchange.failureStatus
  return errorResponse(body, failure, status, retryAfterMs)
}

async function outcomeOf(response: Response): Promise<TaskOutcome> {
  const message: unknown = await response.json().catch(() => undefined)
  if (isJSONRPCErrorResponse(message)) return { type: 'fail', error: message.error }
  const parsed = parseCallToolResult(isJSONRPCResultResponse(message) ? message.result : undefined)
  return 'result' in parsed
    ? { type: 'complete', result: parsed.result }
    : { type: 'fail', error: { code: INTERNAL_ERROR, message: 'The tool ended without a result.' } }
}
