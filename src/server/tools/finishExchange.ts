import {
  type Implementation,
  INTERNAL_ERROR,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import { parseCallToolResult } from '../../core/protocol/callToolResult.js'
import { MISSING_CLIENT_CAPABILITY } from '../../core/protocol/extension.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { pickTask } from '../../core/protocol/task.js'
import type { Exchange } from '../http/exchange.js'
import { errorResponse, resultResponse } from '../http/jsonRpcResponse.js'
import { withSession } from '../http/legacySession.js'
import { requestParams } from '../http/requestParams.js'
import { messageOf, readSse, sseEvent } from '../http/sse.js'
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
  if (run !== undefined && !exchange.isHandedOff) {
    const outcome: TaskOutcome =
      failure === undefined ? await outcomeOf(isDirect ? response.clone() : response) : { type: 'fail', error: failure }
    const record = await parts.runtime.settle(run, outcome)
    if (!isDirect) return taskCreatedResponse(exchange, record, parts.config.serverInfo)
  }
  // To earlier revisions the SDK streams: its response is on the way before the tool has ended.
  if (isLegacy) {
    const isInitialize = isJsonObject(body) && body['method'] === 'initialize'
    return isInitialize ? withSession(response, requestParams(body)) : withProtocolErrors(response, exchange)
  }
  if (failure === undefined) return response
  await response.body?.cancel()
  // As the SDK maps them: what a tool throws is in-band, but for the one code whose status is specified.
  const status = failure.code === MISSING_CLIENT_CAPABILITY ? 400 : exchange.failureStatus
  return errorResponse(body, failure, status, retryAfterMs)
}

/** The SDK makes a result with `isError` of what a tool throws. A `ProtocolError` keeps its code and its data. */
function withProtocolErrors(response: Response, exchange: Exchange): Response {
  const { body } = exchange
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || response.body === null || !isJSONRPCRequest(body) || body.method !== 'tools/call') return response
  const { id } = body
  const reader = response.body.getReader()
  const frames = readSse(reader)
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next()
      if (done === true) return controller.close()
      const { failure, isMeantForClient } = exchange
      const isResult = isMeantForClient && failure !== undefined && messageOf(value)?.['id'] === id
      controller.enqueue(encoder.encode(isResult ? sseEvent({ jsonrpc: '2.0', id, error: failure }) : value))
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(stream, response)
}

async function outcomeOf(response: Response): Promise<TaskOutcome> {
  const message: unknown = await response.json().catch(() => undefined)
  if (isJSONRPCErrorResponse(message)) return { type: 'fail', error: message.error }
  const parsed = parseCallToolResult(isJSONRPCResultResponse(message) ? message.result : undefined)
  return 'result' in parsed
    ? { type: 'complete', result: parsed.result }
    : { type: 'fail', error: { code: INTERNAL_ERROR, message: 'The tool ended without a result.' } }
}
