import type { CallRules, Circumstances, Effect, Following, Tracked } from './call.js'
import { pollInterval } from './pollPolicy.js'
import { nextPollAt } from './pollSchedule.js'
import { LEADER_TIMEOUT_MS, MESSAGE_DELAY_MS } from './tabTimes.js'
import { scheduled } from './tracked.js'

/** A tab that was opened or has woken up gives the others time to post what they know. */
export function again({ leaderTimeoutAt }: Tracked, now: number): Pick<Tracked, 'leaderTimeoutAt' | 'wasLate'> {
  return { leaderTimeoutAt: Math.max(leaderTimeoutAt, now + LEADER_TIMEOUT_MS), wasLate: false }
}

/**
 * A tab that has crashed said that it polls, and not that it does no longer. The tab that leads next says so: another
 * one that leads after it would wait for that poll.
 *
 * ```text
 * tab A  polls ─ crashed
 * tab B                   leads, hidden: the poll is over ─┐
 * tab C                                                    └─ can be seen: takes over
 * ```
 */
export function leaderChanged(call: Following, at: Circumstances, rules: CallRules, effects: Effect[]): Following {
  if (!at.isLeader)
    return call.poller === 'another-tab'
      ? call
      : { ...call, poller: 'another-tab', isHinted: false, ...again(call, at.now) }
  if (call.poller !== 'another-tab') return call
  // One that lives may still get its response.
  if (at.wasStolen) return { ...call, poller: 'syncing' }
  // A tab that has gone polls no more. Awake, this one would have taken over from it by the timeout: it was frozen, and
  // what the other one posted last is still to come.
  const listenUntil = at.now >= call.leaderTimeoutAt ? at.now + MESSAGE_DELAY_MS : call.listenUntil
  if (at.now < call.foreignPollUntil) postWait(Math.max(call.earliestAt, afterForeignPoll(call, at, rules)), effects)
  return { ...call, poller: 'syncing', foreignPollUntil: 0, listenUntil }
}

/**
 * This tab becomes the poller. The previous one may have received a push and not polled since, so the next poll is due
 * as soon as the server allows:
 *
 * ```text
 * tab A  polls ── response ── notes the next poll ─ closed
 * tab B  opens ▪ in the cache ▪ frozen              takes over: reads the note, received no message
 *
 * tab A  polls ─ crashed
 * tab B  receives it      takes over: one interval later
 * ```
 *
 * A note that the storage does not give away may say anything; one interval is what the server asks for as a rule.
 */
export function takeOver(
  call: Following,
  noted: number | 'unreadable' | undefined,
  at: Circumstances,
  rules: CallRules,
  effects: Effect[],
): Following {
  if (call.poller !== 'checking') return call
  // A tab that steals the lead was awake; and tabs that wait whenever they steal it from one another would never poll.
  const waits = noted === 'unreadable' && !at.wasStolen
  const afterNote = waits ? at.now + pollInterval(call.task.pollIntervalMs, rules.policy) : 0
  const notedAt = typeof noted === 'number' ? noted : afterNote
  const earliestAt = Math.max(call.earliestAt, notedAt, afterForeignPoll(call, at, rules))
  const dueAt = Math.max(call.failureCount > 0 ? call.dueAt : 0, earliestAt)
  if (waits) postWait(earliestAt, effects)
  return { ...call, poller: 'this-tab', ...scheduled(dueAt, earliestAt, at.now) }
}

/** One interval after the last poll of another tab, as far as this one knows. */
function afterForeignPoll(call: Following, at: Circumstances, { policy }: CallRules): number {
  return nextPollAt({ ...call, knownAt: call.foreignPollAt }, policy, at.isPushed)
}

/** Tells the others that no poll is under way, and when the next one is due. */
function postWait(nextPollAt: number, effects: Effect[]): void {
  effects.push({ type: 'post', message: { type: 'poll-aborted', nextPollAt } })
}
