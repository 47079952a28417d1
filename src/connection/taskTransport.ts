import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client'
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { onAbort } from '../engine/abort.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  declareTasks,
  hasEnvelope,
  PROTOCOL_VERSION_META,
  SUBSCRIPTION_ID_META,
} from '../protocol/extension.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { type OnProtocolIssue, parseTask, type Task } from '../protocol/task.js'

/** How a `tools/call` that was answered by a task comes by its result. */
export type TaskHold = (task: Task, context: TaskHoldContext) => Promise<CallToolResult>

export interface TaskHoldContext {
  readonly transport: TaskTransport
  /** Aborts when the SDK client gives the call up: its timeout, or the app's own signal. */
  readonly signal: AbortSignal
  /** Passes a status on as progress, where the call asked for progress. */
  readonly onStatus: (task: Task) => void
}

/**
 * What becomes of one particular `tools/call`. It is named by a token under {@link CLAIM_META} in the
 * call's `_meta`, which never leaves the page.
 */
export interface CallClaim {
  readonly hold: TaskHold
  /** Answers a question that the server asks before it has decided on a task. */
  readonly ask?: (inputKey: string, request: InputRequest, signal: AbortSignal) => Promise<InputResponse>
  /** Answer with this result, without asking the server: the task was followed already. */
  readonly result?: CallToolResult
  /** Whether the server answered with a JSON-RPC error. */
  refused?: boolean
}

/** `_meta` key that carries the token of a {@link CallClaim} from the call to the transport. */
export const CLAIM_META = 'dev.taskwire/call'

/** A `tools/call` between its request and the answer that the SDK client gets. */
interface OpenCall {
  readonly hold: TaskHold | undefined
  readonly claim: CallClaim | undefined
  readonly token: unknown
  readonly progressToken: unknown
  /** Aborted when the SDK client stops waiting. */
  readonly abort: AbortController
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  readonly release: () => void
  /** Whether a task was the answer and is being followed. */
  isHeld: boolean
}

interface OpenRequest {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const TASK_REQUEST_PREFIX = 'taskwire:'

/**
 * A transport in front of another one that makes tasks look like plain calls. The SDK client above
 * sees a `tools/call` and, when the task is done, its `CallToolResult`.
 *
 * ```text
 * SDK client          this transport                     server
 * tools/call 7 ─────▶ declares the extension ──────────▶
 *                     holds 7                  ◀──────── resultType: 'task'
 *                     tasks/get 'taskwire:1' ──────────▶   the client never sees these
 * progress 7   ◀───── status                   ◀────────
 * result 7     ◀───── resultType: 'complete'   ◀──────── completed
 * ```
 */
export class TaskTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly hasPerRequestStream: boolean

  readonly #inner: Transport
  readonly #hold: TaskHold
  readonly #onIssue: OnProtocolIssue | undefined
  readonly #calls = new Map<RequestId, OpenCall>()
  readonly #requests = new Map<RequestId, OpenRequest>()
  readonly #claims = new Map<string, CallClaim>()
  readonly #streams = new Map<unknown, (message: JSONRPCNotification) => void>()
  #envelope: JsonObject | undefined
  #sequence = 0

  constructor(inner: Transport, hold: TaskHold, onIssue?: OnProtocolIssue) {
    this.#inner = inner
    this.#hold = hold
    this.#onIssue = onIssue
    this.hasPerRequestStream = inner.hasPerRequestStream === true
    const { onmessage, onclose, onerror } = inner
    inner.onmessage = (message, extra) => {
      onmessage?.(message, extra)
      if (!this.#receive(message)) this.onmessage?.(message, extra)
    }
    inner.onerror = (error) => {
      onerror?.(error)
      this.onerror?.(error)
    }
    inner.onclose = () => {
      onclose?.()
      this.#failAll(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'))
      this.onclose?.()
    }
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  readonly setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion?.(version)

  readonly setSupportedProtocolVersions = (versions: string[]): void =>
    this.#inner.setSupportedProtocolVersions?.(versions)

  start(): Promise<void> {
    return this.#inner.start()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** Registers what becomes of the `tools/call` with this token. Returns the way back. */
  claim(token: string, claim: CallClaim): () => void {
    this.#claims.set(token, claim)
    return () => this.#claims.delete(token)
  }

  /** The claim with this token, while its call is under way. */
  claimOf(token: unknown): CallClaim | undefined {
    return typeof token === 'string' ? this.#claims.get(token) : undefined
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) return this.#inner.send(message, options)
    const request = this.#declare(message)
    if (!('id' in request)) {
      return this.#swallowsCancellation(request) ? undefined : this.#inner.send(request, options)
    }
    if (request.method !== 'tools/call') return this.#inner.send(request, options)
    return this.#sendCall(request, options)
  }

  /**
   * Sends a request of our own, under an id that the SDK client never sees and with the envelope that the client sends.
   *
   * @throws {ProtocolError} for a JSON-RPC error; what the transport throws; the signal's reason.
   */
  request(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown> {
    return this.#exchange(this.#nextId(), method, params, signal, (_resolve, reject) => reject(streamEnded(method)))
  }

  /**
   * Opens a stream of notifications. Resolves when it has ended.
   *
   * @throws {ProtocolError} for a JSON-RPC error; what the transport throws; the signal's reason.
   */
  async listen(
    params: JsonObject,
    onNotification: (message: JSONRPCNotification) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const id = this.#nextId()
    this.#streams.set(id, onNotification)
    try {
      await this.#exchange(id, 'subscriptions/listen', params, signal, (resolve) => resolve(undefined))
    } finally {
      this.#streams.delete(id)
    }
  }

  #nextId(): string {
    return `${TASK_REQUEST_PREFIX}${++this.#sequence}`
  }

  /** `onStreamEnd` says what it means when the stream of the answer ends without the answer. */
  async #exchange(
    id: string,
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
    onStreamEnd: (resolve: OpenRequest['resolve'], reject: OpenRequest['reject']) => void,
  ): Promise<unknown> {
    signal?.throwIfAborted()
    if (this.#envelope === undefined) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected')
    const message = { jsonrpc: '2.0' as const, id, method, params: { ...params, _meta: this.#envelope } }
    const abort = new AbortController()
    let release = () => {}
    try {
      return await new Promise((resolve, reject) => {
        this.#requests.set(id, { resolve, reject })
        if (signal) {
          release = onAbort(signal, () => {
            abort.abort(signal.reason)
            reject(signal.reason)
          })
        }
        const onRequestStreamEnd = () => onStreamEnd(resolve, reject)
        this.#inner.send(message, { requestSignal: abort.signal, onRequestStreamEnd }).catch(reject)
      })
    } finally {
      release()
      this.#requests.delete(id)
    }
  }

  /** The message with the extension declared, where it carries the envelope of 2026-07-28. */
  #declare<M extends Extract<JSONRPCMessage, { method: string }>>(message: M): M {
    const meta = message.params?._meta
    if (!hasEnvelope(meta)) return message
    const declared = declareTasks(meta)
    this.#envelope = {
      [PROTOCOL_VERSION_META]: declared[PROTOCOL_VERSION_META],
      ...(CLIENT_INFO_META in declared && { [CLIENT_INFO_META]: declared[CLIENT_INFO_META] }),
      [CLIENT_CAPABILITIES_META]: declared[CLIENT_CAPABILITIES_META],
    }
    return { ...message, params: { ...message.params, _meta: declared } }
  }

  #sendCall(message: JSONRPCRequest, options?: TransportSendOptions): Promise<void> {
    const { [CLAIM_META]: token, ...meta } = message.params?._meta ?? {}
    const claim = this.claimOf(token)
    const sent = token === undefined ? message : { ...message, params: { ...message.params, _meta: meta } }
    if (claim?.result !== undefined) {
      this.#deliver(message.id, claim.result)
      return Promise.resolve()
    }
    return new Promise<void>((resolve, reject) => {
      const { requestSignal } = options ?? {}
      this.#calls.set(message.id, {
        // The earlier revisions know tasks of another kind, which are not ours.
        hold: hasEnvelope(meta) ? (claim?.hold ?? this.#hold) : undefined,
        claim,
        token,
        progressToken: meta['progressToken'],
        abort: new AbortController(),
        resolve,
        reject,
        release: requestSignal ? onAbort(requestSignal, () => this.#detach(message.id)) : () => {},
        isHeld: false,
      })
      // A stream ends after every answer, too; only one that brought none is a failure.
      const onRequestStreamEnd = () => {
        if (!this.#calls.get(message.id)?.isHeld) this.#close(message.id)?.reject(streamEnded(message.method))
        options?.onRequestStreamEnd?.()
      }
      this.#inner
        .send(sent, { ...options, onRequestStreamEnd })
        .catch((error: unknown) => this.#close(message.id)?.reject(error))
    })
  }

  /** True where the message was for us. */
  #receive(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      const stream = this.#streams.get(message.params?._meta?.[SUBSCRIPTION_ID_META])
      if (stream === undefined || 'id' in message) return false
      stream(message)
      return true
    }
    if (message.id === undefined) return false
    const request = this.#requests.get(message.id)
    if (request !== undefined) {
      if ('error' in message) {
        const { code, message: text, data } = message.error
        request.reject(ProtocolError.fromError(code, text, data))
      } else request.resolve(message.result)
      return true
    }
    // A late answer to a request of ours that was given up: nobody waits for it, the client least of all.
    if (typeof message.id === 'string' && message.id.startsWith(TASK_REQUEST_PREFIX)) return true

    const call = this.#calls.get(message.id)
    if (call === undefined) return false
    if (call.hold && 'result' in message && message.result['resultType'] === 'task') {
      call.isHeld = true
      void this.#holdCall(message.id, call, call.hold, message.result)
      return true
    }
    if ('error' in message && call.claim) call.claim.refused = true
    this.#close(message.id)?.resolve()
    if (call.claim?.ask === undefined || !('result' in message) || message.result['resultType'] !== 'input_required')
      return false
    this.onmessage?.({ ...message, result: markQuestions(message.result, call.token) })
    return true
  }

  /** Keeps a call open while its task is followed, then answers it. */
  async #holdCall(id: RequestId, call: OpenCall, hold: TaskHold, created: unknown): Promise<void> {
    let snapshots = 0
    const onStatus = (task: Task) => {
      if (call.progressToken === undefined || call.abort.signal.aborted) return
      snapshots += 1
      const { progressToken } = call
      const status = task.statusMessage === undefined ? {} : { message: task.statusMessage }
      const params = { progressToken: progressToken as string | number, progress: snapshots, ...status }
      this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
    try {
      const task = parseTask(created, 'tools/call', this.#onIssue)
      const result = await hold(task, { transport: this, signal: call.abort.signal, onStatus })
      if (call.abort.signal.aborted) return
      this.#deliver(id, result)
      this.#close(id)?.resolve()
    } catch (error) {
      this.#close(id)?.reject(error)
    }
  }

  #deliver(id: RequestId, result: CallToolResult): void {
    this.onmessage?.({ jsonrpc: '2.0', id, result: { ...result, resultType: 'complete' } })
  }

  /**
   * A `notifications/cancelled` for a call that we hold stays here: SEP-2663, "Task Cancellation",
   * forbids to use it for a task. The client has stopped waiting, and that is all it means.
   */
  #swallowsCancellation(message: Extract<JSONRPCMessage, { method: string }>): boolean {
    if (message.method !== 'notifications/cancelled' || !isJsonObject(message.params)) return false
    return this.#detach(message.params['requestId'] as RequestId)?.isHeld === true
  }

  #detach(id: RequestId): OpenCall | undefined {
    const call = this.#close(id)
    call?.abort.abort()
    call?.resolve()
    return call
  }

  #close(id: RequestId): OpenCall | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    call?.release()
    return call
  }

  #failAll(error: Error): void {
    for (const request of this.#requests.values()) request.reject(error)
    for (const id of [...this.#calls.keys()]) {
      const call = this.#close(id)
      call?.abort.abort()
      call?.reject(error)
    }
  }
}

/** Each question of a multi round-trip with the token of its call, so that the one who answers knows whose it is. */
function markQuestions<R extends JsonObject>(result: R, token: unknown): R {
  const { inputRequests } = result
  if (!isJsonObject(inputRequests)) return result
  const marked = Object.entries(inputRequests).map(([key, request]) => {
    if (!isJsonObject(request)) return [key, request]
    const params = isJsonObject(request['params']) ? request['params'] : {}
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {}
    return [key, { ...request, params: { ...params, _meta: { ...meta, [CLAIM_META]: token } } }]
  })
  return { ...result, inputRequests: Object.fromEntries(marked) }
}

function streamEnded(method: string): Error {
  return new SdkError(SdkErrorCode.ConnectionClosed, `The stream ended before the answer to ${method}`)
}
