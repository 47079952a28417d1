import type { RequestId } from '@modelcontextprotocol/client'
import type { Environment } from '../../core/environment/environment.js'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { undeclaredInput } from '../../core/protocol/inputCapabilities.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Task } from '../../core/protocol/task.js'
import type { TaskRequester } from '../../core/wire/taskRequester.js'
import { SdkError, SdkErrorCode } from '../sdk.js'
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
  /** Resolves when the SDK client has made the latest new request for the sake of its timeout. */
  renewal: Promise<unknown> | undefined
  /** When that is to happen, or when it counts as given up. */
  timer: unknown
}

/**
 * How long the SDK client may take to come back with a new request, in ms. It waits for 250 ms on its own, but a hidden page
 * has its timers once a minute. One that has had enough rounds says nothing and does not come back.
 */
export const RENEWAL_DEADLINE_MS: number = 5 * 60_000

/** Begins each `requestState` of any `withTasks()`, so that one of another process is known for what it is. */
const STATE_PREFIX = 'taskwire:'

export interface HeldCallsOptions {
  readonly follow: FollowTask
  readonly environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout' | 'randomId'>
  /** When a request of the SDK client is replaced by a new one, in ms; undefined: never. */
  readonly resetTimeoutAfterMs: number | undefined
}

/** Keeps the calls of an SDK client open while their tasks are followed, and then responds to them. */
export class HeldCalls implements TaskFollower {
  readonly #context: FollowerContext
  readonly #options: HeldCallsOptions
  /** Calls whose input requests the SDK client handles, by the `requestState` that it will come back with. */
  readonly #asking = new Map<unknown, HeldCall>()
  #sequence = 0
  /** Begins every `requestState` of this one; that of a server may be any text without {@link STATE_PREFIX}. */
  #statePrefix: string | undefined
  /** When the SDK client has sent a request: its timeout counts from then on. */
  readonly #sentAt = new WeakMap<Attempt, number>()

  constructor(context: FollowerContext, options: HeldCallsOptions) {
    this.#context = context
    this.#options = options
  }

  async follow(first: Attempt, task: Task): Promise<void> {
    const abort = new AbortController()
    const call: HeldCall = {
      attempt: undefined,
      asked: undefined,
      abort,
      resume: () => {},
      renewal: undefined,
      timer: undefined,
    }
    this.#attach(call, first)
    const { signal } = abort
    const { transport, sendToClient } = this.#context
    let settle: (attempt: Attempt) => void
    try {
      const onStatus = this.#progressOf(call)
      const result = await this.#options.follow(task, {
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
      await new Promise<void>((resolve) => {
        const { resume } = call
        call.resume = (params) => {
          resume(params)
          resolve()
        }
      })
    }
    this.#setTimer(call)
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
  async #ask(
    call: HeldCall,
    inputRequests: Readonly<Record<string, InputRequest>>,
  ): Promise<Record<string, InputResponse>> {
    if (call.renewal !== undefined) await call.renewal
    const { attempt } = call
    if (attempt === undefined) throw new Error('The handlers have the input request already.')
    const refusal = undeclaredInput(inputRequests, attempt.capabilities)
    if (refusal !== undefined) throw refusal
    const { inputResponses } = await this.#handBack(call, attempt, inputRequests)
    return isJsonObject(inputResponses) ? (inputResponses as Record<string, InputResponse>) : {}
  }

  /** Answers the SDK client that it has to come back, with responses to its input requests. Resolves to its parameters. */
  #handBack(
    call: HeldCall,
    attempt: Attempt,
    inputRequests?: Readonly<Record<string, InputRequest>>,
  ): Promise<JsonObject> {
    this.#statePrefix ??= `${STATE_PREFIX}${this.#options.environment.randomId()}:`
    const requestState = `${this.#statePrefix}${++this.#sequence}`
    this.#setTimer(call)
    return new Promise((resolve) => {
      call.resume = resolve
      call.attempt = undefined
      call.asked = attempt
      this.#asking.set(requestState, call)
      const result = {
        resultType: 'input_required',
        ...(inputRequests && { inputRequests: { ...inputRequests } }),
        requestState,
      }
      // Its signal still counts: it is how the app ends the call while the handlers are at work.
      this.#context.remove(attempt.id)
      this.#context.sendToClient({ jsonrpc: '2.0', id: attempt.id, result })
      attempt.resolve()
    })
  }

  /**
   * Restarts the timeout of the SDK client, by a round without input requests (MCP 2026-07-28, "Multi Round-Trip
   * Requests": an `input_required` result may have a `requestState` alone).
   */
  #renew(call: HeldCall, attempt: Attempt): void {
    if (call.abort.signal.aborted) return
    call.renewal = this.#handBack(call, attempt)
    this.#setTimer(call, () => this.cancel(attempt.id), RENEWAL_DEADLINE_MS)
  }

  /** One timer a call, or none. */
  #setTimer(call: HeldCall, listener?: () => void, ms = 0): void {
    const { setTimeout, clearTimeout } = this.#options.environment
    clearTimeout(call.timer)
    call.timer = listener && setTimeout(listener, ms)
  }

  #attach(call: HeldCall, attempt: Attempt): void {
    attempt.isTask = true
    attempt.onCancel = () => call.abort.abort()
    call.attempt = attempt
    const { resetTimeoutAfterMs, environment } = this.#options
    if (resetTimeoutAfterMs === undefined) return
    const now = environment.now()
    const heldFor = now - (this.#sentAt.get(attempt) ?? now)
    this.#setTimer(call, () => this.#renew(call, attempt), Math.max(0, resetTimeoutAfterMs - heldFor))
  }

  resume(attempt: Attempt, params: JsonObject): boolean {
    const { requestState } = params
    this.#sentAt.set(attempt, this.#options.environment.now())
    const call = this.#asking.get(requestState)
    if (call !== undefined) {
      this.#asking.delete(requestState)
      call.asked?.release()
      call.asked = undefined
      this.#attach(call, attempt)
      call.resume(params)
      return true
    }
    const state = String(requestState)
    if (!state.startsWith(STATE_PREFIX)) return false
    // The server would take it for a call of its own, and run the tool again.
    this.#remove(attempt)
    attempt.reject(
      this.#statePrefix !== undefined && state.startsWith(this.#statePrefix)
        ? new SdkError(SdkErrorCode.ConnectionClosed, 'The call that this response belongs to is over')
        : new TaskConfigurationError(
            'The response belongs to a call of another client: its requestState was made by another withTasks(), in another process or before a restart. ' +
              'The tool was not called again. Send the response by the client that made the call.',
          ),
    )
    return true
  }

  #remove({ id, release }: Attempt): void {
    release()
    this.#context.remove(id)
  }

  cancel(id: RequestId): boolean {
    for (const [requestState, call] of this.#asking) {
      const { asked, abort } = call
      if (asked?.id !== id) continue
      this.#asking.delete(requestState)
      asked.release()
      this.#setTimer(call)
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
