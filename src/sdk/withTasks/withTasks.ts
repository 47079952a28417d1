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
  /** The interval between two polls if the server does not set one, in ms. @default 1000 */
  defaultIntervalMs?: number | undefined
  /** The shortest interval between two polls of a task, in ms. @default 50 */
  minIntervalMs?: number | undefined
  /**
   * How long `withTasks` holds a request of the SDK client before it restarts the timeout of the request, in ms. Choose
   * less than the `timeout` of the calls, which is 60,000 by default. Use this option if your app cannot pass a `timeout`
   * because other code makes the calls. Each restart uses one round of multi round-trip, without an input request.
   *
   * The SDK client allows 10 rounds for a call, including rounds of input requests, so a call can last about 10 × this
   * value. After that the call rejects with an `SdkError` whose `code` is `INPUT_REQUIRED_ROUNDS_EXCEEDED`; the task keeps
   * running. For longer tasks create the client with `inputRequired: { maxRounds }`. `onprogress` is called once in each
   * round.
   *
   * @default never: the client's timeout ends a call
   */
  resetTimeoutAfterMs?: number | undefined
  /** Called with each protocol violation of the server that does not end a task. */
  onIssue?: (issue: TaskProtocolError) => void
  /** For tests: the time and network of the page. */
  environment?: Partial<Environment>
}

/**
 * Adds tasks to an SDK client: wrap the transport of the client. `client.callTool()` then returns the final result of a
 * task like any other result. Every request declares the extension (SEP-2663, "Capability Negotiation").
 *
 * The client needs `versionNegotiation: { mode: 'auto' }`, as in the example: without it the SDK speaks 2025-11-25, and
 * no call becomes a task.
 *
 * The client's own timeout still applies; its default is 60 s. For longer tasks pass a `timeout`, or `onprogress` with
 * `resetTimeoutOnProgress`: each poll counts as progress. If other code makes the calls, use `resetTimeoutAfterMs`. If a
 * call ends early, by its timeout or its `signal`, the polling stops but the task keeps running.
 *
 * The handlers of the client (`setRequestHandler`) get the input requests of a task, by the SDK's own multi round-trip.
 * `callTool()` rejects with `TaskFailedError`, `TaskCancelledError` and the other errors of this package. Polling ends if
 * no handler has responded to an input request after 15 minutes, because the SDK does not say when a call ends while its
 * handlers run. A later response rejects with `TaskInputRequiredError`.
 *
 * While the server refuses polls with 401 and a sign-in has failed, polling stops. It continues after the client's next
 * successful request.
 *
 * For everything else, use `createTaskClient()`. `withTasks` alone keeps nothing across a reload, shares no polling between
 * tabs, listens to no notifications and cannot cancel a task. It does not detect a task that waits for input without asking
 * anything new: the call ends by its timeout, without a `TaskStuckError`. Its backoff ignores `Retry-After`, because the
 * transport does not expose that header.
 *
 * If `withTasks` has already wrapped the transport, it returns the transport unchanged, with the first options.
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
