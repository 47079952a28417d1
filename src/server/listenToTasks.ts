import {
  CLIENT_CAPABILITIES_META_KEY,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isJSONRPCRequest,
  ProtocolError,
} from '@modelcontextprotocol/server'
import { MISSING_CLIENT_CAPABILITY, supportsTasks } from '../protocol/extension.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { Exchange } from './exchange.js'
import { errorResponse } from './jsonRpcResponse.js'
import { ownerOf } from './ownerOf.js'
import type { ServerParts } from './serverParts.js'
import { toTaskFailure } from './taskFailure.js'
import { followTasks } from './taskNews.js'
import { createTaskStream } from './taskStream.js'
import { missingTasksCapability } from './tasksCapability.js'

/**
 * Adds tasks to the SDK's answer to a `subscriptions/listen` that asks for them (SEP-2663, "Task Status
 * Notifications"); any other answer is left as it is. The SDK has checked the envelope, and serves every
 * other kind of notification on the same stream.
 */
export async function listenToTasks(exchange: Exchange, response: Response, parts: ServerParts): Promise<Response> {
  const { body, isLegacy, signal } = exchange
  const { config, runtime } = parts
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isLegacy || !isStream || response.body === null) return response
  if (!isJSONRPCRequest(body) || body.method !== 'subscriptions/listen') return response
  try {
    const taskIds = wantedTasks(body.params ?? {})
    if (taskIds === undefined || !config.push) return response
    const owner = await ownerOf(exchange, config)
    const news = await followTasks([...new Set(taskIds)].slice(0, config.maxTasksPerOwner), owner, runtime)
    const options = { base: response.body, subscriptionId: body.id, news, clock: config.clock, signal }
    return new Response(createTaskStream(options), { headers: response.headers })
  } catch (error) {
    await response.body.cancel()
    return refusal(error, exchange, parts)
  }
}

/** The `taskIds` of the filter; undefined where it has none. */
function wantedTasks({ notifications, _meta }: JsonObject): readonly string[] | undefined {
  const taskIds = isJsonObject(notifications) ? notifications['taskIds'] : undefined
  if (taskIds === undefined) return undefined
  if (!isJsonObject(_meta) || !supportsTasks(_meta[CLIENT_CAPABILITIES_META_KEY])) throw missingTasksCapability()
  if (Array.isArray(taskIds) && taskIds.every((taskId) => typeof taskId === 'string')) return taskIds
  throw new ProtocolError(INVALID_PARAMS, 'Invalid params: params.notifications.taskIds is not a list of strings')
}

function refusal(error: unknown, { body }: Exchange, { report }: ServerParts): Response {
  if (error instanceof ProtocolError) {
    const failure = toTaskFailure(error)
    return errorResponse(body, failure, failure.code === MISSING_CLIENT_CAPABILITY ? 400 : 200)
  }
  report(error, { source: 'server' })
  return errorResponse(body, { code: INTERNAL_ERROR, message: 'Internal error' }, 200)
}
