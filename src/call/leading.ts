import type { CallRules, Circumstances, Effect, Following, Tracked } from './call.js'
import { pollInterval } from './pollPolicy.js'
import { nextPollAt } from './pollSchedule.js'
import { LEADER_TIMEOUT_MS, MESSAGE_DELAY_MS } from './tabTimes.js'
import { scheduled } from './tracked.js'

type Schedule = ReturnType<typeof scheduled>

/** A tab that was opened or has woken up gives the others time to post what they know. */
export function withNewTimeout(
  { leaderTimeoutAt }: Tracked,
  now: number,
): Pick<Tracked, 'leaderTimeoutAt' | 'wasLate'> {
  return { leaderTimeoutAt: Math.max(leaderTimeoutAt, now + LEADER_TIMEOUT_MS), wasLate: false }
}

/**
 * This tab becomes the leader, or ceases to be. A tab that has crashed can no longer post that its poll is over, so the
 * next leader does: a tab that leads after it would wait for that poll.
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
      : { ...call, poller: 'another-tab', isHinted: false, ...withNewTimeout(call, at.now) }
  if (call.poller !== 'another-tab') return call
  // One that lives may still get its response.
  if (at.wasStolen) return { ...call, poller: 'syncing' }
  // A tab that has gone polls no more. Awake, this one would have taken over from it by the timeout: it was frozen, and
  // what the other one posted last is still to come.
  const listenUntil = at.now >= call.leaderTimeoutAt ? at.now + MESSAGE_DELAY_MS : call.listenUntil
  if (at.now < call.foreignPollUntil) postNoPoll(nextPoll(call, 0, at, rules), effects)
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
 * If the note cannot be read, the next poll waits one interval.
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
  const next = nextPoll(call, notedAt, at, rules)
  if (waits) postNoPoll(next, effects)
  return { ...call, poller: 'this-tab', ...next }
}

/** When a new leader polls: not before the note says, nor within an interval of the last poll of another tab. */
function nextPoll(call: Following, notedAt: number, at: Circumstances, { policy }: CallRules): Schedule {
  const afterForeignPoll = nextPollAt({ ...call, knownAt: call.foreignPollAt }, policy, at.isPushed)
  const earliestAt = Math.max(call.earliestAt, notedAt, afterForeignPoll)
  return scheduled(Math.max(call.failureCount > 0 ? call.dueAt : 0, earliestAt), earliestAt, at.now)
}

/** Tells the others that no poll is under way, and when the next one is due. */
function postNoPoll({ dueAt }: Schedule, effects: Effect[]): void {
  effects.push({ type: 'post', message: { type: 'poll-aborted', nextPollAt: dueAt } })
}
