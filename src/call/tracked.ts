import { pickTask, type TerminalTask } from '../protocol/task.js'
import { withAnswered as withRespondedKeys } from '../storage/toolCallRecord.js'
import type { Call, CallEvent, Effect, Following, Tracked } from './call.js'
import { type Inputs, NO_INPUTS, withInput } from './inputs.js'
import { type PollPolicy, pollInterval } from './pollPolicy.js'
import { LEADER_TIMEOUT_MS } from './tabTimes.js'

/** When the task is polled next, and when another tab that should poll it counts as gone. */
export function scheduled(
  dueAt: number,
  earliestAt: number,
  now: number,
): Pick<Tracked, 'dueAt' | 'earliestAt' | 'leaderTimeoutAt' | 'wasLate'> {
  return { dueAt, earliestAt, leaderTimeoutAt: Math.max(dueAt, now) + LEADER_TIMEOUT_MS, wasLate: false }
}

/**
 * When the task may be polled at the earliest, whatever a message says. The response to a poll of this tab replaces what was
 * assumed when that was sent, but not what other tabs have received meanwhile:
 *
 * ```text
 * tab A  polls ──────────── response: not before 10:00:04
 * tab B  polls ── 429: not before 10:00:09
 * ```
 */
export function earliestPollAt(call: Tracked, isOwnPoll: boolean, policy: PollPolicy): number {
  const assumed = call.lastPollAt + pollInterval(call.task.pollIntervalMs, policy)
  return isOwnPoll && call.earliestAt <= assumed ? 0 : call.earliestAt
}

/** The server has taken the response that this tab has sent. */
export function responded<C extends Tracked>(call: C, inputKey: string, effects: Effect[]): C {
  effects.push({ type: 'record' }, { type: 'post', message: { type: 'responded', inputKey } })
  return withAnswered(call, inputKey)
}

/**
 * This tab asks for cancellation, or the server has refused it. Only the fact that it was asked for is recorded and
 * posted.
 */
export function cancel<C extends Tracked>(
  call: C,
  { status, error }: Extract<CallEvent, { type: 'cancel' }>,
  effects: Effect[],
): C {
  const isCancelling = status !== 'none'
  if (status === 'sending' || !isCancelling) {
    effects.push({ type: 'record' }, { type: 'post', message: { type: 'cancelling', isCancelling } })
  }
  return { ...call, cancel: status, failure: error ? { error, network: 'ok' } : call.failure }
}

export function withAnswered<C extends Tracked>(call: C, inputKey: string): C {
  const input = call.inputs.get(inputKey)
  const inputs: Inputs =
    input === undefined ? call.inputs : withInput(call.inputs, inputKey, { request: input.request, status: 'answered' })
  const answered = call.answered.includes(inputKey) ? call.answered : withRespondedKeys(call.answered, [inputKey])
  return { ...call, inputs, answered }
}

export function ended(call: Following, end: TerminalTask | Error, effects: Effect[]): Call {
  effects.push({ type: 'end', end })
  const task = end instanceof Error ? call.task : pickTask(end)
  return {
    ...call,
    stage: 'ending',
    end,
    task,
    poll: 'idle',
    blocked: undefined,
    failure: undefined,
    inputs: NO_INPUTS,
  }
}

/** All times that are compared with the clock; without this the wait would be longer by as much. */
export function setBack<C extends Tracked>(call: C, by: number): C {
  return {
    ...call,
    knownAt: call.knownAt - by,
    snapshotAt: call.snapshotAt && call.snapshotAt - by,
    progressAt: call.progressAt && call.progressAt - by,
    receivedAt: call.receivedAt - by,
    dueAt: call.dueAt - by,
    earliestAt: call.earliestAt - by,
    leaderTimeoutAt: call.leaderTimeoutAt - by,
    listenUntil: call.listenUntil - by,
    foreignPollUntil: call.foreignPollUntil - by,
    foreignPollAt: call.foreignPollAt - by,
    lastPollAt: call.lastPollAt - by,
  }
}
