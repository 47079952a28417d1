import type { TimerHandle } from '../../environment/environment.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { onAbort } from '../../time/abort.js'
import type { ServerNotification, TaskRequester } from '../taskRequester.js'
import { WireError } from '../wireErrors.js'
import { type ExchangeOptions, errorOf, exchange } from './exchange.js'
import type { ListedHeaders } from './toolHeaders.js'

/** How long a server may take to answer what needs no work. */
const TIMEOUT_MS = 60_000

export interface LiteRequestsOptions extends ExchangeOptions {
  /** What every request carries in its `_meta`. */
  readonly envelope: JsonObject
}

/** The requests of one connection: they share nothing but that their ids differ, and that they end with it. */
export interface LiteRequests extends TaskRequester {
  /** What tools ask for in headers. Listing tools fills it, and calls send it. */
  readonly listedHeaders: ListedHeaders
  /** A request that is given up after a minute. Resolves to its result, which is complete. */
  requestInTime(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>
  close(): void
}

export function createLiteRequests(options: LiteRequestsOptions): LiteRequests {
  const { envelope, environment, listedHeaders = new Map() } = options
  const exchangeOptions = { ...options, listedHeaders }
  /** Ends each request that is open. A set, not the listeners of one signal: Node warns of more than ten of these. */
  const open = new Set<(reason: unknown) => void>()
  let closed: WireError | undefined
  let sequence = 0

  /** The result; undefined where a stream ends without one. Over at once where it is given up, whatever `fetch` does. */
  function send(
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
    timeoutMs?: number,
    onNotification?: (message: ServerNotification) => void,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const controller = new AbortController()
      const id = ++sequence
      let timer: TimerHandle
      let stopListening = () => {}
      let result: unknown
      const leave = () => {
        open.delete(end)
        stopListening()
        environment.clearTimeout(timer)
      }
      const end = (reason: unknown) => {
        reject(reason)
        controller.abort(reason)
        leave()
      }
      const take = (message: JsonObject): boolean => {
        if (isNotification(message)) onNotification?.(message)
        if (message['method'] !== undefined || message['id'] !== id) return false
        const error = errorOf(message)
        if (error) throw error
        result = message['result']
        return true
      }
      open.add(end)
      if (signal) stopListening = onAbort(signal, () => end(signal.reason))
      if (closed) end(closed)
      if (controller.signal.aborted) return
      if (timeoutMs)
        timer = environment.setTimeout(() => end(new WireError('REQUEST_TIMEOUT', 'Request timed out')), timeoutMs)
      const _meta = { ...(params['_meta'] as object | undefined), ...envelope }
      exchange(exchangeOptions, { id, method, params: { ...params, _meta } }, controller.signal, take)
        .then(() => resolve(result), reject)
        .finally(leave)
    })
  }

  async function request(method: string, params: JsonObject, signal?: AbortSignal, timeoutMs?: number) {
    const result = await send(method, params, signal, timeoutMs)
    if (result !== undefined) return result
    throw new WireError('CONNECTION_CLOSED', `The stream ended before the response to ${method}`)
  }

  return {
    listedHeaders,
    request,
    requestInTime: async (method, params, signal) =>
      completeResult(method, await request(method, params, signal, TIMEOUT_MS)),
    listen: async (params, onNotification, signal) => {
      await send('subscriptions/listen', params, signal, undefined, onNotification)
    },
    close: () => {
      closed = new WireError('CONNECTION_CLOSED', 'Connection closed')
      for (const end of open) end(closed)
    },
  }
}

/**
 * The result where it is complete, as every result is that names no type (MCP 2026-07-28, "ResultType").
 *
 * @throws {WireError} if it is not.
 */
export function completeResult(method: string, result: unknown): JsonObject {
  if (!isJsonObject(result)) throw new WireError('INVALID_RESULT', `The result of ${method} is not an object.`)
  const { resultType = 'complete' } = result
  if (resultType === 'complete') return result
  throw new WireError(
    'UNSUPPORTED_RESULT_TYPE',
    `The result of ${method} has the type ${JSON.stringify(resultType)}, which is not allowed.`,
  )
}

function isNotification(message: JsonObject): message is JsonObject & ServerNotification {
  const { method, params } = message
  return typeof method === 'string' && (params === undefined || isJsonObject(params))
}
