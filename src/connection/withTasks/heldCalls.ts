import type { RequestId } from '@modelcontextprotocol/client'
import type { CallToolResult } from '../../protocol/callToolResult.js'
import { undeclaredInput } from '../../protocol/inputCapabilities.js'
import type { InputRequest, InputResponse } from '../../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { Task } from '../../protocol/task.js'
import { SdkError, SdkErrorCode } from '../sdk.js'
import type { TaskRequester } from '../taskRequester.js'
import { type Attempt, completeResponse, type FollowerContext, type TaskFollower } from '../transport/toolCalls.js'

/** Follows one task to its end, and resolves to its result. */
export type FollowTask = (task: Task, context: FollowTaskContext) => Promise<CallToolResult>

export interface FollowTaskContext {
  readonly transport: TaskRequester
  /** Aborts when the SDK client gives the call up: its timeout, or the app's own signal. */
  readonly signal: AbortSignal
  /** Passes a status on as progress, where the call asked for progress. */
  readonly onStatus: (task: Task) => void
  /** Has the SDK client ask its handlers. Rejects where it has declared none for an input request. */
  readonly ask: (inputRequests: Readonly<Record<string, InputRequest>>) => Promise<Record<string, InputResponse>>
}

/** A call whose task is followed, by one attempt after the other. */
interface HeldCall {
  /** The request that the SDK client waits for; undefined while it asks its handlers. */
  attempt: Attempt | undefined
  /** The request that was answered by input requests, until the next one brings the responses. */
  asked: Attempt | undefined
  /** Aborted when the SDK client stops waiting. */
  readonly abort: AbortController
  /** Called with the parameters of the request that brings the responses. */
  resume: (params: JsonObject) => void
}

/** Keeps the calls of an SDK client open while their tasks are followed, and then responds to them. */
export class HeldCalls implements TaskFollower {
  readonly #context: FollowerContext
  readonly #follow: FollowTask
  readonly #randomId: () => string
  /** Calls whose input requests the SDK client handles, by the `requestState` that it will come back with. */
  readonly #asking = new Map<unknown, HeldCall>()
  #sequence = 0
  /** Begins every `requestState` of ours; that of a server may be any other text. */
  #statePrefix: string | undefined

  constructor(context: FollowerContext, follow: FollowTask, randomId: () => string) {
    this.#context = context
    this.#follow = follow
    this.#randomId = randomId
  }

  async follow(first: Attempt, task: Task): Promise<void> {
    const abort = new AbortController()
    const call: HeldCall = { attempt: undefined, asked: undefined, abort, resume: () => {} }
    attach(call, first)
    const { signal } = abort
    const { transport, sendToClient } = this.#context
    let settle: (attempt: Attempt) => void
    try {
      const onStatus = this.#progressOf(call)
      const result = await this.#follow(task, {
        transport,
        signal,
        onStatus,
        ask: (requests) => this.#ask(call, requests),
      })
      settle = ({ id, resolve }) => {
        sendToClient(completeResponse(id, result))
        resolve()
      }
    } catch (error) {
      settle = ({ reject }) => reject(error)
    }
    // The handlers of the client may still be at work; it comes back for the result with their responses.
    if (call.attempt === undefined && !signal.aborted) {
      await new Promise<unknown>((resolve) => Object.assign(call, { resume: resolve }))
    }
    const { attempt } = call
    if (attempt === undefined || signal.aborted) return
    this.#remove(attempt)
    settle(attempt)
  }

  /**
   * The numbers of the server, or where it gives none: each snapshot of the task is one unit of progress. Progress that is
   * notified must not go back (MCP, "Progress"), so what a snapshot says less than the one before is not passed on.
   */
  #progressOf(call: HeldCall): (task: Task) => void {
    let progress = 0
    let isCounted = false
    return ({ statusMessage, progress: counted }) => {
      const progressToken = call.attempt?.progressToken
      if (progressToken === undefined || call.abort.signal.aborted) return
      isCounted ||= counted !== undefined
      progress = counted ? Math.max(progress, counted.progress) : isCounted ? progress : progress + 1
      const message = statusMessage === undefined ? {} : { message: statusMessage }
      const params = { progressToken: progressToken as string | number, ...message, ...counted, progress }
      this.#context.sendToClient({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
  }

  /**
   * Has the SDK client's own handlers asked, by its own multi round-trip:
   *
   * ```text
   * SDK client        this transport
   * tools/call 7 ───▶ a task, followed …  input_required
   * handlers    ◀──── 7: input_required, requestState
   * tools/call 8 ───▶ the responses ────▶ tasks/update      the call goes on as 8
   * ```
   */
  #ask(call: HeldCall, inputRequests: Readonly<Record<string, InputRequest>>): Promise<Record<string, InputResponse>> {
    const { attempt } = call
    if (attempt === undefined) return Promise.reject(new Error('The handlers are being asked already.'))
    const refusal = undeclaredInput(inputRequests, attempt.capabilities)
    if (refusal !== undefined) return Promise.reject(refusal)
    this.#statePrefix ??= `taskwire:${this.#randomId()}:`
    const requestState = `${this.#statePrefix}${++this.#sequence}`
    return new Promise((resolve) => {
      call.resume = ({ inputResponses }) =>
        resolve(isJsonObject(inputResponses) ? (inputResponses as Record<string, InputResponse>) : {})
      call.attempt = undefined
      call.asked = attempt
      this.#asking.set(requestState, call)
      const result = { resultType: 'input_required', inputRequests: { ...inputRequests }, requestState }
      // Its signal still counts: it is how the app ends the call while the handlers are at work.
      this.#context.remove(attempt.id)
      this.#context.sendToClient({ jsonrpc: '2.0', id: attempt.id, result })
      attempt.resolve()
    })
  }

  resume(attempt: Attempt, params: JsonObject): boolean {
    const { requestState } = params
    const call = this.#asking.get(requestState)
    if (call !== undefined) {
      this.#asking.delete(requestState)
      call.asked?.release()
      call.asked = undefined
      attach(call, attempt)
      call.resume(params)
      return true
    }
    if (!this.#statePrefix || !String(requestState).startsWith(this.#statePrefix)) return false
    // The server would take it for a call of its own, and run the tool again.
    this.#remove(attempt)
    attempt.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'The call that this response belongs to is over'))
    return true
  }

  #remove({ id, release }: Attempt): void {
    release()
    this.#context.remove(id)
  }

  cancel(id: RequestId): boolean {
    for (const [requestState, { asked, abort }] of this.#asking) {
      if (asked?.id !== id) continue
      this.#asking.delete(requestState)
      asked.release()
      abort.abort()
      return true
    }
    return false
  }

  close(): void {
    // The SDK client waits for its handlers, not for us; following the task has to be aborted.
    for (const { asked } of [...this.#asking.values()]) if (asked) this.cancel(asked.id)
  }
}

function attach(call: HeldCall, attempt: Attempt): void {
  attempt.isTask = true
  attempt.onCancel = () => call.abort.abort()
  call.attempt = attempt
}
