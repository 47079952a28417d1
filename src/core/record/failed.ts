import { inDevelopment } from '../environment/inDevelopment.js'
import {
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  type TaskRequestFailure,
  TasksUnsupportedError,
  TaskUnreachableError,
} from '../protocol/errors.js'
import { READ_MORE } from '../protocol/readMore.js'
import { isJob } from '../protocol/taskAddress.js'
import { UNKNOWN_TASK } from '../protocol/text.js'
import { backoffDelay, type PollPolicy, pollInterval } from '../time/policy.js'
import { askedMs } from '../time/retry.js'
import { ASK_PAST_TTL_MS, ended, expired, isPastTtl, seen } from './learn.js'
import type { TaskRecord } from './record.js'

/** Responses that break the protocol, in a row, after which there is no point in asking on. */
export const MAX_VIOLATIONS = 3

/**
 * JSON-RPC errors in the place of a task that the server has never shown, after which it is taken for unknown: some
 * servers answer an id that they do not know with an internal error.
 */
const MAX_REFUSALS = 10

/**
 * What is known once a poll that was sent at `askedAt` has failed. `jitter`: a number in [0, 1). Which failure is which error:
 * `taskRequestError` in wire/errors.ts.
 *
 * ```text
 * the server knows no such task, or no tasks; the client is set up wrongly   the call ends
 * 3 responses in a row that break the protocol                               the call ends
 * (`TaskProtocolError`; a body that is not an MCP message may come from a proxy, and does not count)
 * 10 JSON-RPC errors in the place of a task that was never shown             the call ends: the server does not know the id
 * `retry.maxAttempts` failures in a row, where the app has set it            the call ends: `TaskUnreachableError`
 * (refused tokens do not count: the user may sign in tomorrow)
 * past the ttl, a JSON-RPC error; a day past it, anything                    the call ends: `TaskExpiredError`
 * anything else                                                              polled again: `retryAt` is the latest of the interval, the
 *                                                                            backoff, and what the server asks for (`Retry-After`)
 * ```
 *
 * A poll that succeeds can end a call with an error, too (`learn`): the client cannot answer an input request, or the request has changed; the
 * task is stuck, or past its ttl.
 */
export function failed(
  before: TaskRecord,
  error: Error,
  { now, askedAt, jitter }: { readonly now: number; readonly askedAt: number; readonly jitter: number },
  policy: PollPolicy,
): TaskRecord {
  if (before.end !== undefined) return before
  const record = seen(before, askedAt)
  const { task, failure } = record
  const { taskId } = task
  const network = kindOf(error) === 'auth' ? 'paused' : 'retrying'
  const count = (failure?.count ?? 0) + 1
  // A server that refuses a token can be reached.
  const unreached = network === 'paused' ? 0 : (failure?.unreached ?? 0) + 1
  const violations = error instanceof TaskProtocolError ? (failure?.violations ?? 0) + 1 : 0
  const refusals = (failure?.refusals ?? 0) + Number(isRefusal(record, error))
  const end = (by: Error) => ended(record, { at: now, error: by })
  if (isNeverShown(record, error))
    return end(new TaskExpiredError('unknown-task', { taskId, cause: error.cause, message: NEVER_SHOWN }))
  if (isFinal(error) || violations >= MAX_VIOLATIONS) return end(error)
  if (refusals >= MAX_REFUSALS) return end(new TaskExpiredError('unknown-task', { taskId, cause: error }))
  if (unreached >= policy.maxAttempts) return end(unreachable(taskId, unreached, error))
  if (isPastTtl(task, record.receivedAt, askedAt - patience(error))) return expired(record, now, error)

  const asked = Math.max(pollInterval(task.pollIntervalMs, policy), askedMs(error) ?? 0)
  return {
    ...record,
    earliestAt: Math.max(record.earliestAt, now + asked),
    triedAt: now,
    pollingUntil: 0,
    retryAt: now + Math.max(asked, backoffDelay(count, policy, jitter)),
    quietUntil: 0,
    failure: { error, network, count, unreached, violations, refusals },
    notedAt: now,
  }
}

function kindOf(error: Error): TaskRequestFailure | undefined {
  return error instanceof TaskRequestError ? error.kind : undefined
}

/**
 * How long past the ttl polls continue after such a failure, in ms: without a response, the client cannot know whether the server still
 * has the task.
 */
function patience(error: Error): number {
  return kindOf(error) === 'server' ? 0 : ASK_PAST_TTL_MS
}

/** A task that the app has named has no times until the server has shown it. A job has none, either, and is known to be there. */
function isRefusal({ task, snapshotAt }: TaskRecord, error: Error): boolean {
  const isUnseen = snapshotAt === 0 && task.createdAt === '' && task.lastUpdatedAt === '' && !isJob(task.taskId)
  return isUnseen && kindOf(error) === 'server'
}

/** The server does not know a task that it has created, and has not shown it since. Errors that say more keep their words. */
function isNeverShown({ task, snapshotAt }: TaskRecord, error: Error): boolean {
  const isUnknown = error instanceof TaskExpiredError && error.message === UNKNOWN_TASK
  return isUnknown && snapshotAt === 0 && task.createdAt !== ''
}

const NEVER_SHOWN: string =
  'The server does not know this task, which it has created itself' +
  (inDevelopment
    ? ': it was restarted, or requests reach several processes that share no tasks. Some proxies start one for each request. ' +
      'Start the call again; if it ends the same way, look there.'
    : `. Start the call again. ${READ_MORE}`)

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
