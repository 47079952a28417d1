import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  TransportSendOptions,
} from '@modelcontextprotocol/client'
import { SUBSCRIPTION_ID_META } from '../../core/protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { onAbort } from '../../core/time/abort.js'
import { ProtocolError, SdkError, SdkErrorCode } from '../sdk.js'

/** Sends a message to the server. */
export type Send = (message: JSONRPCMessage, options?: TransportSendOptions) => Promise<void>

interface OpenRequest {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Called with messages that the server sends unasked. Returns true if one was for us, and nothing else may receive it. */
export type OnServerMessage = (message: JSONRPCRequest | JSONRPCNotification) => boolean

type OnNotification = (message: JSONRPCNotification) => void

/** How a request is sent that 2026-07-28 does not have. */
export interface InternalRequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called when the request is given up after it was sent. */
  readonly onAbort?: (id: RequestId) => void
}

/** Ids of ours are strings with this prefix; the SDK client counts in numbers. */
const ID_PREFIX = 'taskwire:'

/** Requests that the SDK client above never sees, under ids of their own. */
export class InternalRequests {
  readonly #send: Send
  readonly #open = new Map<RequestId, OpenRequest>()
  readonly #streams = new Map<unknown, OnNotification>()
  #sequence = 0

  constructor(send: Send) {
    this.#send = send
  }

  /**
   * Resolves to the result.
   *
   * @throws {ProtocolError} for a JSON-RPC error; what the transport throws; the signal's reason.
   */
  request(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown> {
    return this.requestWithoutEnvelope(method, params, { signal })
  }

  /** The same, in other headers and under an id with a tag: the pages of a browser may share a session, and then each id counts once. */
  requestWithoutEnvelope(
    method: string,
    params: JsonObject,
    options: InternalRequestOptions,
    tag = '',
  ): Promise<unknown> {
    const onStreamEnd = (_: unknown, reject: OpenRequest['reject']) => reject(streamEnded(method))
    return this.#exchange(this.#nextId(tag), method, params, options, onStreamEnd)
  }

  /** Opens a stream of notifications. Resolves when it has ended; throws as {@link InternalRequests.request}. */
  async listen(params: JsonObject, onNotification: OnNotification, signal: AbortSignal): Promise<void> {
    const id = this.#nextId()
    this.#streams.set(id, onNotification)
    try {
      await this.#exchange(id, 'subscriptions/listen', params, { signal }, (resolve) => resolve(undefined))
    } finally {
      this.#streams.delete(id)
    }
  }

  /** True if the message was for us. */
  receive(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if ('id' in message) return false
      const named = this.#streams.get(message.params?._meta?.[SUBSCRIPTION_ID_META])
      // The example of SEP-2663 names no stream, and a transport does not say which one a message came on. Nobody else
      // listens to tasks, and of ours only the newest one waits for its acknowledgement.
      const stream = named ?? (isAboutTasks(message) ? [...this.#streams.values()].at(-1) : undefined)
      stream?.(message)
      return stream !== undefined
    }
    // A late response to a request that was given up is ours all the same; the client would not know it.
    if (typeof message.id !== 'string' || !message.id.startsWith(ID_PREFIX)) return false
    const request = this.#open.get(message.id)
    if ('error' in message) {
      const { code, message: text, data } = message.error
      request?.reject(ProtocolError.fromError(code, text, data))
    } else request?.resolve(message.result)
    return true
  }

  fail(error: Error): void {
    for (const request of this.#open.values()) request.reject(error)
  }

  #nextId(tag = ''): string {
    return `${ID_PREFIX}${tag}${++this.#sequence}`
  }

  /** `onStreamEnd` says what it means when the stream of the response ends without the response. */
  async #exchange(
    id: string,
    method: string,
    params: JsonObject,
    { signal, headers, onAbort: onGivenUp }: InternalRequestOptions,
    onStreamEnd: (resolve: OpenRequest['resolve'], reject: OpenRequest['reject']) => void,
  ): Promise<unknown> {
    signal?.throwIfAborted()
    let release = () => {}
    try {
      return await new Promise((resolve, reject) => {
        this.#open.set(id, { resolve, reject })
        if (signal) {
          release = onAbort(signal, () => {
            reject(signal.reason)
            onGivenUp?.(id)
          })
        }
        const onRequestStreamEnd = () => onStreamEnd(resolve, reject)
        const message = { jsonrpc: '2.0' as const, id, method, params }
        this.#send(message, {
          ...(signal && { requestSignal: signal }),
          onRequestStreamEnd,
          ...(headers && { headers }),
        }).catch(reject)
      })
    } finally {
      release()
      this.#open.delete(id)
    }
  }
}

/** True for a status notification of a task, and for an acknowledgement that names tasks. */
function isAboutTasks({ method, params }: JSONRPCNotification): boolean {
  const acknowledged = params?.['notifications']
  return method === 'notifications/tasks' || (isJsonObject(acknowledged) && 'taskIds' in acknowledged)
}

export function streamEnded(method: string): Error {
  return new SdkError(SdkErrorCode.ConnectionClosed, `The stream ended before the response to ${method}`)
}
