import { asError } from '../protocol/asError.js'
import {
  TaskCancelledError,
  TaskExpiredError,
  TaskProtocolError,
  TaskStuckError,
  TaskUnreachableError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import { isIdempotencyConflict } from '../protocol/extension.js'
import { isTerminal, type Task } from '../protocol/task.js'
import { type Call, isDone, settledBy } from '../record/call.js'
import type { Outcome, TaskEnd, TaskRecord } from '../record/record.js'
import { taskOutcome } from '../record/taskOutcome.js'
import { isSettled } from '../record/toolCallState.js'
import { changeCall } from './changes.js'
import type { CallEntry, TaskEntry } from './entries.js'
import { detachFromTask } from './following.js'
import { noteSettled } from './pageCalls.js'
import { cancel } from './requests.js'
import { type Run, take } from './run.js'
import { recordOfEntry, report, write } from './showing.js'

/** A task has come to its end: checks the result, and settles these calls of it. */
export function endTask(run: Run, task: TaskEntry, calls: readonly CallEntry[]): void {
  const { end } = task.record
  const error = end && 'error' in end ? end.error : undefined
  const [entry] = calls
  if (error instanceof TaskStuckError && entry !== undefined && task.election?.isLeader()) {
    cancel(run, entry).catch((error: unknown) => run.onError(error, entry.call.callId, 'cancel'))
  }
  for (const entry of calls) {
    if (endsDelivery(error)) entry.abort?.abort(error)
    void endCall(run, entry, end)
  }
}

/**
 * True where nothing more is sent for the task: its id may be that of another one by now, which would get what is on its way, or
 * the server cannot be reached, and a promise that waits for its acknowledgement would never settle.
 */
function endsDelivery(error: Error | undefined): boolean {
  return error instanceof TaskExpiredError || error instanceof TaskUnreachableError
}

async function endCall(run: Run, entry: CallEntry, end: TaskEnd | undefined): Promise<void> {
  const { callId, name } = entry.call
  changeCall(run, entry, (call) => (call.stage.name === 'task' ? { ...call, stage: { name: 'ending' } } : call))
  try {
    if (end === undefined) return
    if ('error' in end) throw withCallId(end.error, callId)
    await settle(run, entry, { result: await run.port.completeCall(name, taskOutcome(end.task, callId)) })
  } catch (error) {
    await settle(run, entry, { error: asError(error) })
  }
}

/**
 * Ends a call in this page. `isForeign`: the outcome came from another tab or from a record, or a later version has written the
 * record. Then this page posts nothing, and leaves the record as it is. `named`: its task, where it was not followed here.
 */
export async function settle(
  run: Run,
  entry: CallEntry,
  outcome: Outcome,
  isForeign = false,
  named?: Task,
): Promise<void> {
  if (isDone(entry.call)) return
  if (!isForeign) {
    // Of a call that was never sent, the others find out by themselves: one of them may be making it.
    if (entry.task === undefined && entry.call.key !== undefined && entry.call.sent !== 'no') {
      run.tabs.post({ type: 'record', record: recordOfEntry(run, entry), outcome })
    }
    await closeRecord(run, entry, 'error' in outcome ? outcome.error : undefined)
  }
  if (entry.call.stage.name === 'left') return
  entry.lastRecord = entry.task && recordOfEntry(run, entry)
  const { record } = entry.task ?? {}
  const task = named ?? record?.task
  changeCall(run, entry, (call, now) => ({ ...call, stage: settledBy(outcome, record?.end?.at ?? now, task) }))
  take(run, () => detachFromTask(run, entry))
  if ('error' in outcome) entry.reject(outcome.error)
  else entry.resolve(outcome.result)
  noteSettled(run, entry)
  if (isSettled(entry.shown) && !entry.hadEnded) run.onSettled(entry.shown)
}

/** Keeps or removes the record of a call that ends. */
async function closeRecord(run: Run, entry: CallEntry, error: Error | undefined): Promise<void> {
  const fate = recordFate(entry.call, entry.task?.record, error, run.port.era())
  if (fate === 'keep') await keepRecord(run, entry, error instanceof TaskCancelledError)
  if (fate !== 'remove' || entry.call.stage.name === 'left') return
  const record = recordOfEntry(run, entry)
  entry.kept = 'removed'
  take(run, () => report(run, entry, 'record-removed'))
  await run.records.remove(entry.call.callId, record)
}

/** Writes the record. An intent is there already, and only has to say where the call was cancelled, so that no later page sends it again. */
async function keepRecord(run: Run, entry: CallEntry, isCancelled: boolean): Promise<void> {
  const { records } = run
  if (entry.task || !isCancelled) return write(run, entry)
  const intent = await records.read(entry.call.callId)
  if (intent && !intent.task) await records.update({ ...intent, isCancelled }, true)
}

/** The error of a task names no call: its calls share it. */
function withCallId(error: Error, callId: string): Error {
  return 'callId' in error && error.callId === undefined ? Object.assign(error, { callId }) : error
}

/**
 * What becomes of the record of a call that has ended. It is kept while the outcome can still be fetched, or while a
 * reload must learn that the outcome is unknown.
 *
 * ```text
 * ended                                          with a key                    without one
 * with a result, or refused, without a task      removed                       removed
 * as the server says of its task                 kept                          removed by the page that has sent it; else kept
 * by another error while it had a task           kept                          kept
 * as its task was lost (`TaskExpiredError`)      kept for the same revision    removed
 * interrupted once it was sent                   the intent is kept            the intent is kept
 * cancelled once it was sent                     the same, and it says so      the same, and it says so
 * before it was sent                             as another page has left it   as another page has left it
 * ```
 *
 * When else it is written: `write` in showing.ts. For how long it is kept: `isRecordExpired` in record/keep.ts.
 */
function recordFate(
  call: Call,
  record: TaskRecord | undefined,
  error: Error | undefined,
  era: TaskRecord['era'],
): 'keep' | 'remove' | 'leave' {
  const isSent = call.sent !== 'no'
  if (record !== undefined) {
    const isKeyed = call.key !== undefined
    // A keyed call is never repeated on its own, not even when its task is lost. A record of another era is of no use.
    if (error instanceof TaskExpiredError) return isKeyed && record.era === era ? 'keep' : 'remove'
    // A call without a key cannot be asked for again. Its record is left to the page that made it, which may be in the
    // back-forward cache.
    const isDelivered = record.end !== undefined && 'task' in record.end && isTerminal(record.task.status)
    return isDelivered && !isKeyed && isSent ? 'remove' : 'keep'
  }
  // A call that was not sent has no record of its own: one that exists is another page's.
  if (!isSent) return 'leave'
  // Cancelled before its response, or answered in a way that says nothing, the tool may run all the same.
  const isUnknown =
    error instanceof ToolCallInterruptedError ||
    error instanceof TaskCancelledError ||
    error instanceof TaskProtocolError ||
    (call.sent === 'repeated' && error instanceof ToolCallRejectedError && !isAnswer(error))
  return isUnknown ? 'keep' : 'remove'
}

/** False where nothing was said of the call that was sent before: by a gateway, or because this one has other arguments. */
function isAnswer({ code, data }: ToolCallRejectedError): boolean {
  return !(code >= 400 && code < 600) && !isIdempotencyConflict(data)
}
