import type { JSONRPCMessage, RequestId, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  declareTasks,
  hasEnvelope,
  PROTOCOL_VERSION_META,
} from '../../core/protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { OnProtocolIssue } from '../../core/protocol/task.js'
import { type SignIn, signInByTransport } from '../../core/wire/signInByTransport.js'
import type { ServerNotification, TaskRequester } from '../../core/wire/taskRequester.js'
import { SdkError, SdkErrorCode } from '../sdk.js'
import { CALL_TOKEN_META, type OwnCall } from './callToken.js'
import { type InternalRequestOptions, InternalRequests, type OnServerMessage, type Send } from './internalRequests.js'
import { type FollowerContext, type TaskFollower, ToolCalls } from './toolCalls.js'

export interface TaskTransportOptions {
  /** Follows the tasks of calls that are not those of a task client. @default nothing: there are none */
  readonly createFollower?: (context: FollowerContext) => TaskFollower
  readonly onIssue?: OnProtocolIssue | undefined
  /** Distinguishes the ids of this page from those of others. */
  readonly randomId?: () => string
  readonly signIn?: SignIn | undefined
}

/**
 * A transport in front of another one that makes tasks look like plain calls. The SDK client above
 * sees a `tools/call` and, when the task is done, its `CallToolResult`.
 *
 * ```text
 * SDK client          this transport                     server
 * tools/call 7 ─────▶ declares the extension ──────────▶
 *                     follows its task         ◀──────── resultType: 'task'
 *                     tasks/get 'taskwire:1' ──────────▶   the client never sees these
 * progress 7   ◀───── status                   ◀────────
 * result 7     ◀───── resultType: 'complete'   ◀──────── completed
 * ```
 */
export class TaskTransport implements Transport, TaskRequester {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly hasPerRequestStream: boolean
  /** What the SDK client has declared to the server, once it has. */
  capabilities: unknown
  /** Called with what is sent to the server and what comes from it. */
  onMessage: ((message: JSONRPCMessage, isSent: boolean) => void) | undefined

  readonly #inner: Transport
  /** The app wants a sign-in that failed to be tried again. */
  readonly allowSignIn: () => void
  readonly #send: Send
  readonly #internal: InternalRequests
  readonly #calls: ToolCalls
  readonly #ownCalls = new Map<unknown, OwnCall>()
  readonly #randomId: () => string
  #envelope: JsonObject | undefined
  readonly #observers = new Set<OnServerMessage>()
  #idTag: string | undefined

  constructor(inner: Transport, options: TaskTransportOptions) {
    const { randomId = () => '', signIn = signInByTransport() } = options
    this.allowSignIn = signIn.allow
    this.#inner = inner
    this.#randomId = randomId
    this.hasPerRequestStream = inner.hasPerRequestStream === true
    // The SDK recognizes a child process by these members. If such a server does not answer server/discover, the SDK falls back to
    // initialize; over HTTP it gives up.
    if ('stderr' in inner && 'pid' in inner) {
      Object.defineProperties(this, { stderr: { get: () => inner.stderr }, pid: { get: () => inner.pid } })
    }
    const send: Send = (message, sendOptions) => {
      this.onMessage?.(message, true)
      return inner.send(message, sendOptions)
    }
    this.#send = (message, sendOptions) => signIn.sendForApp(() => send(message, sendOptions))
    this.#internal = new InternalRequests((message, sendOptions) => signIn.send(() => send(message, sendOptions)))
    this.#calls = new ToolCalls({
      sendToServer: this.#send,
      sendToClient: (message) => this.onmessage?.(message),
      transport: this,
      createFollower: options.createFollower,
      onIssue: options.onIssue,
    })
    this.#connect(inner)
  }

  /** Listens to the inner transport, beside the listeners that it has already. */
  #connect(inner: Transport): void {
    const { onmessage, onclose, onerror } = inner
    inner.onmessage = (message, extra) => {
      this.onMessage?.(message, false)
      onmessage?.(message, extra)
      if (this.#internal.receive(message)) return
      if ('method' in message && [...this.#observers].some((observer) => observer(message))) return
      const seen = this.#calls.receive(message)
      if (seen !== undefined) this.onmessage?.(seen, extra)
    }
    inner.onerror = (error) => {
      onerror?.(error)
      this.onerror?.(error)
    }
    inner.onclose = () => {
      onclose?.()
      const error = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed')
      this.#internal.fail(error)
      this.#calls.fail(error)
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

  /** Makes the `tools/call` with this token one of ours. Returns a function that ends that. */
  register(token: string, call: OwnCall): () => void {
    this.#ownCalls.set(token, call)
    return () => {
      this.#ownCalls.delete(token)
      this.#calls.release(call)
    }
  }

  /** The call with this token, while it is under way. */
  callOf(token: unknown): OwnCall | undefined {
    return this.#ownCalls.get(token)
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) return this.#send(message, options)
    const declared = this.#declare(message)
    if (!('id' in declared)) return this.#isForTask(declared) ? undefined : this.#send(declared, options)
    if (declared.method !== 'tools/call') return this.#send(declared, options)
    return this.#calls.open(declared, this.callOf(declared.params?._meta?.[CALL_TOKEN_META]), options)
  }

  /** Sends a request of our own, with the envelope that the client sends. */
  async request(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown> {
    return this.#internal.request(method, this.#enveloped(params), signal)
  }

  /** Sends a request of our own as the revisions before 2026-07-28 have it: without envelope. */
  requestWithoutEnvelope(method: string, params: JsonObject, options: InternalRequestOptions): Promise<unknown> {
    this.#idTag ??= `${this.#randomId()}:`
    return this.#internal.requestWithoutEnvelope(method, params, options, this.#idTag)
  }

  /** Calls the listener with messages that the server sends unasked, before the SDK client sees them. Returns a function that ends that. */
  observe(listener: OnServerMessage): () => void {
    this.#observers.add(listener)
    return () => this.#observers.delete(listener)
  }

  /** The newest call that is under way: input requests that name no call are taken for its own. */
  latestCall(): OwnCall | undefined {
    return [...this.#ownCalls.values()].filter(({ ask }) => ask !== undefined).at(-1)
  }

  /** Opens a stream of notifications. Resolves when it has ended. */
  async listen(
    params: JsonObject,
    onNotification: (message: ServerNotification) => void,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#internal.listen(this.#enveloped(params), onNotification, signal)
  }

  #enveloped(params: JsonObject): JsonObject {
    if (this.#envelope === undefined) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected')
    return { _meta: this.#envelope, ...params }
  }

  /** The message with the extension declared, where it carries the envelope of 2026-07-28. */
  #declare<M extends Extract<JSONRPCMessage, { method: string }>>(message: M): M {
    const meta = message.params?._meta
    // The earlier revisions declare it once.
    if (message.method === 'initialize') this.capabilities = message.params?.['capabilities']
    if (!hasEnvelope(meta)) return message
    const declared = declareTasks(meta)
    const result = { ...message, params: { ...message.params, _meta: declared } }
    // A call may declare less than its client does. What is sent for the tasks of all calls is not its own.
    if (message.method === 'tools/call' && this.#envelope !== undefined) return result
    this.#envelope = {
      [PROTOCOL_VERSION_META]: declared[PROTOCOL_VERSION_META],
      ...(CLIENT_INFO_META in declared && { [CLIENT_INFO_META]: declared[CLIENT_INFO_META] }),
      [CLIENT_CAPABILITIES_META]: declared[CLIENT_CAPABILITIES_META],
    }
    this.capabilities = declared[CLIENT_CAPABILITIES_META]
    return result
  }

  /**
   * A `notifications/cancelled` for a call that has become a task stays here: SEP-2663, "Task
   * Cancellation", forbids to use it for a task. The client has stopped waiting, and that is all it means.
   */
  #isForTask({ method, params }: { method: string; params?: unknown }): boolean {
    if (method !== 'notifications/cancelled' || !isJsonObject(params)) return false
    return this.#calls.cancel(params['requestId'] as RequestId)
  }
}
