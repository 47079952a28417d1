import type { Environment } from '../environment/environment.js'
import {
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
  TaskUnreachableError,
} from '../protocol/errors.js'
import {
  type CancelledTask,
  type CompletedTask,
  type DetailedTask,
  type FailedTask,
  isTerminal,
  type Task,
} from '../protocol/task.js'
import { onAbort } from './abort.js'
import { backoffDelay, type PollPolicy, pollInterval } from './pollPolicy.js'
import type { TaskPort } from './taskPort.js'
import type { ToolCallNetwork } from './toolCallState.js'
import { waitUntilDue } from './waitUntilDue.js'

/** A task that no later snapshot can change. */
export type TerminalTask = CompletedTask | FailedTask | CancelledTask

/** What happens on the way to the end. */
export type FollowEvent =
  | { readonly type: 'scheduled'; readonly at: number }
  | { readonly type: 'blocked'; readonly network: Extract<ToolCallNetwork, 'offline' | 'paused'> }
  | { readonly type: 'unblocked' }
  | { readonly type: 'snapshot'; readonly task: DetailedTask }
  | {
      readonly type: 'poll-failed'
      readonly error: Error
      readonly failureCount: number
      readonly network: 'retrying' | 'paused'
    }

export interface FollowOptions {
  readonly taskId: string
  /** The newest snapshot known, for its interval and its ttl. */
  readonly task?: Task | undefined
  /** When to poll first, ms since the epoch. */
  readonly firstPollAt: number
  /** When the task was received, ms since the epoch by this clock: its ttl counts from here, since clocks differ. */
  readonly receivedAt: number
  readonly port: Pick<TaskPort, 'getTask'>
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly onEvent: (event: FollowEvent) => void
  /** Aborting it ends the following, not the task. */
  readonly signal: AbortSignal
}

/** Answers that break the protocol, in a row, after which there is no point in asking on. */
const MAX_VIOLATIONS = 3

/**
 * Polls a task until it is terminal. One request at a time, each an interval after the last answer.
 *
 * ```text
 * answer ── interval of that answer ──▶ poll ── answer ── interval ──▶ poll …   never earlier
 * failure ─ max(interval, backoff, Retry-After) ─▶ poll …                       until an answer or the ttl
 * ```
 *
 * @throws {TaskExpiredError} where the server does not know the task, or a poll past its ttl did not end it.
 * @throws {TaskProtocolError} after three answers in a row that break the protocol.
 * @throws {TasksUnsupportedError} where the server does not serve `tasks/get`.
 * @throws {TaskUnreachableError} after `policy.maxAttempts` failures in a row.
 * @throws the signal's reason, where it aborts.
 */
export async function followTask(options: FollowOptions): Promise<TerminalTask> {
  const { taskId, environment, policy, signal, onEvent } = options
  let known = options.task
  let dueAt = options.firstPollAt
  let notBefore = dueAt
  let failures = 0
  let violations = 0

  for (;;) {
    onEvent({ type: 'scheduled', at: dueAt })
    await waitForTurn(options, dueAt, notBefore)

    const lastChance = isPastTtl(options.receivedAt, known, environment.now())
    let retryAfterMs = 0
    const answer = await poll(options)
    if ('task' in answer) {
      if (isTerminalTask(answer.task)) return answer.task
      known = answer.task
      failures = violations = 0
      onEvent({ type: 'snapshot', task: answer.task })
    } else {
      const { error } = answer
      signal.throwIfAborted()
      if (isFinal(error)) throw error
      failures += 1
      violations = error instanceof TaskProtocolError ? violations + 1 : 0
      if (violations >= MAX_VIOLATIONS) throw error
      if (failures >= policy.maxAttempts) throw unreachable(taskId, failures, error)
      if (lastChance) throw new TaskExpiredError('ttl', { taskId, cause: error })
      if (error instanceof TaskRequestError) retryAfterMs = error.retryAfterMs ?? 0
      const network = error instanceof TaskRequestError && error.kind === 'auth' ? 'paused' : 'retrying'
      onEvent({ type: 'poll-failed', error, failureCount: failures, network })
    }
    // The answer may have prolonged the ttl.
    if (lastChance && isPastTtl(options.receivedAt, known, environment.now()))
      throw new TaskExpiredError('ttl', { taskId })

    const now = environment.now()
    notBefore = now + Math.max(pollInterval(known?.pollIntervalMs, policy), retryAfterMs)
    dueAt = failures === 0 ? notBefore : Math.max(notBefore, now + backoffDelay(failures, policy, environment.random()))
  }
}

async function waitForTurn(options: FollowOptions, dueAt: number, notBefore: number): Promise<void> {
  let blocked = false
  await waitUntilDue({
    environment: options.environment,
    dueAt,
    notBefore,
    pauseWhenHidden: options.policy.hidden === 'pause',
    signal: options.signal,
    onBlocked: (network) => {
      blocked = true
      options.onEvent({ type: 'blocked', network })
    },
  })
  if (blocked) options.onEvent({ type: 'unblocked' })
}

/** One `tasks/get`, given up where no answer comes in time. */
async function poll(options: FollowOptions): Promise<{ task: DetailedTask } | { error: Error }> {
  const { port, taskId, environment, policy, signal } = options
  const request = new AbortController()
  const release = onAbort(signal, () => request.abort(signal.reason))
  const seconds = policy.requestTimeoutMs / 1000
  const silence = new TaskRequestError(`The server did not answer a poll within ${seconds} s.`, {
    kind: 'network',
    taskId,
  })
  const timer = environment.setTimeout(() => request.abort(silence), policy.requestTimeoutMs)
  try {
    const task = await port.getTask(taskId, request.signal)
    if (task.taskId === taskId) return { task }
    return { error: new TaskProtocolError('the answer is about another task', { source: 'tasks/get', taskId }) }
  } catch (error) {
    const reason: unknown = request.signal.aborted ? request.signal.reason : error
    return { error: reason instanceof Error ? reason : new Error(String(reason)) }
  } finally {
    environment.clearTimeout(timer)
    release()
  }
}

/** SEP-2663, "Task Polling": past its ttl a task may be given up. The poll that finds it so decides. */
function isPastTtl(receivedAt: number, task: Task | undefined, now: number): boolean {
  const ttlMs = task?.ttlMs ?? null
  return ttlMs !== null && now >= receivedAt + ttlMs
}

function isTerminalTask(task: DetailedTask): task is TerminalTask {
  return isTerminal(task.status)
}

function isFinal(error: unknown): boolean {
  return error instanceof TaskExpiredError || error instanceof TasksUnsupportedError
}

function unreachable(taskId: string, failures: number, cause: unknown): TaskUnreachableError {
  return new TaskUnreachableError(
    `The server could not be reached in ${failures} polls in a row. The task may still be running: resume it later.`,
    { taskId, cause },
  )
}
