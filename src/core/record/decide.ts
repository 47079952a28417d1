import { type PollPolicy, pollInterval } from '../time/policy.js'
import { askedMs } from '../time/retry.js'
import type { TaskRecord } from './record.js'

/**
 * Why the client sends a poll at its time.
 *
 * - `interval`: the interval that the server asked for, or `poll.defaultIntervalMs`, is over
 * - `safety-interval`: the server pushes, and `poll.safetyIntervalMs` is over
 * - `backoff`: after a failure that may be temporary
 * - `retry-after`: after a failure, at the time that the server asked for with `Retry-After`
 * - `back-online`: the browser is online again, or the user has signed in
 * - `takeover`: this tab has taken over the polling from another tab
 * - `hint`: the server has signalled a change
 * - `resumed`: the client has resumed the task from a record
 */
export type PollReason =
  | 'interval'
  | 'safety-interval'
  | 'backoff'
  | 'retry-after'
  | 'back-online'
  | 'takeover'
  | 'hint'
  | 'resumed'

/** For how long a poll that another tab says it makes is believed, before that tab is taken for frozen, in ms. */
export const POLLING_MS = 5000

/** How long a poll of another tab may be overdue before this tab takes over: that one was closed, or is frozen. */
export const OVERDUE_MS = 1000

/** How the page is, which the record does not say. */
export interface Circumstances {
  readonly now: number
  readonly isOnline: boolean
  readonly isVisible: boolean
  /** True if this tab leads: it polls for all of them. */
  readonly isLeader: boolean
  /** Until when this tab waits for what others may have to say, ms since the epoch. */
  readonly listenUntil: number
}

/** What to do about a task. */
export type Decision =
  | { readonly do: 'poll'; readonly why: PollReason }
  /** Decide again at this time, ms since the epoch, or as soon as something has changed. */
  | { readonly do: 'wait'; readonly until: number }
  /** Take the lead from a tab that does not poll. */
  | { readonly do: 'lead' }
  /** Nothing, until something has changed. */
  | { readonly do: 'rest'; readonly blocked: 'offline' | 'paused' | undefined }

/**
 * When the next poll is due, whichever tab sends it, and why then: the only place that says so. Whether this tab sends it then, and what
 * holds it back: `decide`.
 *
 * ```text
 * response, failure ── interval, or Retry-After ── earliestAt ──▶   no poll comes earlier but for a hint, and for the end of the ttl
 * failure ── backoff ───────────────────────────── retryAt ─────▶
 * push ── safety interval ──────────────────────── quietUntil ──▶
 * poll sent, and cut off ── interval ──────────────────────────▶
 * hint ─ minIntervalMs after the last poll ────────────────────▶   brings the poll forward; if the last one failed, only to earliestAt
 * online again, signed in ──────────────────────────────────────    end retryAt and quietUntil (`soon` in run/page.ts), never earliestAt
 * ```
 *
 * Why: `here.because`, where this page has a reason of its own; else a hint, if there is one; after a failure `retry-after` or `backoff`; else
 * what is the latest of these.
 */
export function nextPoll(record: TaskRecord, policy: PollPolicy): { readonly at: number; readonly why: PollReason } {
  const { earliestAt, sentAt, heardAt, failure, here } = record
  if (here.hintedAt > sentAt) {
    // While polls fail, a hint brings the next one forward only as far as the server allows. What a poll of an earlier page
    // failed with is not recorded, but that it was sent is.
    const isUnanswered = failure !== undefined || sentAt > heardAt
    const at = isUnanswered ? earliestAt : Math.max(here.hintedAt, sentAt + policy.minIntervalMs)
    return { at: withinTtl(record, policy, Math.min(at, planned(record, policy))), why: here.because ?? 'hint' }
  }
  return { at: withinTtl(record, policy, planned(record, policy)), why: here.because ?? plannedBy(record) }
}

/** What puts the next poll off for as long as it does. */
function plannedBy({ earliestAt, retryAt, quietUntil, failure }: TaskRecord): PollReason {
  if (failure === undefined) return quietUntil > Math.max(earliestAt, retryAt) ? 'safety-interval' : 'interval'
  const isAsked = askedMs(failure.error) !== undefined
  return isAsked && retryAt <= earliestAt ? 'retry-after' : 'backoff'
}

function planned(record: TaskRecord, policy: PollPolicy): number {
  const { task, earliestAt, sentAt, retryAt, quietUntil } = record
  // A poll that was cut off counts as one that was answered. How long ago it was sent is believed only up to a limit: a tab that
  // says again and again that it polls, and never has an answer, must not keep the others waiting for ever.
  const cutOffAt =
    sentAt === 0 ? 0 : Math.min(sentAt, believedUntil(record, policy)) + pollInterval(task.pollIntervalMs, policy)
  return Math.max(earliestAt, cutOffAt, retryAt, quietUntil)
}

/** Until when another tab is believed that says it polls, and has nothing to show for it. */
function believedUntil(
  { earliestAt, retryAt, quietUntil, heardAt, believedFrom }: TaskRecord,
  { requestTimeoutMs }: PollPolicy,
): number {
  return Math.max(earliestAt, retryAt, quietUntil, heardAt, believedFrom) + requestTimeoutMs + POLLING_MS
}

/** Until when another tab is believed to poll the task. */
export function polledUntil(record: TaskRecord, policy: PollPolicy): number {
  return Math.min(record.pollingUntil, believedUntil(record, policy))
}

/**
 * The `believedFrom` of the record when a tab sends a poll. Past `believedUntil`, as after a sleep, the other tabs would not believe that it
 * polls: they would take the lead and abort each other's polls for ever. Such a late poll starts a new period of belief.
 *
 * ```text
 * due ─── asleep ────────── wakes: tab A polls ───────────── response
 *     └ believed until ▪            tab B waits for it, as long as before
 * ```
 */
export function believedFrom(record: TaskRecord, askedAt: number, policy: PollPolicy): number {
  return askedAt < believedUntil(record, policy) ? record.believedFrom : askedAt
}

/**
 * One poll comes no later than the longest backoff past the ttl: a server that asks to be left alone for longer than it keeps the
 * task must not keep the call waiting for ever. Those after it come as planned.
 */
function withinTtl({ task, receivedAt, heardAt, triedAt }: TaskRecord, policy: PollPolicy, at: number): number {
  if (task.ttlMs === null) return at
  const limit = receivedAt + task.ttlMs + policy.maxMs
  return limit > Math.max(heardAt, triedAt) ? Math.min(at, limit) : at
}

/**
 * Whether to poll now. It is asked whenever something has changed, and each time it looks at the wall clock: a sleep is
 * one look late, not one interval, and never a burst.
 *
 * ```text
 * due ──────────┐
 * online ───────┤
 * visible ──────┼─ poll      (visible: with `hidden: 'pause'` alone)
 * our turn ─────┘
 *    └─ theirs, and a second overdue: take the lead
 * ```
 *
 * `listenUntil`: see `TaskEntry` (run/entries.ts). A poll then waits in line where the page has no connection to spare (run/polls.ts).
 */
export function decide(record: TaskRecord, at: Circumstances, policy: PollPolicy): Decision {
  if (record.end !== undefined) return { do: 'rest', blocked: undefined }
  if (!at.isOnline) return { do: 'rest', blocked: 'offline' }
  if (policy.hidden === 'pause' && !at.isVisible) return { do: 'rest', blocked: 'paused' }
  const { at: dueAt, why } = nextPoll(record, policy)
  const pollingUntil = polledUntil(record, policy)
  const graceMs = at.isLeader ? 0 : OVERDUE_MS
  const until = Math.max(Math.max(dueAt, pollingUntil) + graceMs, at.listenUntil)
  if (at.now < until) return { do: 'wait', until }
  return at.isLeader ? { do: 'poll', why } : { do: 'lead' }
}
