import { TaskInputRequiredError, TaskProtocolError, TaskStuckError } from '../protocol/errors.js'
import { undeclaredError } from '../protocol/inputCapabilities.js'
import { type DetailedTask, isSameTask, isTerminalTask, pickTask } from '../protocol/task.js'
import type { Call, CallRules, Circumstances, Effect, Following } from './call.js'
import { isBusy, observeInputs } from './inputs.js'
import { pollInterval } from './pollPolicy.js'
import { isReused, nextPollAt } from './pollSchedule.js'
import { takeSnapshot } from './snapshotOrder.js'
import { earliestPollAt, ended, scheduled } from './tracked.js'

interface Snapshot {
  readonly task: DetailedTask
  readonly from: 'poll' | 'tab' | 'server'
  /** When the tab that polled wants to poll next, ms since the epoch. */
  readonly wishedAt?: number
  /** When the poll for it was sent, ms since the epoch. */
  readonly askedAt?: number | undefined
  /** The part of the wait that the server asked for, ms since the epoch. @default the interval of the task */
  readonly earliestAt?: number | undefined
}

/** A snapshot of the task has come: by a poll of this page or of another tab, or pushed. */
export function onSnapshot(
  call: Following,
  snapshot: Snapshot,
  at: Circumstances,
  rules: CallRules,
  effects: Effect[],
): Call {
  const { task, from } = snapshot
  const { now } = at
  const { policy } = rules
  // Of another task under the same id, and the next poll says so.
  // A page that is not connected does not know what the server speaks, and a task that the app named counts as `modern`.
  const era = call.era === 'legacy' ? 'legacy' : at.era
  if (from !== 'poll' && isReused(call.task, task, era)) return call
  const order = takeSnapshot(call, task, (snapshot.askedAt ?? 0) > call.knownAt)
  const isTaken = order.task === task
  if (!isTaken && from === 'server') {
    // Nobody has asked for it, and it is old, or what is known is wrong: the next poll says.
    return call.failureCount > 0 || call.poll !== 'idle'
      ? call
      : { ...call, ...scheduled(call.earliestAt, call.earliestAt, now) }
  }
  const known = isTaken ? task : call.task
  const earliest = earliestPollAt(call, from === 'poll', policy)
  const wishedAt =
    snapshot.wishedAt ?? nextPollAt({ task: known, knownAt: now, receivedAt: call.receivedAt }, policy, at.isPushed)
  const dueAt = Math.max(wishedAt, earliest)
  if (from === 'server') effects.push({ type: 'post', message: { type: 'snapshot', task, nextPollAt: dueAt } })
  if (isTerminalTask(task)) return ended(call, task, effects)
  const { earliestAt: askedFor = now + pollInterval(task.pollIntervalMs, policy) } = snapshot
  const earliestAt = Math.max(earliest, Math.min(dueAt, askedFor))
  const next: Following = {
    ...call,
    // While what is known is in doubt, the next response is asked for at once, also where the server pushes.
    ...scheduled(order.passedOver === undefined ? dueAt : earliestAt, earliestAt, now),
    poll: from === 'poll' ? 'idle' : call.poll,
    foreignPollUntil: from === 'tab' ? 0 : call.foreignPollUntil,
    // A snapshot that changes nothing keeps the reference, so that nothing renders.
    task: isSameTask(call.task, known) ? call.task : pickTask(known),
    passedOver: order.passedOver,
    snapshotAt: isTaken ? now : call.snapshotAt,
    knownAt: now,
    failureCount: 0,
    violations: 0,
    refusals: undefined,
    failure: undefined,
  }
  return isTaken ? withInputs(next, task, rules, effects) : next
}

function withInputs(call: Following, task: DetailedTask, rules: CallRules, effects: Effect[]): Call {
  const { taskId } = call.task
  const { callId } = call
  const asked = task.status === 'input_required' ? task.inputRequests : {}
  for (const request of Object.values(asked)) {
    const missing = rules.missingCapability(request)
    if (missing !== undefined) return ended(call, undeclaredError(missing, { callId, taskId }), effects)
  }
  const { inputs, added, changed } = observeInputs(call.inputs, asked, call.answered, rules.isHandled)
  if (changed !== undefined) {
    const details = { source: 'tasks/get' as const, callId, taskId }
    return ended(call, new TaskProtocolError('an input request changed under the key it had', details), effects)
  }
  const handled = added.filter((key) => inputs.get(key)?.status === 'handling')
  if (rules.missingInput === 'error' && handled.length < added.length) {
    return ended(call, nobodyToAsk(callId, taskId), effects)
  }
  if (handled.length > 0) effects.push({ type: 'handle-input', inputKeys: handled })
  const idlePolls = task.status === 'input_required' && !isBusy(inputs) ? call.idlePolls + 1 : 0
  if (idlePolls >= rules.stuckAfterPolls) {
    effects.push({ type: 'cancel-stuck' })
    return ended(call, stuck(idlePolls, callId, taskId), effects)
  }
  return { ...call, inputs, idlePolls }
}

export function nobodyToAsk(callId: string, taskId?: string): TaskInputRequiredError {
  return new TaskInputRequiredError(
    "The task asks for input, and there is nobody to ask. Pass input.handlers, or leave input.missing at 'wait' and show inputRequests.",
    { callId, taskId },
  )
}

function stuck(idlePolls: number, callId: string, taskId: string): TaskStuckError {
  return new TaskStuckError(
    `The task has asked for input in ${idlePolls} polls in a row without asking anything new. It was cancelled.`,
    { taskId, callId },
  )
}
