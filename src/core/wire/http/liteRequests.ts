import type { Environment } from '../../environment/environment.js'
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
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
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
  /** Ends each request that is open. A set, not the listeners of one signal: Node warns of more than ten of these. */
  const open = new Set<(reason: unknown) => void>()
  let closed: WireError | undefined
  let sequence = 0

  /** The result; undefined where a stream ends without one. */
  async function send(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    onNotification: (message: ServerNotification) => void,
  ): Promise<unknown> {
    const id = ++sequence
    const request = {
      id,
      method,
      params: { ...params, _meta: { ...(params['_meta'] as object | undefined), ...envelope } },
    }
    for await (const message of exchange({ ...options, listedHeaders }, request, signal)) {
      if (isNotification(message)) onNotification(message)
      else if (message['id'] === id) {
        const error = errorOf(message)
        if (error) throw error
        return message['result']
      }
    }
    return undefined
  }

  /** The same, over at once where the signal aborts or the connection is closed, whatever `fetch` does. */
  function sendUntil(
    signal: AbortSignal | undefined,
    method: string,
    params: JsonObject,
    onNotification: (message: ServerNotification) => void = () => {},
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const controller = new AbortController()
      let stopListening = () => {}
      const leave = () => {
        open.delete(end)
        stopListening()
      }
      const end = (reason: unknown) => {
        reject(reason)
        controller.abort(reason)
        leave()
      }
      open.add(end)
      if (signal) stopListening = onAbort(signal, () => end(signal.reason))
      if (closed) end(closed)
      if (controller.signal.aborted) return
      send(method, params, controller.signal, onNotification).then(resolve, reject).finally(leave)
    })
  }

  async function request(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown> {
    const result = await sendUntil(signal, method, params)
    if (result !== undefined) return result
    throw new WireError('CONNECTION_CLOSED', `The stream ended before the response to ${method}`)
  }

  return {
    listedHeaders,
    request,
    requestInTime: async (method, params, signal) => {
      const late = new AbortController()
      const giveUp = () => late.abort(new WireError('REQUEST_TIMEOUT', 'Request timed out'))
      const timer = environment.setTimeout(giveUp, TIMEOUT_MS)
      const stopListening = signal ? onAbort(signal, () => late.abort(signal.reason)) : () => {}
      try {
        return completeResult(method, await request(method, params, late.signal))
      } finally {
        stopListening()
        environment.clearTimeout(timer)
      }
    },
    listen: async (params, onNotification, signal) => {
      await sendUntil(signal, 'subscriptions/listen', params, onNotification)
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
    `The result of ${method} has the type ${JSON.stringify(resultType)}, which it may not have.`,
  )
}

function isNotification(message: JsonObject): message is JsonObject & ServerNotification {
  const { method, params } = message
  return typeof method === 'string' && (params === undefined || isJsonObject(params))
}
