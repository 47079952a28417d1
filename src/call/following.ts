import { TaskProtocolError } from '../protocol/errors.js'
import { isTerminal, pickTask } from '../protocol/task.js'
import { recordedTask, resumeAt } from '../storage/toolCallRecord.js'
import type { Call, CallEvent, CallRules, Circumstances, Effect, Following } from './call.js'
import { NO_INPUTS } from './inputs.js'
import { leaderChanged, takeOver, withNewTimeout } from './leading.js'
import { pollInterval } from './pollPolicy.js'
import { countRefusals, firstRefusals, nextPollAt, withinTtl } from './pollSchedule.js'
import { onSnapshot } from './snapshots.js'
import { LEADER_TIMEOUT_MS, MESSAGE_DELAY_MS } from './tabTimes.js'
import type { TaskMessage } from './taskMessage.js'
import { earliestPollAt, ended, scheduled, withAnswered } from './tracked.js'

/** Clients behind one router come back online in the same moment; their polls are spread over this, in ms. */
const ONLINE_JITTER_MS = 200

type Tracking = Extract<CallEvent, { type: 'created' | 'adopted' }>

/** A task is there: one that this call was answered by, or one that a record of another page names. */
export function track(call: Call, event: Tracking, at: Circumstances, rules: CallRules, effects: Effect[]): Call {
  const { callId, name, key, arguments: args } = call
  const { now } = at
  const { policy } = rules
  const isNew = event.type === 'created'
  const task = isNew ? pickTask(event.task) : recordedTask(event.task)
  // A clock may have been ahead when these were noted.
  const receivedAt = isNew ? now : Math.min(event.task.receivedAt, now)
  // Born terminal, its result can be fetched; else the first poll is one interval away.
  const firstPollAt = isTerminal(task.status) ? now : now + pollInterval(task.pollIntervalMs, policy)
  const dueAt = withinTtl(task, receivedAt, policy, isNew ? firstPollAt : resumeAt(event.task, now))
  // Written out: what is put together of several objects is slow to copy, and each event copies it.
  const tracked: Following = {
    callId,
    name,
    key,
    arguments: args,
    argumentsHash: isNew ? call.argumentsHash : (event.argumentsHash ?? call.argumentsHash),
    startedAt: isNew ? call.startedAt : event.startedAt,
    stage: 'following',
    task,
    passedOver: undefined,
    snapshotAt: isNew ? undefined : event.task.snapshotAt,
    knownAt: isNew ? now : Math.min(event.task.snapshotAt ?? receivedAt, now),
    receivedAt,
    dueAt,
    earliestAt: dueAt,
    failureCount: 0,
    violations: 0,
    refusals: firstRefusals(task),
    era: event.era,
    record: isNew ? 'unwritten' : 'assumed',
    // What the other tabs know of a task that is not new has still to be received.
    poller: at.isLeader ? (isNew || at.isAlone ? 'this-tab' : 'syncing') : 'another-tab',
    poll: 'idle',
    listenUntil: isNew || !at.isLeader ? 0 : now + MESSAGE_DELAY_MS,
    foreignPollUntil: 0,
    foreignPollAt: 0,
    lastPollAt: 0,
    isHinted: false,
    leaderTimeoutAt: Math.max(dueAt, now) + LEADER_TIMEOUT_MS,
    wasLate: false,
    blocked: undefined,
    failure: undefined,
    inputs: NO_INPUTS,
    answered: isNew ? [] : event.task.answered,
    cancel: !isNew && event.task.isCancelling ? 'requested' : 'none',
    idlePolls: 0,
  }
  if (isNew) effects.push({ type: 'record' })
  return call.stage === 'resting' ? { ...tracked, stage: 'resting' } : proceed(tracked, at, rules, effects)
}

/**
 * What an event means for a task that is followed: polled by this tab, one request at a time and each an interval
 * after the last response, or followed through the messages of the tab that polls it.
 *
 * ```text
 * response ── interval of that response ──▶ poll ── response ── interval ──▶ poll …   never earlier
 * failure ─── max(interval, backoff, Retry-After) ─▶ poll …                           until a response or the ttl
 * another tab's response ── its next poll ──▶ poll, if this tab leads by then
 * hint of the server ─ minIntervalMs after the last poll was sent ─▶ poll
 * pushed snapshot ── safety interval ──▶ poll, or one interval as soon as the push is over
 * ```
 */
export function followTransition(
  call: Following,
  event: CallEvent,
  at: Circumstances,
  rules: CallRules,
  effects: Effect[],
): Call {
  const next = apply(call, event, at, rules, effects)
  return next.stage === 'following' ? proceed(withHint(next, at, rules), at, rules, effects) : next
}

/**
 * Polls if it is time and this page is to do it: online, visible where that is asked for, and the tab that leads.
 *
 * ```text
 * due ──────────┐            each wake looks at the wall clock, so a sleep is one look late, not one
 * online ───────┤            interval, and never a burst
 * visible ──────┼─ poll
 * our turn ─────┘
 *    └─ theirs, and overdue: take over
 * ```
 */
function proceed(call: Following, at: Circumstances, rules: CallRules, effects: Effect[]): Following {
  if (call.poll !== 'idle') return call
  const isPaused = rules.policy.hidden === 'pause' && !at.isVisible
  const blocked: Following['blocked'] = at.isOnline ? (isPaused ? 'paused' : undefined) : 'offline'
  const next: Following = blocked === call.blocked ? call : { ...call, blocked }
  if (blocked !== undefined) return next
  const { now } = at
  switch (next.poller) {
    case 'checking':
      return next
    case 'syncing':
      if (now < next.listenUntil || now < next.foreignPollUntil) return next
      effects.push({ type: 'read-next-poll' })
      return { ...next, poller: 'checking' }
    case 'another-tab':
      if (now < next.dueAt || now < next.leaderTimeoutAt) return next
      // Frozen or asleep, this tab received no messages. Once, for the timers of a throttled tab are always late.
      if (at.isLate && !next.wasLate) return { ...next, wasLate: true, leaderTimeoutAt: now + MESSAGE_DELAY_MS }
      effects.push({ type: 'lead' })
      return { ...next, leaderTimeoutAt: now + LEADER_TIMEOUT_MS }
    case 'this-tab':
      if (now < next.dueAt || now < next.foreignPollUntil) return next
      effects.push({ type: 'poll' })
      return { ...next, poll: 'queued' }
  }
}

function apply(call: Following, event: CallEvent, at: Circumstances, rules: CallRules, effects: Effect[]): Call {
  const { now } = at
  switch (event.type) {
    case 'unobserved':
      return { ...call, stage: 'resting', poll: 'idle', blocked: undefined }
    case 'observed':
      return {
        ...call,
        listenUntil: at.isLeader ? now + MESSAGE_DELAY_MS : 0,
        poller: at.isLeader ? (at.isAlone ? 'this-tab' : 'syncing') : 'another-tab',
        ...withNewTimeout(call, now),
      }
    case 'leader-changed':
      return leaderChanged(call, at, rules, effects)
    case 'next-poll-read':
      return takeOver(call, event.nextPollAt, at, rules, effects)
    case 'poll-sent': {
      // If this poll is cut off, the next one is not earlier for it.
      const sentUntil = now + pollInterval(call.task.pollIntervalMs, rules.policy)
      return { ...call, poll: 'sent', lastPollAt: now, isHinted: false, ...scheduled(sentUntil, sentUntil, now) }
    }
    case 'message':
      return onMessage(call, event.message, event.isOwn, at, rules, effects)
    case 'pushed':
      return onSnapshot(call, { task: event.task, from: 'server' }, at, rules, effects)
    case 'hint':
      return call.isHinted ? call : { ...call, isHinted: true }
    case 'push-changed': {
      if (call.failureCount > 0 || call.poller !== 'this-tab' || call.poll !== 'idle') return call
      const dueAt = Math.max(call.earliestAt, nextPollAt(call, rules.policy, at.isPushed))
      return { ...call, ...scheduled(dueAt, call.earliestAt, now) }
    }
    case 'online': {
      if (!at.isOnline || call.poll !== 'idle') return call
      const soon = Math.max(call.earliestAt, now + at.jitter * ONLINE_JITTER_MS)
      const dueAt = call.dueAt <= now ? soon : Math.min(call.dueAt, soon)
      return dueAt === call.dueAt ? call : { ...call, dueAt }
    }
    case 'page-shown':
      // While it was frozen this page received no messages; the other tabs are about to post theirs.
      return { ...call, ...withNewTimeout(call, now) }
    default:
      return call
  }
}

/** While polls fail, a hint brings the next one forward only as far as the server allows. */
function withHint(call: Following, { now }: Circumstances, { policy }: CallRules): Following {
  if (!call.isHinted || call.poll !== 'idle' || call.poller !== 'this-tab') return call
  const afterLastPoll = Math.max(call.lastPollAt, call.foreignPollAt) + policy.minIntervalMs
  const dueAt = Math.max(now, call.failureCount > 0 ? call.earliestAt : afterLastPoll)
  return dueAt < call.dueAt ? { ...call, ...scheduled(dueAt, Math.min(call.earliestAt, dueAt), now) } : call
}

/**
 * A message of another tab never brings the next poll forward. It may have waited for this page to wake up:
 *
 * ```text
 * tab B  polls ── response: not before 10:00:03 ─ closed
 * tab A  frozen ·················· wakes ─ polls ── response: not before 10:00:09 ─ receives B's
 * ```
 */
function onMessage(
  call: Following,
  message: TaskMessage,
  isOwn: boolean,
  at: Circumstances,
  rules: CallRules,
  effects: Effect[],
): Call {
  const { now } = at
  const earliest = earliestPollAt(call, isOwn, rules.policy)
  const polled = isOwn ? { poll: 'idle' as const } : { foreignPollUntil: 0 }
  switch (message.type) {
    case 'polling':
      return {
        ...call,
        foreignPollUntil: message.until,
        foreignPollAt: now,
        leaderTimeoutAt: Math.max(message.until, now) + LEADER_TIMEOUT_MS,
      }
    case 'poll-aborted': {
      const dueAt = Math.max(message.nextPollAt, earliest)
      // Not for a hint either: a page that goes away is not to have a request under way.
      return { ...call, ...polled, isHinted: false, ...scheduled(dueAt, dueAt, now) }
    }
    case 'asked': {
      const earliestAt = Math.max(call.earliestAt, message.nextPollAt)
      return { ...call, ...scheduled(Math.max(call.dueAt, earliestAt), earliestAt, now) }
    }
    case 'snapshot': {
      const { task, nextPollAt: wishedAt, askedAt, earliestAt } = message
      return onSnapshot(call, { task, from: isOwn ? 'poll' : 'tab', wishedAt, askedAt, earliestAt }, at, rules, effects)
    }
    case 'poll-failed': {
      const { error, network, failureCount } = message
      effects.push({ type: 'report', error, operation: 'poll' })
      if (!isOwn && network === 'paused') effects.push({ type: 'hold-sign-in' })
      const [dueAt, earliestAt] = [Math.max(message.nextPollAt, earliest), Math.max(message.earliestAt, earliest)]
      const violations = error instanceof TaskProtocolError ? call.violations + 1 : 0
      const failure = { error, network }
      return {
        ...call,
        ...polled,
        ...scheduled(dueAt, earliestAt, now),
        failureCount,
        violations,
        refusals: countRefusals(call, error),
        failure,
      }
    }
    case 'ended':
      return ended(call, message.error, effects)
    case 'responded':
      effects.push({ type: 'record', ifMissing: true })
      return withAnswered(call, message.inputKey)
    case 'cancelling':
      effects.push({ type: 'record', ifMissing: true })
      return { ...call, cancel: message.isCancelling ? 'requested' : 'none' }
  }
}
