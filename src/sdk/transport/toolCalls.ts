import type { JSONRPCMessage, JSONRPCRequest, RequestId, TransportSendOptions } from '@modelcontextprotocol/client'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { TaskProtocolError } from '../../core/protocol/errors.js'
import { CLIENT_CAPABILITIES_META, hasEnvelope } from '../../core/protocol/extension.js'
import { isTooDeep, type JsonObject } from '../../core/protocol/json.js'
import { type OnProtocolIssue, parseTask, type Task } from '../../core/protocol/task.js'
import { onAbort } from '../../core/time/abort.js'
import type { TaskRequester } from '../../core/wire/taskRequester.js'
import { CALL_TOKEN_META, type OwnCall, TaskCreated } from './callToken.js'
import { type Send, streamEnded } from './internalRequests.js'

/** A `tools/call` request that the SDK client waits for the response to. */
export interface Attempt {
  readonly id: RequestId
  readonly progressToken: unknown
  /** What the SDK client has declared in the request. */
  readonly capabilities: unknown
  /** True once the response was a task. */
  isTask: boolean
  /** Settle the `send` of the request, so that an error reaches the app as it is. */
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Stops listening to the signal of the request. */
  readonly release: () => void
  /** Called when the SDK client stops waiting, or the connection ends. */
  onCancel?: () => void
}

/** Follows the tasks of calls that are not those of a task client: the SDK client waits for their results. */
export interface TaskFollower {
  follow(attempt: Attempt, task: Task): void
  /** Takes a request that brings the responses to input requests of a task. False: it is a call of its own. */
  resume(attempt: Attempt, params: JsonObject): boolean
  /** The SDK client has given up the call that this request was for, while its handlers were being asked. True: it was one. */
  cancel(id: RequestId): boolean
  /** The connection has ended. */
  close(): void
}

/** What a {@link TaskFollower} uses of the transport. */
export interface FollowerContext {
  readonly transport: TaskRequester
  readonly sendToClient: (message: JSONRPCMessage) => void
  /** Takes a request out of those that the SDK client waits for. */
  readonly remove: (id: RequestId) => void
}

export interface ToolCallsOptions {
  readonly sendToServer: Send
  readonly sendToClient: (message: JSONRPCMessage) => void
  readonly transport: TaskRequester
  /** Undefined where every call is one of a task client. */
  readonly createFollower: ((context: FollowerContext) => TaskFollower) | undefined
  readonly onIssue: OnProtocolIssue | undefined
}

interface PendingCall extends Attempt {
  readonly call: OwnCall | undefined
  /** The earlier revisions make a task only of a call that asks for one. */
  readonly mayBecomeTask: boolean
}

/** The `tools/call` requests that the SDK client waits for. */
export class ToolCalls {
  readonly #options: ToolCallsOptions
  readonly #pending = new Map<RequestId, PendingCall>()
  readonly #follower: TaskFollower | undefined

  constructor(options: ToolCallsOptions) {
    this.#options = options
    const { transport, sendToClient, createFollower } = options
    this.#follower = createFollower?.({ transport, sendToClient, remove: (id) => this.#pending.delete(id) })
  }

  /** Sends the request. Settles with the call. */
  open(message: JSONRPCRequest, call: OwnCall | undefined, options: TransportSendOptions = {}): Promise<void> {
    const { id, params = {} } = message
    if (call?.result !== undefined) {
      this.#options.sendToClient(completeResponse(id, call.result))
      return Promise.resolve()
    }
    const { [CALL_TOKEN_META]: token, ...meta } = params._meta ?? {}
    const { requestSignal } = options
    return new Promise((resolve, reject) => {
      const pending: PendingCall = {
        id,
        progressToken: meta.progressToken,
        capabilities: meta[CLIENT_CAPABILITIES_META],
        call,
        mayBecomeTask: call ? hasEnvelope(meta) || call.optIn !== undefined : hasEnvelope(meta) && !!this.#follower,
        isTask: false,
        resolve,
        reject,
        release: requestSignal ? onAbort(requestSignal, () => this.cancel(id)) : () => {},
      }
      this.#pending.set(id, pending)
      if (this.#follower?.resume(pending, params)) return
      const { optIn } = call ?? {}
      const own = { ...params, ...optIn?.params, _meta: { ...meta, ...optIn?.meta } }
      const sent = token === undefined ? message : { ...message, params: own }
      // A stream ends after every response, too; only one that brought none is a failure.
      const onRequestStreamEnd = () => {
        if (!pending.isTask) this.#close(id)?.reject(streamEnded(message.method))
        options.onRequestStreamEnd?.()
      }
      this.#options
        .sendToServer(sent, { ...options, onRequestStreamEnd })
        .catch((error: unknown) => this.#close(id)?.reject(error))
    })
  }

  /** The message as the SDK client is to see it, undefined where it is not to see it at all. */
  receive(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if ('method' in message || message.id === undefined) return message
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return message
    // A stream may repeat itself; a task is followed once.
    if (pending.isTask) return undefined
    const { call } = pending
    if ('error' in message) {
      if (call) call.refused = true
      this.#close(pending.id)?.resolve()
      return message
    }
    const { result } = message
    const resultType: unknown = result['resultType']
    if (pending.mayBecomeTask && (call?.optIn?.isTask(result) ?? resultType === 'task')) {
      this.#receiveTask(pending, result)
      return undefined
    }
    this.#close(pending.id)
    if (isTooDeep(result)) {
      pending.reject(new TaskProtocolError('the result is nested too deep', { source: 'tools/call' }))
      return undefined
    }
    pending.resolve()
    // Servers of earlier revisions send no type, which stands for "complete"; the SDK client would refuse it.
    const isUntyped = pending.capabilities !== undefined && resultType === undefined
    return isUntyped ? { ...message, result: { ...result, resultType: 'complete' } } : message
  }

  #receiveTask(pending: PendingCall, result: JsonObject): void {
    const { call } = pending
    pending.isTask = true
    try {
      const task = call?.optIn?.parse(result) ?? parseTask(result, 'tools/call', this.#options.onIssue)
      // The entry stays until the call is released: a stream may repeat itself.
      if (call !== undefined) pending.reject(new TaskCreated(task))
      else this.#follower?.follow(pending, task)
    } catch (error) {
      this.#close(pending.id)
      pending.reject(error)
    }
  }

  /** The SDK client has stopped waiting. True where its call is a task by now. */
  cancel(id: RequestId): boolean {
    const pending = this.#close(id)
    if (pending === undefined) return this.#follower?.cancel(id) === true
    pending.onCancel?.()
    pending.resolve()
    return pending.isTask
  }

  /** The task client waits for this call no longer. */
  release(call: OwnCall): void {
    for (const [id, pending] of this.#pending) if (pending.call === call) this.#close(id)
  }

  /** The connection has ended. */
  fail(error: Error): void {
    for (const pending of [...this.#pending.values()]) {
      this.#close(pending.id)
      pending.onCancel?.()
      pending.reject(error)
    }
    this.#follower?.close()
  }

  #close(id: RequestId): PendingCall | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    pending?.release()
    return pending
  }
}

/** The response that ends a call for the SDK client. */
export function completeResponse(id: RequestId, result: CallToolResult): JSONRPCMessage {
  return { jsonrpc: '2.0', id, result: { ...result, resultType: 'complete' } }
}
