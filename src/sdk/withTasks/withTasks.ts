import type { Transport } from '@modelcontextprotocol/client'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import type { Environment } from '../../core/environment/environment.js'
import { TaskConfigurationError, type TaskProtocolError } from '../../core/protocol/errors.js'
import { DEFAULT_POLL_POLICY, MAX_TIMER_MS } from '../../core/time/policy.js'
import { usesFirstLoad } from '../firstLoad.js'
import { TaskTransport } from '../transport/taskTransport.js'
import type { FollowerContext } from '../transport/toolCalls.js'
import { followUntilDone } from './followUntilDone.js'
import { HeldCalls } from './heldCalls.js'

usesFirstLoad()

/** Options of {@link withTasks}. */
export interface WithTasksOptions {
  /** Used if the server names no interval, in ms. @default 1000 */
  defaultIntervalMs?: number | undefined
  /** No task is polled more often than this, in ms. @default 50 */
  minIntervalMs?: number | undefined
  /**
   * How long a request of the SDK client is held before its timeout starts again, in ms. Less than the `timeout` of the
   * calls, which is 60,000 by default. For apps that cannot pass a `timeout` because other code makes the calls. Each
   * restart uses one round of multi round-trip, without an input request.
   *
   * The SDK client allows 10 rounds for a call, those of input requests included, so a call lasts about 10 × this value. After
   * that the call rejects with an `SdkError` whose `code` is `INPUT_REQUIRED_ROUNDS_EXCEEDED`; the task keeps running. For
   * longer tasks make the client with `inputRequired: { maxRounds }`. `onprogress` is called once a round.
   *
   * @default never: the client's timeout ends a call
   */
  resetTimeoutAfterMs?: number | undefined
  /** Called with each fault of the server that does not end a task. */
  onIssue?: (issue: TaskProtocolError) => void
  /** For tests: the time and the network of the page. */
  environment?: Partial<Environment>
}

/**
 * Makes an SDK client understand tasks: a drop-in around its transport. `client.callTool()` then
 * returns the final result of a task like that of any other call. The extension is declared in every
 * request (SEP-2663, "Capability Negotiation").
 *
 * The client needs `versionNegotiation: { mode: 'auto' }`, as in the example: without it the SDK speaks 2025-11-25, and
 * no call becomes a task.
 *
 * The client's own timeout still applies; its default is 60 s. For longer tasks pass a `timeout`, or `onprogress` with
 * `resetTimeoutOnProgress`: each poll counts as progress. If other code makes the calls, use `resetTimeoutAfterMs`. Ending a
 * call early (its timeout or `signal`) stops the polling, not the task.
 *
 * Input requests of a task reach the handlers of the client (`setRequestHandler`), by the SDK's own multi round-trip.
 * `callTool()` rejects with `TaskFailedError`, `TaskCancelledError` and the other errors of this package. Polling ends if no
 * handler has responded to an input request after 15 minutes, because the SDK does not say when a call ends while its
 * handlers run. A later response rejects with `TaskInputRequiredError`.
 *
 * While the server refuses polls with 401 and a sign-in has failed, no polls are sent. Polls continue after the client's
 * next request that succeeds.
 *
 * For everything else, use `createTaskClient()`. `withTasks` alone keeps nothing across a reload, shares no polling between
 * tabs, listens to no notifications and cannot cancel a task. It does not detect a task that waits for input without asking
 * anything new: the timeout of the call ends it, without a `TaskStuckError`. It backs off by its own measure, because the
 * transport below does not expose `Retry-After`.
 *
 * A transport that `withTasks` has wrapped is returned as it is, with the options of the first time.
 *
 * @throws {TaskConfigurationError} if `transport` is not a transport, or a time is not a number above 0.
 *
 * @example
 * ```ts
 * const client = new Client({ name: 'my-app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
 * await client.connect(withTasks(new StreamableHTTPClientTransport(new URL('https://example.com/mcp'))))
 * const result = await client.callTool({ name: 'generate_report' }, { timeout: 10 * 60_000 })
 * ```
 */
export function withTasks(transport: Transport, options: WithTasksOptions = {}): Transport {
  if (typeof transport?.send !== 'function') {
    throw new TaskConfigurationError(
      'The argument is not a transport. Pass one of the SDK, such as new StreamableHTTPClientTransport(url).',
    )
  }
  // One around another would follow tasks before the other one has heard of them.
  if (transport instanceof TaskTransport) return transport
  const environment = { ...browserEnvironment(), ...options.environment }
  const policy = {
    ...DEFAULT_POLL_POLICY,
    defaultIntervalMs: interval('defaultIntervalMs', options),
    minIntervalMs: interval('minIntervalMs', options),
  }
  const { onIssue } = options
  const { randomId } = environment
  const resetTimeoutAfterMs =
    options.resetTimeoutAfterMs === undefined
      ? undefined
      : Math.min(time('resetTimeoutAfterMs', options.resetTimeoutAfterMs), MAX_TIMER_MS)
  const follow = followUntilDone({ environment, policy, onIssue })
  const createFollower = (context: FollowerContext) =>
    new HeldCalls(context, { follow, environment, resetTimeoutAfterMs })
  return new TaskTransport(transport, { createFollower, onIssue, randomId })
}

function interval(name: 'defaultIntervalMs' | 'minIntervalMs', options: WithTasksOptions): number {
  const { [name]: value = DEFAULT_POLL_POLICY[name] } = options
  return time(name, value)
}

function time(name: keyof WithTasksOptions, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new TaskConfigurationError(`${name} is ${String(value)}; it must be a number above 0.`)
}
