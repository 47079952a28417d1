import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SdkError,
  SdkErrorCode,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import { onAbort } from '../call/abort.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskProtocolError } from '../protocol/errors.js'
import { CLIENT_CAPABILITIES_META, hasEnvelope } from '../protocol/extension.js'
import { missingCapability, undeclaredError } from '../protocol/inputCapabilities.js'
import { type InputRequest, type InputResponse, parseInputRequest } from '../protocol/inputRequest.js'
import { isJsonObject, isTooDeep, type JsonObject } from '../protocol/json.js'
import { type OnProtocolIssue, parseTask, type Task } from '../protocol/task.js'
import {
  type CallClaim,
  CLAIM_META,
  markQuestions,
  TaskCreated,
  type TaskHold,
  type TaskRequester,
} from './callClaim.js'
import { type Send, streamEnded } from './ownRequests.js'

export interface OpenCallsOptions {
  readonly sendToServer: Send
  readonly sendToClient: (message: JSONRPCMessage) => void
  readonly transport: TaskRequester
  /** For calls that nobody has claimed. */
  readonly hold: TaskHold
  readonly randomId: () => string
  readonly onIssue: OnProtocolIssue | undefined
}

/** One leg of a call: the request that the SDK client waits for an answer to. */
interface Leg {
  readonly id: RequestId
  readonly progressToken: unknown
  readonly capabilities: unknown
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  readonly release: () => void
}

/** A `tools/call` from its request to the answer that the SDK client gets. */
interface OpenCall {
  readonly hold: TaskHold | undefined
  readonly claim: CallClaim | undefined
  readonly token: unknown
  /** Aborted when the SDK client stops waiting. */
  readonly abort: AbortController
  /** Whether a task was the answer and is being followed. */
  isHeld: boolean
  /** Undefined while the SDK client has its handlers answer a question. */
  leg: Leg | undefined
  /** The leg that was answered by a question, until the next one comes. */
  asked: Leg | undefined
  /** Called with the leg that brings the answers. */
  resume: (params: JsonObject) => void
}

/**
 * The `tools/call` requests that the SDK client waits for. One that is answered by a task stays open until
 * the task has a result; `send` of it settles with the call, so that an error reaches the app as it is.
 */
export class OpenCalls {
  readonly #options: OpenCallsOptions
  readonly #calls = new Map<RequestId, OpenCall>()
  /** Calls whose questions the SDK client is answering, by the `requestState` it will come back with. */
  readonly #asking = new Map<unknown, OpenCall>()
  #sequence = 0
  /** Begins every `requestState` of ours; that of a server may be any other text. */
  #statePrefix: string | undefined

  constructor(options: OpenCallsOptions) {
    this.#options = options
  }

  open(message: JSONRPCRequest, claim: CallClaim | undefined, options?: TransportSendOptions): Promise<void> {
    const { [CLAIM_META]: token, ...meta } = message.params?._meta ?? {}
    if (claim?.result !== undefined) {
      this.#answer(message.id, claim.result)
      return Promise.resolve()
    }
    const requestState = message.params?.['requestState']
    const asking = this.#asking.get(requestState)
    if (asking !== undefined) return this.#resume(asking, message, options)
    // The server would take it for a call of its own, and run the tool again.
    if (this.#statePrefix && String(requestState).startsWith(this.#statePrefix)) return Promise.reject(callIsOver())

    const call: OpenCall = {
      // The earlier revisions make a task only of a call that asks for one.
      hold: hasEnvelope(meta) || claim?.optIn ? this.#options.hold : undefined,
      claim,
      token,
      abort: new AbortController(),
      isHeld: false,
      leg: undefined,
      asked: undefined,
      resume: () => {},
    }
    const settled = this.#attach(call, message, options)
    const task = claim?.optIn && { task: claim.optIn.params }
    const sent = token === undefined ? message : { ...message, params: { ...message.params, ...task, _meta: meta } }
    // A stream ends after every answer, too; only one that brought none is a failure.
    const onRequestStreamEnd = () => {
      if (!call.isHeld) this.#close(message.id)?.leg?.reject(streamEnded(message.method))
      options?.onRequestStreamEnd?.()
    }
    this.#options
      .sendToServer(sent, { ...options, onRequestStreamEnd })
      .catch((error: unknown) => this.#close(message.id)?.leg?.reject(error))
    return settled
  }

  /** The message as the SDK client is to see it, undefined where it is not to see it at all. */
  receive(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if ('method' in message || message.id === undefined) return message
    const call = this.#calls.get(message.id)
    if (call === undefined) return message
    // A stream may repeat itself; a task is followed once.
    if (call.isHeld) return undefined
    const resultType = 'result' in message ? message.result['resultType'] : undefined
    if (call.hold && 'result' in message && (call.claim?.optIn?.isTask(message.result) ?? resultType === 'task')) {
      call.isHeld = true
      void this.#follow(call, call.hold, message.result)
      return undefined
    }
    if ('error' in message && call.claim) call.claim.refused = true
    const leg = this.#close(message.id)?.leg
    if ('result' in message && isTooDeep(message.result)) {
      leg?.reject(new TaskProtocolError('the result is nested too deep', { source: 'tools/call' }))
      return undefined
    }
    if (call.claim?.ask === undefined || resultType !== 'input_required' || !('result' in message)) {
      leg?.resolve()
      // Servers of earlier revisions send no type, which stands for "complete"; the SDK client would refuse it.
      const isUntyped = leg?.capabilities !== undefined && 'result' in message && resultType === undefined
      return isUntyped ? { ...message, result: { ...message.result, resultType: 'complete' } } : message
    }
    const refusal = leg && refusalOf(message.result['inputRequests'], leg.capabilities)
    if (refusal !== undefined) {
      leg?.reject(refusal)
      return undefined
    }
    leg?.resolve()
    return { ...message, result: markQuestions(message.result, call.token) }
  }

  /** The SDK client has stopped waiting. True where its call is a task by now. */
  detach(id: RequestId): boolean {
    const call = this.#close(id) ?? this.#closeAsked(id)
    call?.abort.abort()
    call?.leg?.resolve()
    return call?.isHeld === true
  }

  /** The call of this claim is over. */
  release(claim: CallClaim): void {
    for (const [id, call] of this.#calls) if (call.claim === claim) this.#close(id)
  }

  fail(error: Error): void {
    for (const id of [...this.#calls.keys()]) {
      const call = this.#close(id)
      call?.abort.abort()
      call?.leg?.reject(error)
    }
    // The SDK client waits for its handlers, not for us; it is the hold that has to hear of the end.
    for (const { asked } of [...this.#asking.values()]) if (asked) this.detach(asked.id)
  }

  #attach(call: OpenCall, message: JSONRPCRequest, options: TransportSendOptions | undefined): Promise<void> {
    const meta = message.params?._meta
    const { requestSignal } = options ?? {}
    return new Promise((resolve, reject) => {
      call.leg = {
        id: message.id,
        progressToken: meta?.progressToken,
        capabilities: meta?.[CLIENT_CAPABILITIES_META],
        resolve,
        reject,
        release: requestSignal ? onAbort(requestSignal, () => this.detach(message.id)) : () => {},
      }
      this.#calls.set(message.id, call)
    })
  }

  /** Keeps a call open while its task is followed, then answers it. */
  async #follow(call: OpenCall, hold: TaskHold, created: JsonObject): Promise<void> {
    const { signal } = call.abort
    let snapshots = 0
    const onStatus = (task: Task) => {
      const progressToken = call.leg?.progressToken
      if (progressToken === undefined || signal.aborted) return
      snapshots += 1
      const status = task.statusMessage === undefined ? {} : { message: task.statusMessage }
      const params = { progressToken: progressToken as string | number, progress: snapshots, ...status }
      this.#options.sendToClient({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
    let settle: (leg: Leg) => void
    try {
      const task = call.claim?.optIn?.parse(created) ?? parseTask(created, 'tools/call', this.#options.onIssue)
      if (call.claim !== undefined) {
        // The entry stays until the claim is released: a stream may repeat itself.
        call.leg?.reject(new TaskCreated(task))
        return
      }
      const { transport } = this.#options
      const ask = (requests: Readonly<Record<string, InputRequest>>) => this.#ask(call, requests)
      const result = await hold(task, { transport, signal, onStatus, ask })
      settle = (leg) => {
        this.#answer(leg.id, result)
        leg.resolve()
      }
    } catch (error) {
      settle = (leg) => leg.reject(error)
    }
    // The handlers of the client may still be at a question; it comes back for the answer with theirs.
    if (call.leg === undefined && !signal.aborted)
      await new Promise<unknown>((resolve) => Object.assign(call, { resume: resolve }))
    const { leg } = call
    if (leg === undefined || signal.aborted) return
    this.#close(leg.id)
    settle(leg)
  }

  /**
   * Has the SDK client's own handlers asked, by its own multi round-trip:
   *
   * ```text
   * SDK client        this transport
   * tools/call 7 ───▶ a task, held …      input_required
   * handlers    ◀──── 7: input_required, requestState
   * tools/call 8 ───▶ the answers ──────▶ tasks/update      the call goes on as 8
   * ```
   */
  #ask(call: OpenCall, inputRequests: Readonly<Record<string, InputRequest>>): Promise<Record<string, InputResponse>> {
    const { leg } = call
    if (leg === undefined) return Promise.reject(new Error('A question is being asked already.'))
    const refusal = refusalOf(inputRequests, leg.capabilities)
    if (refusal !== undefined) return Promise.reject(refusal)
    this.#statePrefix ??= `taskwire:${this.#options.randomId()}:`
    const requestState = `${this.#statePrefix}${++this.#sequence}`
    return new Promise((resolve) => {
      call.resume = ({ inputResponses }) =>
        resolve(isJsonObject(inputResponses) ? (inputResponses as Record<string, InputResponse>) : {})
      call.leg = undefined
      call.asked = leg
      this.#asking.set(requestState, call)
      this.#calls.delete(leg.id)
      const result = { resultType: 'input_required', inputRequests: { ...inputRequests }, requestState }
      this.#options.sendToClient({ jsonrpc: '2.0', id: leg.id, result })
      leg.resolve()
    })
  }

  #resume(call: OpenCall, message: JSONRPCRequest, options: TransportSendOptions | undefined): Promise<void> {
    this.#asking.delete(message.params?.['requestState'])
    call.asked?.release()
    call.asked = undefined
    const settled = this.#attach(call, message, options)
    call.resume({ ...message.params })
    return settled
  }

  #answer(id: RequestId, result: CallToolResult): void {
    this.#options.sendToClient({ jsonrpc: '2.0', id, result: { ...result, resultType: 'complete' } })
  }

  #close(id: RequestId): OpenCall | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    call?.leg?.release()
    return call
  }

  #closeAsked(id: RequestId): OpenCall | undefined {
    for (const [requestState, call] of this.#asking) {
      if (call.asked?.id !== id) continue
      this.#asking.delete(requestState)
      call.asked.release()
      return call
    }
    return undefined
  }
}

function callIsOver(): SdkError {
  return new SdkError(SdkErrorCode.ConnectionClosed, 'The call that this is the answer for is over')
}

/**
 * The refusal of questions one of which was not declared in the request that they answer. What else is wrong with them
 * the SDK client says.
 */
function refusalOf(inputRequests: unknown, capabilities: unknown): Error | undefined {
  for (const request of Object.values(isJsonObject(inputRequests) ? inputRequests : {})) {
    const parsed = parseInputRequest(request)
    const missing = 'request' in parsed ? missingCapability(capabilities, parsed.request) : undefined
    if (missing !== undefined) return undeclaredError(missing)
  }
  return undefined
}
