import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskCancelledError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskUnreachableError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import { asFound, type Call, isDone, settledBy } from '../record/call.js'
import { byClock } from '../record/codec.js'
import type { StartPlan } from '../record/planStart.js'
import { type CallRecord, isOver } from '../record/record.js'
import { isSettled, type ToolCallState } from '../record/toolCallState.js'
import { abortError } from '../time/abort.js'
import { changeCall } from './changes.js'
import { type CallEntry, createCallEntry, TOLD } from './entries.js'
import { attachToTask, detachFromTask } from './following.js'
import { startTime } from './forgottenTimes.js'
import { resumeCancel } from './requests.js'
import { type EndKind, now, type Run, take } from './run.js'

/** A call that is about to be made, or has been. */
export function newCall(run: Run, callId: string, name: string, how: Partial<Call> = {}): Call {
  const { key, arguments: args, argumentsHash, meta, keepResult, startedFor, startedAt = startTime(run) } = how
  return {
    callId,
    name,
    key,
    arguments: args,
    argumentsHash,
    meta,
    keepResult,
    startedFor,
    startedAt,
    sent: 'no',
    progress: undefined,
    progressAt: 0,
    stage: { name: 'waiting', for: 'lock', wish: 'call', isCancelling: false },
  }
}

/** Puts a call in the place of the one with its id. */
export function putCall(run: Run, call: Call): CallEntry {
  const { callId } = call
  run.tabs.open()
  dropOld(run)
  leaveCall(run, callId, 'The call was started again.')
  const entry = createCallEntry(call)
  run.calls.set(callId, entry)
  run.store.setCall(entry.shown)
  return entry
}

const FORGOTTEN = 'The call was forgotten.'

/** Follows the call no longer: see `CallEntry`. The task goes on and its record stays. */
export function leaveCall(run: Run, callId: string, why: string): void {
  for (const ids of Object.values(run.ended)) ids.delete(callId)
  const entry = run.calls.get(callId)
  run.calls.delete(callId)
  if (entry === undefined || isDone(entry.call) || entry.call.stage.name === 'recorded') return
  const reason = abortError(why)
  entry.call = { ...entry.call, stage: { name: 'left', reason } }
  entry.abort?.abort(reason)
  for (const { controller } of entry.pending?.values() ?? []) controller.abort()
  take(run, () => detachFromTask(run, entry))
  entry.reject(reason)
}

/** The same, and takes it out of the store. What was asked for its task is sent no longer, also where the call has ended. */
export function dropCall(run: Run, callId: string): void {
  const entry = run.calls.get(callId)
  leaveCall(run, callId, FORGOTTEN)
  entry?.abort?.abort(abortError(FORGOTTEN))
  run.store.removeCall(callId)
}

/** Follows the task of a record, instead of what the call has waited for or followed. `kept`: see `CallEntry`. */
export function followFound(run: Run, entry: CallEntry, record: CallRecord, kept: 'there' | 'assumed'): CallEntry {
  const { task } = record
  if (task === undefined) return entry
  entry.abort?.abort(TOLD)
  entry.started = undefined
  entry.hadEnded ||= isOver(task) && Math.max(task.receivedAt, task.snapshotAt) <= entry.call.startedAt
  changeCall(run, entry, (call) => ({ ...asFound(call, record), startedFor: record.startedFor }))
  // It may have been read before the clock was set back, and shown as ended until now.
  void attachToTask(run, entry, byClock(task, now(run)), kept)
  resumeCancel(run, entry)
  return entry
}

/** What a record makes of a call that this page has not made: see `StartPlan`. */
export function putFound(
  run: Run,
  record: CallRecord,
  plan: StartPlan,
  kept: 'there' | 'assumed' = 'there',
): CallEntry {
  const { callId, tool, task, startedAt, idempotencyKey } = record
  const call = newCall(run, callId, tool, record)
  if (plan === 'follow') {
    const entry = putCall(run, call)
    entry.hadEnded = task !== undefined && isOver(task)
    return followFound(run, entry, record, kept)
  }
  if (plan === 'ended') {
    const endedAt = task?.lost?.at || task?.snapshotAt || task?.notedAt || startedAt
    const entry = putCall(run, { ...call, stage: { name: 'recorded', record, endedAt } })
    entry.kept = kept
    noteEnded(run, 'recorded', callId)
    return entry
  }
  const error = failureOf(record)
  const endedAt = task?.lost?.at ?? startedAt
  const entry = putCall(run, { ...call, stage: settledBy({ error }, endedAt, task?.task, !task && !!idempotencyKey) })
  entry.reject(error)
  noteSettled(run, entry)
  return entry
}

/** True where a call that is over here was made again in another tab, and did not only have its task resumed there. */
export function isMadeAgain(entry: CallEntry, record: CallRecord): boolean {
  const { call, shown } = entry
  const { startedAt, task } = record
  if (task !== undefined && isSentAgain(entry, record)) return true
  const isOverHere = call.stage.name === 'settled' || call.stage.name === 'recorded'
  return isOverHere && startedAt > call.startedAt && task?.task.taskId !== shown.task?.taskId
}

/** True where a call that is interrupted here was sent again under its key in another tab. */
export function isSentAgain({ call: { stage, startedAt } }: CallEntry, record: CallRecord): boolean {
  return stage.name === 'settled' && stage.canRepeat && record.startedAt >= startedAt
}

/** With what a call has ended whose task is lost, or whose response never came. */
export function failureOf({ callId, tool, task, isCancelled }: CallRecord): Error {
  if (task === undefined)
    return isCancelled ? new TaskCancelledError(undefined, { callId }) : new ToolCallInterruptedError(tool, { callId })
  return new TaskExpiredError(task.lost?.reason ?? 'unknown-task', { taskId: task.task.taskId, callId })
}

/** The call that follows this task, or has followed it to its end. */
export function findTask(run: Run, taskId: string): CallEntry | undefined {
  const followed = run.tasks.get(taskId)?.calls[0]
  if (followed !== undefined) return followed
  for (const entry of run.calls.values()) {
    const { shown, call } = entry
    if (call.stage.name === 'settled' && shown.task?.taskId === taskId && isReusable(shown, 'never')) return entry
  }
  return undefined
}

/** How long a settled call without a key stays in the store, in ms: nothing can look it up again. */
const KEEP_SETTLED_MS = 5 * 60 * 1000

/** How many calls that nobody observes stay in the store once they have settled: so many with a key, without one, and of earlier visits. */
export const MAX_SETTLED = 200

/** Drops those without a key that ended a while ago. Runs when a call starts, so no timer is needed. */
function dropOld(run: Run): void {
  const before = now(run) - KEEP_SETTLED_MS
  for (const callId of run.ended.unkeyed) {
    const { stage } = run.calls.get(callId)?.call ?? {}
    if (stage?.name === 'settled' && stage.endedAt > before) break
    if (!run.store.isObserved(callId)) dropCall(run, callId)
  }
}

export function noteSettled(run: Run, { call }: CallEntry): void {
  noteEnded(run, call.key === undefined ? 'unkeyed' : 'keyed', call.callId)
}

/** The oldest go. What is asked for again is found by its record, if its outcome was that of a task. */
function noteEnded(run: Run, kind: EndKind, callId: string): void {
  const ids = run.ended[kind]
  ids.delete(callId)
  ids.add(callId)
  if (ids.size <= MAX_SETTLED) return
  const unobserved = [...ids].filter((id) => !run.store.isObserved(id))
  for (const oldest of unobserved.slice(0, -MAX_SETTLED)) dropCall(run, oldest)
}

/** Whether to call the tool again although a call with this key is known. */
export type Repeat = 'never' | 'settled' | 'always'

/**
 * Whether to return a call that is known instead of making another. An ended one counts, its failure
 * included, unless making the call again cannot run the tool twice: nothing was sent, the server
 * refused it, or its record still leads to the task.
 */
export function isReusable(state: ToolCallState, repeat: Repeat): boolean {
  if (!isSettled(state)) return repeat !== 'always'
  if (repeat !== 'never') return false
  const { error } = state
  return !(
    error instanceof ConnectionFailedError ||
    error instanceof PageOutdatedError ||
    error instanceof TaskConfigurationError ||
    error instanceof ToolCallRejectedError ||
    error instanceof TaskUnreachableError ||
    // A response to the `tools/call` itself that breaks the protocol is no proof that the tool did not run.
    (error instanceof TaskProtocolError && state.task !== undefined)
  )
}
