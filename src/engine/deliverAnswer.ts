import type { Environment } from '../environment/environment.js'
import { TaskRequestError } from '../protocol/errors.js'
import { backoffDelay, type PollPolicy } from './pollPolicy.js'
import { waitUntilOnline } from './waitForTurn.js'

export interface DeliverOptions {
  /** Sends the answer, once. */
  readonly send: () => Promise<void>
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly signal: AbortSignal
  /** Hears of each attempt that failed in a way that may pass. */
  readonly onError: (error: Error) => void
}

/** JSON-RPC's "Internal error": the one refusal that says nothing about the answer itself. */
const INTERNAL_ERROR = -32603

/**
 * Sends an answer until it has arrived: an attempt that fails in a way that may pass is repeated with
 * the same answer, backing off as polls do. Offline it waits.
 *
 * @throws what the server refuses it with; the signal's reason.
 */
export async function deliverAnswer({ send, environment, policy, signal, onError }: DeliverOptions): Promise<void> {
  let dueAt = environment.now()
  for (let failures = 1; ; failures++) {
    await waitUntilOnline({ environment, signal, onBlocked: () => {} }, dueAt)
    try {
      return await send()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof TaskRequestError) || !mayPass(error)) throw error
      onError(error)
      const delay = Math.max(policy.minIntervalMs, backoffDelay(failures, policy, environment.random()))
      dueAt = environment.now() + Math.max(delay, error.retryAfterMs ?? 0)
    }
  }
}

function mayPass(error: TaskRequestError): boolean {
  return error.kind !== 'server' || error.code === INTERNAL_ERROR
}
