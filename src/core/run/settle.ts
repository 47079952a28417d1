import { asError } from '../protocol/asError.js'
import {
  TaskCancelledError,
  TaskExpiredError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import { isIdempotencyConflict } from '../protocol/extension.js'
import { isTerminal, type Task } from '../protocol/task.js'
import { type Call, settledBy } from '../record/call.js'
import type { Outcome, TaskRecord } from '../record/record.js'
import { taskOutcome } from '../record/taskOutcome.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Runner } from './runner.js'

export interface Settling {
  /** The task has come to its end: checks the result, and settles its calls. */
  finish(task: TaskEntry): void
  /** `isForeign`: the outcome came from another tab, which has told it to the others, or from a record. */
  settle(entry: CallEntry, outcome: Outcome, isForeign?: boolean, task?: Task): Promise<void>
}

/** @param onSettled Called when a call has ended. */
export function createSettling(run: Runner, onSettled: (entry: CallEntry) => void): Settling {
  async function finishCall(entry: CallEntry, { end }: TaskRecord): Promise<void> {
    const { callId, name } = entry.call
    run.change(entry, (call) => (call.stage.name === 'task' ? { ...call, stage: { name: 'ending' } } : call))
    try {
      if (end === undefined) return
      if ('error' in end) throw withCallId(end.error, callId)
      await settle(entry, { result: await run.port.completeCall(name, taskOutcome(end.task, callId)) })
    } catch (error) {
      await settle(entry, { error: asError(error) })
    }
  }

  async function settle(entry: CallEntry, outcome: Outcome, isForeign = false, named?: Task): Promise<void> {
    if (entry.call.stage.name === 'left' || entry.call.stage.name === 'settled') return
    const error = 'error' in outcome ? outcome.error : undefined
    if (!isForeign) {
      // Of a call that was never sent, the others find out by themselves: one of them may be making it.
      if (entry.task === undefined && entry.call.key !== undefined && entry.call.sent !== 'no') {
        run.tabs.post({ type: 'record', record: run.recordOf(entry), outcome })
      }
      await closeRecord(entry, error)
    }
    if ((entry.call.stage.name as string) === 'left') return
    entry.lastRecord = entry.task && run.recordOf(entry)
    const task = named ?? entry.task?.record.task
    run.change(entry, (call, now) => ({ ...call, stage: settledBy(outcome, now, task) }))
    run.take(() => run.detach(entry))
    if ('error' in outcome) entry.reject(outcome.error)
    else entry.resolve(outcome.result)
    onSettled(entry)
  }

  /** Keeps or removes the record of a call that ends. */
  async function closeRecord(entry: CallEntry, error: Error | undefined): Promise<void> {
    const fate = recordFate(entry.call, entry.task?.record, error, run.port.era)
    if (fate === 'keep') await run.write(entry)
    if (fate !== 'remove' || entry.call.stage.name === 'left') return
    const record = run.recordOf(entry)
    entry.kept = 'removed'
    run.change(entry, (call) => ({ ...call }), 'record-removed')
    await run.records.remove(entry.call.callId, record)
  }

  return {
    finish: (task) => {
      for (const entry of [...task.calls]) void finishCall(entry, task.record)
    },
    settle,
  }
}

/** The error of a task names no call: its calls share it. */
function withCallId(error: Error, callId: string): Error {
  return 'callId' in error && error.callId === undefined ? Object.assign(error, { callId }) : error
}

/**
 * What becomes of the record of a call that has ended. It is kept while the outcome can still be fetched, or while a
 * reload must learn that the outcome is unknown.
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
