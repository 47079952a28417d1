import { asError } from '../protocol/asError.js'
import { TaskCancelledError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { isTerminal } from '../protocol/task.js'
import type { Call, CallStage } from '../record/call.js'
import { onAbort } from '../time/abort.js'
import { type DeliveryOptions, deliver } from '../time/retry.js'
import { changeCall, changeTask } from './changes.js'
import { type CallEntry, leftSignal, type TaskEntry } from './entries.js'
import { setInput } from './inputs.js'
import { type Run, take } from './run.js'
import { recordOfEntry } from './showing.js'

/*
 * Requests for a task. They are sent again until the server has accepted them, or no call follows the task any longer.
 */

/** Sends a request for a task. If the call is left meanwhile, it is sent for another one that follows the task. */
async function sendFor(
  run: Run,
  entry: CallEntry,
  taskId: string,
  operation: 'respond' | 'cancel',
  send: (signal: AbortSignal) => Promise<void>,
  onRetry: (error: Error) => void,
  inLine?: DeliveryOptions['inLine'],
): Promise<void> {
  const { environment, rules, closing } = run
  const signal = leftSignal(entry)
  const task = run.tasks.get(taskId)
  // A call that has settled is not left when the client is closed, and what was asked for its task may be on its way still.
  const stopListening = onAbort(closing.signal, () => entry.abort?.abort(closing.signal.reason))
  try {
    await deliver({
      environment,
      policy: rules.policy,
      taskId,
      signal,
      send,
      onPromising: (listener) => {
        run.onSignedIn.add(listener)
        return () => run.onSignedIn.delete(listener)
      },
      ...(inLine && { inLine }),
      onRetry: (error) => {
        run.onError(error, entry.call.callId, operation)
        onRetry(error)
      },
    })
  } catch (error) {
    // What follows it since nothing else did has come with a cancellation of its own.
    const [other] = task?.calls ?? []
    if (entry.call.stage.name !== 'left' || other === undefined) throw error
    await sendFor(run, other, taskId, operation, send, onRetry, inLine)
  } finally {
    stopListening()
  }
}

/** Sends `tasks/update`. `untilTurn`: resolves when an attempt may be made. */
export function sendResponse(
  run: Run,
  entry: CallEntry,
  taskId: string,
  inputKey: string,
  response: InputResponse,
  untilTurn: () => Promise<void>,
): Promise<void> {
  const send = (signal: AbortSignal) => run.port.updateTask(taskId, { [inputKey]: response }, signal)
  const onRetry = () => {
    const task = run.tasks.get(taskId)
    if (task !== undefined) setInput(run, task, inputKey, (input) => ({ ...input, isRetrying: true }))
  }
  return sendFor(run, entry, taskId, 'respond', send, onRetry, async (work) => {
    await untilTurn()
    return run.updatesInLine(work)
  })
}

/** `status` undefined: the server has taken it, or refused it for this reason. */
function noteCancel(run: Run, task: TaskEntry, status: 'sending' | 'retrying' | undefined, error?: Error): void {
  const isNews = status !== 'retrying'
  const isWanted = error === undefined
  const cancelling = { isWanted, isTaken: isWanted && status === undefined }
  changeTask(
    run,
    task,
    (record, at) => {
      // Another tab has sent it, too: that the server refuses a second one takes nothing back.
      if (record.cancelling.isTaken) return { ...record, here: { ...record.here, cancel: undefined } }
      return {
        ...record,
        // What comes of it may come in the same millisecond, and is the later one everywhere.
        ...(isNews && { cancelling: { ...cancelling, at: Math.max(at, record.cancelling.at + 1) }, notedAt: at }),
        here: { ...record.here, cancel: status, cancelError: error },
      }
    },
    { from: 'here', write: isNews, tell: isNews },
  )
}

async function sendCancel(run: Run, entry: CallEntry, task: TaskEntry): Promise<void> {
  const { taskId } = task
  noteCancel(run, task, 'sending')
  try {
    const send = (signal: AbortSignal) => run.port.cancelTask(taskId, signal)
    await sendFor(run, entry, taskId, 'cancel', send, (error) => noteCancel(run, task, 'retrying', error))
    noteCancel(run, task, undefined)
  } catch (error) {
    task.cancelDelivery = undefined
    // One that was given up was not refused: a later page sends it.
    if (!leftSignal(entry).aborted) {
      const refusal = asError(error)
      run.onError(refusal, entry.call.callId, 'cancel')
      noteCancel(run, task, undefined, refusal)
    }
    throw error
  }
}

/**
 * Has the server stop the task of a call: sends `tasks/cancel` until that is taken or refused, in one delivery at
 * a time. Before there is a task, the call is aborted, or waits for its
 * lock: see the table of `CallEntry`.
 *
 * ```text
 * tab A  tools/call ── task ─────────────────────────── told: cancelled
 * tab B       reload ▪ cancel() ─ lock ─ reads the task ─ tasks/cancel
 * ```
 */
export async function cancel(run: Run, entry: CallEntry): Promise<void> {
  const { task, call } = entry
  if (call.stage.name !== 'waiting' && call.stage.name !== 'calling' && call.stage.name !== 'task') return
  if (mayBeMade(call)) {
    noteCancelling(run, entry)
    run.tabs.post({ type: 'record', record: { ...recordOfEntry(run, entry), isCancelled: true } })
    await entry.started
    // By then it has the task of the other page, has settled, or waits for its lock again.
    return cancel(run, entry)
  }
  if (task === undefined) return entry.abort?.abort(new TaskCancelledError(undefined, { callId: call.callId }))
  if (!task.record.cancelling.isTaken) task.cancelDelivery ??= sendCancel(run, entry, task)
  return task.cancelDelivery
}

/**
 * Another tab has cancelled the call before it knew what this one has made of it. That tab may be gone by the time there is a task.
 *
 * ```text
 * tab A  not sent ─────────── told ─ cancelled
 *        tools/call ───────── told ────────── task: wanted ─ tasks/get ─ tasks/cancel, unless B has sent it
 * tab B        waits ─ cancel() ─ tells
 * tab C        waits ──────── told: waits on, and makes no call
 * ```
 */
export function cancelTold(run: Run, entry: CallEntry): void {
  const { task, call } = entry
  const { stage, sent } = call
  if (task !== undefined) return
  if (mayBeMade(call) || (stage.name === 'calling' && sent !== 'no')) noteCancelling(run, entry)
  // With `repeat: 'always'`, a call that waits for the lock comes after the one that was cancelled.
  else if (stage.name !== 'waiting' || stage.for !== 'lock') void cancel(run, entry)
}

/**
 * Cancels what this process makes, or has made, of a call that was cancelled at another one, which knew nothing of it. `until`: a run that was
 * started later is another one. Those that only follow its task leave the cancellation to the process that has sent the call.
 */
export function cancelElsewhere(run: Run, callId: string, until: number): void {
  const entry = run.calls.get(callId)
  if (entry === undefined || entry.call.startedAt > until) return
  const { stage, sent } = entry.call
  if (entry.task !== undefined) {
    if (sent !== 'no') resumeCancel(run, entry, true)
  } else if (stage.name === 'waiting' && stage.wish === 'call-again') void cancel(run, entry)
  else cancelTold(run, entry)
}

function noteCancelling(run: Run, entry: CallEntry): void {
  changeCall(run, entry, (call) => {
    const { stage } = call
    return stage.name === 'waiting' || stage.name === 'calling'
      ? { ...call, stage: { ...stage, isCancelling: true } }
      : call
  })
}

/** True if the call was cancelled before there is a task. */
export function isCancelling({ call: { stage } }: CallEntry): boolean {
  return (stage.name === 'waiting' || stage.name === 'calling') && stage.isCancelling
}

/**
 * Sends a cancellation that another page has not got through, as far as this one knows, or (`isWanted`) that was asked for before the
 * task came.
 */
export function resumeCancel(run: Run, entry: CallEntry, isWanted = false): void {
  take(run, () => {
    const { record } = entry.task ?? {}
    if (record === undefined || record.end !== undefined || isTerminal(record.task.status)) return
    const { cancelling } = record
    if (isWanted || (cancelling.isWanted && !cancelling.isTaken)) cancel(run, entry).catch(() => {})
  })
}

/** True while another page may have made the call already, which only the one that has its lock can tell. */
function mayBeMade(call: Call): call is Call & { stage: Extract<CallStage, { name: 'waiting' }> } {
  const { key, stage } = call
  return key !== undefined && stage.name === 'waiting' && stage.for === 'lock' && stage.wish !== 'call-again'
}
