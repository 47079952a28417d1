import {
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
  TaskUnreachableError,
} from '../protocol/errors.js'
import { type DetailedTask, isTerminal, type Task } from '../protocol/task.js'
import { backoffDelay, type PollPolicy, pollInterval } from './pollPolicy.js'
import type { KnownSnapshots } from './snapshotOrder.js'
import type { TaskMessage } from './taskMessage.js'
import type { TaskPort } from './taskPort.js'

/** Responses that break the protocol, in a row, after which there is no point in asking on. */
export const MAX_VIOLATIONS = 3

/**
 * JSON-RPC errors in the place of a task that the server has never shown, after which it is taken for unknown: some
 * servers answer an id that they do not know with an internal error.
 */
const MAX_REFUSALS = 10

/** Where the polling of a task stands. All times in ms since the epoch. */
export interface PollState extends KnownSnapshots {
  /** When the latest snapshot arrived. */
  readonly knownAt: number
  /** When the task was received, by this clock: its ttl counts from here, since clocks differ. */
  readonly receivedAt: number
  /** When to poll next. */
  readonly dueAt: number
  /** The part of that wait which the server asked for. */
  readonly earliestAt: number
  /** Polls that failed in a row. */
  readonly failureCount: number
  /** Responses that broke the protocol in a row. */
  readonly violations: number
  /** JSON-RPC errors so far in the place of the task; undefined once the server has shown it. */
  readonly refusals: number | undefined
}

/** What a `tasks/get` came to. */
export type PollResponse = { readonly task: DetailedTask } | { readonly error: Error }

/** One interval after the last snapshot; while the server pushes, the safety interval where that is longer. */
export function nextPollAt(
  { task, knownAt, receivedAt }: Pick<PollState, 'task' | 'knownAt' | 'receivedAt'>,
  policy: PollPolicy,
  isPushed: boolean,
): number {
  const interval = pollInterval(task.pollIntervalMs, policy)
  const delay = isPushed ? Math.max(interval, policy.safetyIntervalMs) : interval
  return withinTtl(task, receivedAt, policy, knownAt + delay)
}

/**
 * The time to poll at, no more than the longest backoff past the ttl: a server that asks to be left alone
 * for longer than it keeps the task must not keep the call waiting for ever.
 */
export function withinTtl({ ttlMs }: Task, receivedAt: number, policy: PollPolicy, dueAt: number): number {
  return ttlMs === null ? dueAt : Math.min(dueAt, receivedAt + ttlMs + policy.maxMs)
}

/** SEP-2663, "Task Polling": past its ttl a task may be given up. The poll that finds it so decides. */
function isPastTtl({ ttlMs }: Task, receivedAt: number, now: number): boolean {
  return ttlMs !== null && now >= receivedAt + ttlMs
}

export interface PollResult {
  readonly response: PollResponse
  /** When the poll began, ms since the epoch. */
  readonly startedAt: number
  readonly now: number
  /** What the server speaks that was polled. */
  readonly era: TaskPort['era']
  readonly policy: PollPolicy
  readonly isPushed: boolean
  /** A number in [0, 1). */
  readonly jitter: number
}

/** What the response to a poll means for the task. */
export function pollMessage(state: PollState, poll: PollResult): TaskMessage {
  const { receivedAt } = state
  const { taskId } = state.task
  const { response, startedAt, now, policy, isPushed } = poll
  const isLastPoll = isPastTtl(state.task, receivedAt, startedAt)
  if ('error' in response) return failureMessage(state, poll, response.error, isLastPoll)
  const { task } = response
  if (isReused(state.task, task, poll.era))
    return { type: 'ended', error: new TaskExpiredError('unknown-task', { taskId, message: REUSED }) }
  // The response may have prolonged the ttl.
  if (isLastPoll && !isTerminal(task.status) && isPastTtl(task, receivedAt, now)) {
    return { type: 'ended', error: new TaskExpiredError('ttl', { taskId }) }
  }
  const at = nextPollAt({ task, knownAt: now, receivedAt }, policy, isPushed)
  return { type: 'snapshot', task, nextPollAt: at, askedAt: startedAt }
}

const REUSED =
  'The server has given the id of this task to another one: it has lost this task, by a restart for instance. Start the call again.'

/**
 * True where the id was given to another task: one that was created after the known one was last updated. Only what both
 * say legibly counts. Servers of 2025-11-25 may stamp a task with another `createdAt` each time: there it says nothing.
 */
export function isReused(known: Task, { createdAt }: Task, era: TaskPort['era']): boolean {
  if (era === 'legacy') return false
  return Date.parse(createdAt) > Date.parse(known.lastUpdatedAt) && createdAt !== known.createdAt
}

function failureMessage(state: PollState, poll: PollResult, error: Error, isLastPoll: boolean): TaskMessage {
  const { task, receivedAt } = state
  const { now, policy, jitter } = poll
  const { taskId } = task
  const failureCount = state.failureCount + 1
  const isViolation = error instanceof TaskProtocolError
  if (isFinal(error) || (isViolation && state.violations + 1 >= MAX_VIOLATIONS)) return { type: 'ended', error }
  if ((countRefusals(state, error) ?? 0) >= MAX_REFUSALS) {
    return { type: 'ended', error: new TaskExpiredError('unknown-task', { taskId, cause: error }) }
  }
  if (failureCount >= policy.maxAttempts) return { type: 'ended', error: unreachable(taskId, failureCount, error) }
  if (isLastPoll) return { type: 'ended', error: new TaskExpiredError('ttl', { taskId, cause: error }) }

  const isRequest = error instanceof TaskRequestError
  const network = isRequest && error.kind === 'auth' ? 'paused' : 'retrying'
  const asked = Math.max(pollInterval(task.pollIntervalMs, policy), (isRequest && error.retryAfterMs) || 0)
  const delay = Math.max(asked, backoffDelay(failureCount, policy, jitter))
  const next = withinTtl(task, receivedAt, policy, now + delay)
  return {
    type: 'poll-failed',
    error,
    failureCount,
    network,
    earliestAt: Math.min(now + asked, next),
    nextPollAt: next,
  }
}

/** A task that the app has named has no times until the server has shown it. */
export function firstRefusals({ createdAt, lastUpdatedAt }: Task): number | undefined {
  return createdAt === '' && lastUpdatedAt === '' ? 0 : undefined
}

export function countRefusals({ refusals }: Pick<PollState, 'refusals'>, error: Error): number | undefined {
  const isRefusal = error instanceof TaskRequestError && error.kind === 'server'
  return isRefusal && refusals !== undefined ? refusals + 1 : refusals
}

function isFinal(error: Error): boolean {
  return (
    error instanceof TaskExpiredError ||
    error instanceof TasksUnsupportedError ||
    error instanceof TaskConfigurationError
  )
}

function unreachable(taskId: string, failures: number, cause: Error): TaskUnreachableError {
  return new TaskUnreachableError(
    `The server could not be reached in ${failures} polls in a row. The task may still be running: resume it later.`,
    { taskId, cause },
  )
}
