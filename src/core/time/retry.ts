import type { Environment, Unsubscribe } from '../environment/environment.js'
import { ConnectionFailedError, TaskRequestError } from '../protocol/errors.js'
import { onAbort } from './abort.js'
import { backoffDelay, type PollPolicy } from './policy.js'
import type { Semaphore } from './semaphore.js'
import { untilOnline } from './untilOnline.js'

export interface RequestOptions {
  readonly taskId: string
  readonly environment: Environment
  readonly policy: PollPolicy
}

/**
 * Sends a request for a task, and gives it up where no response comes in `policy.requestTimeoutMs`: one controller and
 * one timer, for as long as the request is under way.
 *
 * @throws {TaskRequestError} of kind `network`, where it was given up; the reason with which `controller` was aborted;
 * else what `send` throws.
 */
export async function withRequestTimeout<T>(
  { taskId, environment, policy }: RequestOptions,
  controller: AbortController,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = environment.setTimeout(() => {
    const seconds = policy.requestTimeoutMs / 1000
    controller.abort(
      new TaskRequestError(`The server did not answer within ${seconds} s.`, { kind: 'network', taskId }),
    )
  }, policy.requestTimeoutMs)
  try {
    return await send(controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    environment.clearTimeout(timer)
  }
}

export interface RetryOptions {
  readonly environment: Environment
  readonly policy: PollPolicy
  /** Aborting it ends the attempts. */
  readonly signal: AbortSignal
  /** Called where an attempt has to wait for the network. */
  readonly onOffline?: () => void
  /** Subscribes to what ends the wait for the next attempt, unless the server has asked for it. */
  readonly onPromising?: (listener: () => void) => Unsubscribe
}

/**
 * Attempts something until it succeeds, backing off as polls do. Offline it waits.
 *
 * @param onFailure Called with what an attempt has failed with, and how many have. Returns for how long the server asks to wait,
 * in ms, or throws what ends the attempts.
 * @throws the signal's reason.
 */
export async function retry<T>(
  { environment, policy, signal, onOffline, onPromising }: RetryOptions,
  attempt: () => Promise<T>,
  onFailure: (error: unknown, failures: number) => number,
): Promise<T> {
  let soonAt = environment.now()
  let dueAt = soonAt
  for (let failures = 1; ; failures++) {
    await untilOnline({
      ...{ environment, signal, dueAt, soonAt },
      ...(onOffline && { onOffline }),
      ...(onPromising && { onPromising }),
    })
    try {
      return await attempt()
    } catch (error) {
      const askedMs = onFailure(error, failures)
      const delayMs = Math.max(policy.minIntervalMs, backoffDelay(failures, policy, environment.random()))
      soonAt = environment.now() + askedMs
      dueAt = Math.max(environment.now() + delayMs, soonAt)
    }
  }
}

/** For how long the server asks to be left alone, in ms (`Retry-After`), also where it has refused the connection. */
export function askedMs(error: Error): number | undefined {
  return (error instanceof TaskRequestError ? error : (Object(error.cause) as TaskRequestError)).retryAfterMs
}

/** JSON-RPC's "Internal error": the one refusal that says nothing about the request itself. */
const INTERNAL_ERROR = -32603

export interface DeliveryOptions extends RequestOptions, Pick<RetryOptions, 'signal' | 'onPromising'> {
  readonly send: (signal: AbortSignal) => Promise<void>
  /** Where an attempt waits for its place; the time in the queue does not count as time of the server. */
  readonly inLine?: Semaphore
  /** Called after each attempt that failed in a way that may pass. */
  readonly onRetry: (error: Error) => void
}

/**
 * Sends a request until the server has taken it: an attempt that fails in a way that may pass is repeated.
 *
 * @throws what the server refuses it with; the signal's reason.
 */
export function deliver({ send, inLine = (work) => work(), onRetry, ...options }: DeliveryOptions): Promise<void> {
  const { signal } = options
  return retry(
    options,
    async () => {
      const attempt = new AbortController()
      const stopListening = onAbort(signal, () => attempt.abort(signal.reason))
      try {
        await inLine(() => {
          signal.throwIfAborted()
          return withRequestTimeout(options, attempt, send)
        })
      } finally {
        stopListening()
      }
    },
    (error) => {
      signal.throwIfAborted()
      if (!(error instanceof ConnectionFailedError) && !(error instanceof TaskRequestError && mayPass(error)))
        throw error
      onRetry(error)
      return askedMs(error) ?? 0
    },
  )
}

/** True for a status of a server or a gateway that has not looked at the request, or could not. */
export function isPassingStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429
}

function mayPass({ kind, code, status = 500 }: TaskRequestError): boolean {
  if (kind === 'server') return code === INTERNAL_ERROR
  return kind !== 'http' || isPassingStatus(status)
}
