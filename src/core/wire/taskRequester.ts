import type { JsonObject } from '../protocol/json.js'

/** What a server says without being asked for it. */
export interface ServerNotification {
  method: string
  params?: JsonObject | undefined
}

/** Sends requests of our own. */
export interface TaskRequester {
  /**
   * Resolves to the result.
   *
   * @throws an error that `isRpcError` knows for a JSON-RPC error; what the transport throws; the signal's reason.
   */
  request(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown>
  /** Opens a stream of notifications. Resolves when it has ended; throws as `request`. */
  listen(params: JsonObject, onNotification: (message: ServerNotification) => void, signal: AbortSignal): Promise<void>
}
