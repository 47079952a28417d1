import {
  CLIENT_CAPABILITIES_META_KEY,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isJSONRPCRequest,
  ProtocolError,
} from '@modelcontextprotocol/server'
import { MISSING_CLIENT_CAPABILITY, supportsTasks } from '../../core/protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Clock } from '../base/clock.js'
import type { ReportError } from '../base/reportError.js'
import type { NotifyServer } from '../base/taskServerEvents.js'
import type { Exchange } from '../http/exchange.js'
import { errorResponse } from '../http/jsonRpcResponse.js'
import type { OwnerNaming } from '../http/ownerOf.js'
import { ownerOf } from '../http/ownerOf.js'
import { capabilitiesIn, missingTasksCapability } from '../http/tasksCapability.js'
import { isLimitReached } from '../tasks/limitReached.js'
import { toTaskFailure } from '../tasks/taskFailure.js'
import type { TaskRuntime } from '../tasks/taskRuntime.js'
import { causeOfUnavailable, fromStore } from '../tasks/unavailable.js'
import type { StreamPlaces } from './streamPlaces.js'
import { createTaskStream } from './taskStream.js'
import { followTasks } from './taskUpdates.js'

const SERVICE_UNAVAILABLE = 503

/** What it takes to serve streams of tasks. */
export interface Listening {
  readonly config: OwnerNaming & {
    readonly push: boolean
    readonly maxTasksPerOwner: number
    readonly clock: Clock
    /** How long clients are asked to wait, as things stand, in ms. */
    pollIntervalOf(tool: undefined): number
  }
  readonly runtime: TaskRuntime
  readonly streams: StreamPlaces
  readonly report: ReportError
  readonly notify: NotifyServer
}

/**
 * Adds tasks to the SDK's response to a `subscriptions/listen` (SEP-2663, "Task Status Notifications"), and gives the
 * stream its place among those of its owner; any other response is left as it is. The SDK has checked the envelope, and
 * serves every other kind of notification on the same stream.
 */
export async function listenToTasks(exchange: Exchange, response: Response, parts: Listening): Promise<Response> {
  const { body, isLegacy, signal } = exchange
  const { config, runtime, streams } = parts
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isLegacy || !isStream || response.body === null) return response
  if (!isJSONRPCRequest(body) || body.method !== 'subscriptions/listen') return response
  let leave = () => {}
  try {
    const wanted = wantedTasks(body.params ?? {})
    const owner = await ownerOf(exchange, config)
    leave = streams.take(owner)
    // What is not found is never followed: to follow is to remember an id, and to read it again and again.
    const found = config.push ? await findTasks(wanted.slice(0, config.maxTasksPerOwner), owner, runtime) : []
    const updates = await followTasks(found, owner, runtime)
    const { clock } = config
    const stream = createTaskStream({
      base: response.body,
      subscriptionId: body.id,
      updates,
      capabilities: capabilitiesIn(body.params),
      clock,
      signal,
      onEnd: leave,
    })
    return new Response(stream, { headers: response.headers })
  } catch (error) {
    leave()
    await response.body.cancel()
    return refusal(error, exchange, parts)
  }
}

async function findTasks(taskIds: readonly string[], owner: string, runtime: TaskRuntime): Promise<string[]> {
  const records = await Promise.all(taskIds.map((taskId) => fromStore(runtime.read(taskId, owner))))
  return records.flatMap((record) => record?.task.taskId ?? [])
}

/** The `taskIds` of the filter, each once. */
function wantedTasks({ notifications, _meta }: JsonObject): readonly string[] {
  const taskIds = isJsonObject(notifications) ? notifications['taskIds'] : undefined
  if (taskIds === undefined) return []
  if (!isJsonObject(_meta) || !supportsTasks(_meta[CLIENT_CAPABILITIES_META_KEY])) throw missingTasksCapability()
  if (Array.isArray(taskIds) && taskIds.every((taskId) => typeof taskId === 'string')) return [...new Set(taskIds)]
  throw new ProtocolError(INVALID_PARAMS, 'Invalid params: params.notifications.taskIds is not a list of strings')
}

function refusal(error: unknown, { body }: Exchange, { report, notify, config }: Listening): Response {
  if (error instanceof ProtocolError) {
    const failure = toTaskFailure(error)
    const refused = causeOfUnavailable(error)
    if (refused !== undefined) {
      report(refused.cause, { source: 'server' })
      return errorResponse(body, failure, SERVICE_UNAVAILABLE, config.pollIntervalOf(undefined))
    }
    if (isLimitReached(error)) notify({ type: 'limit-reached', what: 'streams' })
    const retryAfterMs = isLimitReached(error) ? config.pollIntervalOf(undefined) : undefined
    return errorResponse(body, failure, failure.code === MISSING_CLIENT_CAPABILITY ? 400 : 200, retryAfterMs)
  }
  report(error, { source: 'server' })
  return errorResponse(body, { code: INTERNAL_ERROR, message: 'Internal error' }, 200)
}
