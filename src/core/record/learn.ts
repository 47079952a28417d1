import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskExpiredError, TaskInputRequiredError, TaskProtocolError, TaskStuckError } from '../protocol/errors.js'
import { undeclaredError } from '../protocol/inputCapabilities.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import { READ_MORE } from '../protocol/readMore.js'
import { type DetailedTask, isSameTask, isTerminal, isTerminalTask, pickTask, type Task } from '../protocol/task.js'
import { type PollPolicy, pollInterval } from '../time/policy.js'
import { takeAsked } from './inputs.js'
import { isAnotherTask } from './merge.js'
import type { TaskEnd, TaskRecord } from './record.js'
import { takeSnapshot } from './snapshotOrder.js'

/** What holds for every call of a client. */
export interface CallRules {
  readonly policy: PollPolicy
  readonly missingInput: 'wait' | 'error'
  /** Polls in `input_required` with nothing left to be answered, after which a task is stuck. */
  readonly stuckAfterPolls: number
  /** True for an input request that a handler of the app responds to. */
  readonly isHandled: (request: InputRequest) => boolean
  /** The capability that an input request needs and the client has not declared; undefined where it has. */
  readonly missingCapability: (request: InputRequest) => string | undefined
}

/** How a snapshot came. */
export interface Arrival {
  readonly now: number
  /** When the poll for it was sent, ms since the epoch; 0 where the server has pushed it. */
  readonly askedAt: number
  /** True if the server pushes what happens to the task. */
  readonly isPushed: boolean
}

/**
 * What is known once the server has shown the task: in answer to a poll, or by a push.
 *
 * ```text
 * answer ── interval of that answer ──▶ poll ── answer ── interval ──▶ poll …    never earlier
 * pushed snapshot ── safety interval ──▶ poll, or one interval as soon as the push is over
 * ```
 */
export function learn(record: TaskRecord, snapshot: DetailedTask, arrival: Arrival, rules: CallRules): TaskRecord {
  const { now, askedAt } = arrival
  if (record.end !== undefined) return record
  if (isAnotherTask(record, snapshot)) {
    // Where it was pushed, the next poll says so.
    return askedAt === 0 ? record : reused(record, now)
  }
  const { passedOver } = record.here
  const order = takeSnapshot({ task: record.task, passedOver }, snapshot, askedAt > record.heardAt)
  if (order.task !== snapshot) return passOver(record, snapshot, order.passedOver, arrival, rules.policy)
  if (isTerminalTask(snapshot)) {
    // An outcome that is fetched again is no later end.
    const at = isTerminal(record.task.status) ? record.snapshotAt || now : now
    return { ...ended(record, { at, task: snapshot }, now), task: pickTask(snapshot), snapshotAt: at, heardAt: now }
  }
  const known = seen(record, askedAt)
  // This was the last poll, unless the answer has prolonged the ttl.
  const wasLast = isPastTtl(known.task, known.receivedAt, askedAt)
  if (wasLast && isPastTtl(snapshot, known.receivedAt, now)) return expired(record, now)
  return withInputRequests(taken(known, snapshot, arrival, rules.policy), record, snapshot, now, rules)
}

/** A poll that is later than this, in ms, was put off: the page slept, was offline, or the clock was set forward. */
const LATE_MS = 10_000

/**
 * The record by which a poll is judged that was sent at `askedAt`. Past the ttl, only time that this page has seen pass counts:
 * where the poll came too late, the clock may have been set forward, or the machine has slept.
 */
export function seen(record: TaskRecord, askedAt: number): TaskRecord {
  const { task, receivedAt, earliestAt, retryAt, quietUntil } = record
  if (!isPastTtl(task, receivedAt, askedAt)) return record
  const lateMs = askedAt - Math.max(earliestAt, retryAt, quietUntil)
  return lateMs > LATE_MS ? { ...record, receivedAt: Math.min(receivedAt + lateMs, askedAt) } : record
}

/** The task is lost: its id is another one's. */
export function reused(record: TaskRecord, now: number): TaskRecord {
  const { taskId } = record.task
  return ended(record, { at: now, error: new TaskExpiredError('unknown-task', { taskId, message: REUSED }) })
}

const REUSED =
  'The server has given the id of this task to another one: it has lost this task, by a restart for instance. Start the call again.'

/** Only something old has come. What is known may be wrong as well: the next poll says, an interval later. */
function passOver(
  record: TaskRecord,
  snapshot: Task,
  passedOver: Task | undefined,
  { now, askedAt }: Arrival,
  policy: PollPolicy,
): TaskRecord {
  const { earliestAt, here } = record
  // Nobody has asked for it: it answers no poll.
  if (askedAt === 0) {
    return record.failure ? record : { ...record, quietUntil: 0, retryAt: 0, triedAt: now, notedAt: now }
  }
  return {
    ...record,
    heardAt: now,
    earliestAt: Math.max(earliestAt, now + pollInterval(snapshot.pollIntervalMs, policy)),
    ...answeredPoll(now),
    notedAt: now,
    here: { ...here, passedOver, cancelError: undefined },
  }
}

function answeredPoll(now: number) {
  return { triedAt: now, pollingUntil: 0, retryAt: 0, quietUntil: 0, failure: undefined }
}

function taken(
  record: TaskRecord,
  snapshot: Task,
  { now, askedAt, isPushed }: Arrival,
  policy: PollPolicy,
): TaskRecord {
  const { here } = record
  const interval = pollInterval(snapshot.pollIntervalMs, policy)
  const isSameHere = here.passedOver === undefined && here.cancelError === undefined
  return {
    // A snapshot that changes nothing keeps the reference, so that nothing renders.
    task: isSameTask(record.task, snapshot) ? record.task : pickTask(snapshot),
    era: record.era,
    receivedAt: record.receivedAt,
    snapshotAt: now,
    heardAt: now,
    earliestAt: Math.max(record.earliestAt, now + interval),
    sentAt: record.sentAt,
    believedFrom: record.believedFrom,
    triedAt: now,
    // A push says nothing of a poll that is under way.
    pollingUntil: askedAt === 0 ? record.pollingUntil : 0,
    retryAt: 0,
    quietUntil: isPushed ? now + Math.max(interval, policy.safetyIntervalMs) : 0,
    failure: undefined,
    inputRequests: record.inputRequests,
    answered: record.answered,
    idlePolls: record.idlePolls,
    cancelling: record.cancelling,
    lost: undefined,
    end: undefined,
    notedAt: now,
    here: isSameHere ? here : { ...here, passedOver: undefined, cancelError: undefined },
  }
}

function withInputRequests(
  next: TaskRecord,
  { inputRequests: known, idlePolls: before }: TaskRecord,
  snapshot: DetailedTask,
  now: number,
  rules: CallRules,
): TaskRecord {
  const { taskId } = snapshot
  const asked = snapshot.status === 'input_required' ? snapshot.inputRequests : NOTHING_ASKED
  const { inputRequests, added, hasChanged } = takeAsked(known, asked, next.answered)
  const fail = (error: Error) => ended({ ...next, inputRequests }, { at: now, error })
  if (hasChanged) return fail(new TaskProtocolError(CHANGED, { source: 'tasks/get', taskId }))
  for (const request of Object.values(asked)) {
    const missing = rules.missingCapability(request)
    if (missing !== undefined) return fail(undeclaredError(missing, { taskId }))
  }
  if (rules.missingInput === 'error' && added.some((key) => !rules.isHandled(asked[key] as InputRequest))) {
    return fail(nobodyToAsk(undefined, taskId))
  }
  const isBusy = Object.keys(inputRequests).some((key) => !next.answered.includes(key))
  const idlePolls = snapshot.status === 'input_required' && !isBusy ? before + 1 : 0
  if (idlePolls >= rules.stuckAfterPolls) return fail(stuck(idlePolls, taskId))
  return { ...next, inputRequests, idlePolls }
}

const NOTHING_ASKED: TaskRecord['inputRequests'] = {}
const CHANGED = 'an input request changed under the key it had'

/** The record of a task for which nothing is left to be done. `now`: when that is noted. */
export function ended(record: TaskRecord, end: TaskEnd, now: number = end.at): TaskRecord {
  const { at } = end
  const isLost = 'error' in end && end.error instanceof TaskExpiredError
  const lost = isLost ? { at, reason: (end.error as TaskExpiredError).reason } : record.lost
  return { ...record, ...answeredPoll(now), end, lost, notedAt: now }
}

/**
 * How long past its ttl the client polls a task that it has not seen end, in ms: a day. The server may have prolonged the ttl, or the
 * user may have set the clock; a day later every server has dropped the task.
 */
export const ASK_PAST_TTL_MS: number = 24 * 60 * 60 * 1000

/** SEP-2663, "Task Polling": past its ttl a task may be given up. The first word of the server after that decides. */
export function isPastTtl({ ttlMs }: Task, receivedAt: number, at: number): boolean {
  return ttlMs !== null && at >= receivedAt + ttlMs
}

export function expired(record: TaskRecord, now: number, cause?: Error): TaskRecord {
  const { taskId } = record.task
  return ended(record, { at: now, error: new TaskExpiredError('ttl', { taskId, cause }) })
}

/** What ends a call whose input request has neither a handler nor a user interface. */
export function nobodyToAsk(callId?: string, taskId?: string): TaskInputRequiredError {
  return new TaskInputRequiredError(
    `The task asks for input that has no handler. ${inDevelopment ? "Pass input.handlers, or leave input.missing at 'wait' and show inputRequests." : READ_MORE}`,
    { callId, taskId },
  )
}

function stuck(idlePolls: number, taskId: string): TaskStuckError {
  return new TaskStuckError(
    `The task has asked for input in ${idlePolls} polls in a row without asking anything new. It was cancelled.`,
    { taskId },
  )
}
