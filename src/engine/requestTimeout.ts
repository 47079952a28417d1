import type { Environment } from '../environment/environment.js'
import { TaskRequestError } from '../protocol/errors.js'
import type { PollPolicy } from './pollPolicy.js'

export interface RequestTimeoutOptions {
  readonly taskId: string
  readonly environment: Environment
  readonly policy: Pick<PollPolicy, 'requestTimeoutMs'>
  readonly signal: AbortSignal
}

/**
 * Sends a request for a task, and gives it up where no answer comes in `policy.requestTimeoutMs`.
 *
 * @throws {TaskRequestError} of kind `network`, where it was given up; else what `send` throws.
 */
export async function withRequestTimeout<T>(
  { taskId, environment, policy, signal }: RequestTimeoutOptions,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController()
  const timer = environment.setTimeout(() => {
    const seconds = policy.requestTimeoutMs / 1000
    timeout.abort(new TaskRequestError(`The server did not answer within ${seconds} s.`, { kind: 'network', taskId }))
  }, policy.requestTimeoutMs)
  try {
    return await send(AbortSignal.any([signal, timeout.signal]))
  } catch (error) {
    throw timeout.signal.aborted && !signal.aborted ? timeout.signal.reason : error
  } finally {
    environment.clearTimeout(timer)
  }
}
