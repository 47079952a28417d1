import type { Transport } from '@modelcontextprotocol/client'
import { followTask } from '../engine/followTask.js'
import { DEFAULT_POLL_POLICY, type PollPolicy, pollInterval } from '../engine/pollPolicy.js'
import { NO_PUSH } from '../engine/pushLink.js'
import { ALONE } from '../engine/tabLink.js'
import { taskOutcome } from '../engine/taskOutcome.js'
import { browserEnvironment } from '../environment/browserEnvironment.js'
import type { Environment } from '../environment/environment.js'
import { TaskInputRequiredError } from '../protocol/errors.js'
import { isTerminal, type OnProtocolIssue } from '../protocol/task.js'
import { getTask } from './taskRequests.js'
import { type TaskHold, TaskTransport } from './taskTransport.js'

/** Options of {@link withTasks}. */
export interface WithTasksOptions {
  /** Used where the server does not say, in ms. @default 1000 */
  defaultIntervalMs?: number
  /** No task is polled more often than this, in ms. @default 50 */
  minIntervalMs?: number
  /** Hears of what the server got wrong without ending a task. */
  onIssue?: OnProtocolIssue
  /** For tests: the time and the network of the page. */
  environment?: Partial<Environment>
}

/**
 * Makes an SDK client understand tasks: a drop-in around its transport. `client.callTool()` then
 * returns the final result of a task like that of any other call. The extension is declared in every
 * request (SEP-2663, "Capability Negotiation").
 *
 * The client's own timeout still applies; its default is 60 s. For longer tasks pass a `timeout`, or
 * `onprogress` with `resetTimeoutOnProgress`: each poll counts as progress. Ending a call early (its
 * timeout or `signal`) stops the polling, not the task.
 *
 * `callTool()` rejects with `TaskFailedError`, `TaskCancelledError` and the other errors of this package.
 *
 * @example
 * ```ts
 * const client = new Client({ name: 'my-app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
 * await client.connect(withTasks(new StreamableHTTPClientTransport(new URL('https://example.com/mcp'))))
 * const result = await client.callTool({ name: 'generate_report' }, { timeout: 10 * 60_000 })
 * ```
 */
export function withTasks(transport: Transport, options: WithTasksOptions = {}): Transport {
  const environment = { ...browserEnvironment(), ...options.environment }
  const { defaultIntervalMs, minIntervalMs } = { ...DEFAULT_POLL_POLICY, ...options }
  return new TaskTransport(
    transport,
    pollingHold(environment, { ...DEFAULT_POLL_POLICY, defaultIntervalMs, minIntervalMs }, options.onIssue),
    options.onIssue,
  )
}

/** Follows a task for as long as the SDK client waits for its call. */
function pollingHold(environment: Environment, policy: PollPolicy, onIssue: OnProtocolIssue | undefined): TaskHold {
  return async (task, { transport, signal, onStatus }) => {
    const receivedAt = environment.now()
    const terminal = await followTask({
      taskId: task.taskId,
      task,
      firstPollAt: isTerminal(task.status) ? receivedAt : receivedAt + pollInterval(task.pollIntervalMs, policy),
      receivedAt,
      port: { getTask: (taskId, abort) => getTask(transport, taskId, abort, onIssue) },
      environment,
      policy,
      link: ALONE,
      push: NO_PUSH,
      signal,
      onEvent: (event) => {
        if (event.type !== 'snapshot') return
        if (event.task.status === 'input_required') throw inputRequired(task.taskId)
        onStatus(event.task)
      },
    })
    return taskOutcome(terminal)
  }
}

function inputRequired(taskId: string): TaskInputRequiredError {
  return new TaskInputRequiredError(
    'The task asks for input, and there is nobody to ask. Use createTaskClient({ client }), which shows the questions.',
    { taskId },
  )
}
