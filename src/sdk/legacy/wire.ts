import type { RequestId } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../core/protocol/json.js'
import type { OnServerMessage } from '../transport/internalRequests.js'

export interface LegacyRequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Send it in this session instead of the connection's own. */
  readonly sessionId?: string | undefined
  /** Cancel the request at the server when the signal aborts: it would keep it open for as long as the task runs. */
  readonly cancelsOnAbort?: boolean
  /** Has the SDK ask for progress: called with the parameters of each `notifications/progress`. */
  readonly onProgress?: ((params: unknown) => void) | undefined
}

/** The response to a request of the server. */
export type ServerRequestResponse =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } }

/** What tasks of 2025-11-25 need of a connection, whichever SDK is below. */
export interface LegacyWire {
  /** The connection's own session, where a request may go out in another one; undefined where it may not. */
  readonly sessionId: string | undefined
  /** True if the SDK chooses the progress token of a request, and keeps what is notified under it to itself. */
  readonly hasOwnTokens: boolean
  /**
   * Resolves to the result.
   *
   * @throws {ProtocolError} or {@link RpcError} for a JSON-RPC error; {@link SdkError} or {@link WireError} for what went wrong on the way; the signal's reason.
   */
  request(method: string, params: JsonObject, options: LegacyRequestOptions): Promise<unknown>
  /** Responds to a request of the server. */
  respond(id: RequestId, response: ServerRequestResponse, sessionId: string | undefined): Promise<void>
  /** Calls the listener with messages that the server sends unasked. Returns a function that ends that. */
  onServerMessage(listener: OnServerMessage): () => void
}
