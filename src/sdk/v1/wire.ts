import type { JSONRPCNotification, JSONRPCRequest, RequestId } from '@modelcontextprotocol/client'
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../core/protocol/extension.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { onAbort } from '../../core/time/abort.js'
import { MAX_TIMER_MS } from '../../core/time/policy.js'
import { RpcError } from '../../core/wire/wireErrors.js'
import type { LegacyWire, ServerRequestResponse } from '../legacy/wire.js'
import type { OnServerMessage } from '../transport/internalRequests.js'
import type { SdkV1Client } from './client.js'
import { fromSdkV1Error } from './errors.js'

/** A schema in the form that SDK v1 takes: whatever comes is parsed by us. */
const ANYTHING = { parse: (data: unknown) => data, safeParse: (data: unknown) => ({ success: true, data }) }

type RequestHandler = (request: unknown, extra: { signal: AbortSignal }) => Promise<unknown>
type NotificationHandler = (notification: unknown) => Promise<void>

/** The wire of an SDK v1 client: its public methods, and its handlers for what the app handles not. */
export interface SdkV1Wire extends LegacyWire {
  /** Aborted when the server withdraws this request of it; undefined where that has its response. */
  withdrawalOf(id: RequestId): AbortSignal | undefined
  /** Gives the app its handlers back. */
  release(): void
}

export function sdkV1Wire(client: SdkV1Client): SdkV1Wire {
  const asked = new Map<RequestId, { give(response: ServerRequestResponse): void; readonly signal: AbortSignal }>()
  let listener: OnServerMessage = () => false
  const { fallbackRequestHandler: appRequests, fallbackNotificationHandler: appNotifications } = client

  const onRequest: RequestHandler = (request, extra) => {
    const message = { jsonrpc: '2.0', ...(request as object) }
    if (!isRequest(message)) return Promise.reject(methodNotFound())
    const { id } = message
    const response = new Promise((resolve, reject) => {
      const give = (given: ServerRequestResponse) => {
        if ('result' in given) resolve(given.result)
        else reject(new RpcError(given.error.code, given.error.message, undefined))
      }
      asked.set(id, { give, signal: extra.signal })
    })
    if (!listener(message)) {
      asked.delete(id)
      return typeof appRequests === 'function'
        ? appRequests.call(client, request, extra)
        : Promise.reject(methodNotFound())
    }
    // SDK v1 keeps the notification that a request is taken back to itself, and says so by the signal.
    onAbort(extra.signal, () => {
      asked.delete(id)
      listener({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    })
    return response
  }

  const onNotification: NotificationHandler = async (notification) => {
    const message = { jsonrpc: '2.0', ...(notification as object) }
    if (isNotification(message) && listener(message)) return
    if (typeof appNotifications === 'function') await appNotifications.call(client, notification)
  }

  client.fallbackRequestHandler = onRequest
  client.fallbackNotificationHandler = onNotification

  return {
    // The transport is the app's, and so is its session.
    sessionId: undefined,
    hasOwnTokens: true,
    request: async (method, params, { signal, onProgress }) => {
      signal?.throwIfAborted()
      // SDK v1 listens to a signal for good, and tells the server of an abort long after the response.
      const request = new AbortController()
      const release = signal ? onAbort(signal, () => request.abort(signal.reason)) : () => {}
      const options = { signal: request.signal, timeout: MAX_TIMER_MS, ...(onProgress && { onprogress: onProgress }) }
      try {
        return await client.request({ method, params }, ANYTHING as never, options as never)
      } catch (error) {
        throw signal?.aborted ? signal.reason : fromSdkV1Error(error)
      } finally {
        release()
      }
    },
    respond: async (id, response) => {
      const request = asked.get(id)
      if (request === undefined)
        throw new RpcError(INVALID_PARAMS, 'The server has withdrawn the input request.', undefined)
      asked.delete(id)
      request.give(response)
    },
    withdrawalOf: (id) => asked.get(id)?.signal,
    onServerMessage: (next) => {
      listener = next
      return () => {
        listener = () => false
      }
    },
    release: () => {
      if (client.fallbackRequestHandler === onRequest) client.fallbackRequestHandler = appRequests
      if (client.fallbackNotificationHandler === onNotification) client.fallbackNotificationHandler = appNotifications
    },
  }
}

function methodNotFound(): RpcError {
  return new RpcError(METHOD_NOT_FOUND, 'Method not found', undefined)
}

function isNotification(message: object): message is JSONRPCNotification {
  const { method, params } = message as { method?: unknown; params?: unknown }
  return typeof method === 'string' && (params === undefined || isJsonObject(params))
}

function isRequest(message: object): message is JSONRPCRequest {
  const { id } = message as { id?: unknown }
  return (typeof id === 'string' || typeof id === 'number') && isNotification(message)
}
