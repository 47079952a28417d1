import { asError } from '../protocol/asError.js'
import { TaskCancelledError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { isTerminal } from '../protocol/task.js'
import type { Call, CallStage } from '../record/call.js'
import { withInput } from '../record/inputs.js'
import type { TaskRecord } from '../record/record.js'
import { onAbort } from '../time/abort.js'
import { type DeliveryOptions, deliver } from '../time/retry.js'
import { createSemaphore } from '../time/semaphore.js'
import { type CallEntry, leftSignal, type TaskEntry } from './entries.js'
import type { Runner } from './runner.js'

/** What is asked of the server for a task until it has taken it, or the call is left. */
export interface TaskRequests {
  /** Sends `tasks/update`. */
  update(entry: CallEntry, taskId: string, inputKey: string, response: InputResponse): Promise<void>
  /** Sends `tasks/cancel`, once; a call that is no task yet is not made. */
  cancel(entry: CallEntry): Promise<void>
  /** Goes on with a cancellation that an earlier page may not have got through, or that was asked for before the task. */
  resumeCancel(entry: CallEntry, isWanted?: boolean): void
}

/** How many `tasks/update` may be under way at once: the connections that a browser opens to one origin over HTTP/1.1. */
const MAX_UPDATES = 6

/** @param closing Aborted when the client is closed. */
export function createTaskRequests(run: Runner, closing: AbortSignal): TaskRequests {
  const { port, environment, rules } = run
  const inLine = createSemaphore(MAX_UPDATES)
  const options = { environment, policy: rules.policy }

  /** A call that has settled is not left when the client is closed, and what was asked for its task may be on its way still. */
  async function sendFor(
    entry: CallEntry,
    request: Pick<DeliveryOptions, 'taskId' | 'send' | 'onRetry' | 'inLine'>,
  ): Promise<void> {
    const signal = leftSignal(entry)
    const stopListening = onAbort(closing, () => entry.left?.abort(closing.reason))
    try {
      await deliver({ ...options, signal, ...request })
    } finally {
      stopListening()
    }
  }

  /** `status` undefined: the server has taken it, or refused it for this reason. */
  function noteCancel(task: TaskEntry, status: 'sending' | 'retrying' | undefined, error?: Error): void {
    const isRefused = status === undefined && error !== undefined
    const isNews = status === 'sending' || isRefused
    const note = (record: TaskRecord, now: number): TaskRecord => ({
      ...record,
      cancelling: isNews ? { at: now, isWanted: !isRefused } : record.cancelling,
      notedAt: isNews ? now : record.notedAt,
      here: { ...record.here, cancel: status, cancelError: error ?? record.here.cancelError },
    })
    run.learn(task, note, isNews ? { from: 'here', write: true, tell: true } : { from: 'here' })
  }

  async function sendCancel(entry: CallEntry, task: TaskEntry): Promise<void> {
    const { taskId } = task
    noteCancel(task, 'sending')
    try {
      await sendFor(entry, {
        taskId,
        send: (signal) => port.cancelTask(taskId, signal),
        onRetry: (error) => {
          run.onError(error, entry.call.callId, 'cancel')
          noteCancel(task, 'retrying', error)
        },
      })
      noteCancel(task, undefined)
    } catch (error) {
      task.cancelling = undefined
      noteCancel(task, undefined, asError(error))
      throw error
    }
  }

  /**
   * ```text
   * tab A  tools/call ── task ─────────────────────────── told: cancelled
   * tab B       reload ▪ cancel() ─ lock ─ reads the task ─ tasks/cancel
   * ```
   */
  async function cancelFound(entry: CallEntry): Promise<void> {
    run.change(entry, (call) => (mayBeMade(call) ? { ...call, stage: { ...call.stage, isCancelling: true } } : call))
    await entry.started
    await cancel(entry)
  }

  function cancel(entry: CallEntry): Promise<void> {
    const { task, call } = entry
    const { name } = call.stage
    if (name === 'settled' || name === 'ending' || name === 'left' || name === 'recorded') return Promise.resolve()
    if (mayBeMade(call)) return cancelFound(entry)
    if (task === undefined) {
      entry.starting?.abort(new TaskCancelledError(undefined, { callId: call.callId }))
      return Promise.resolve()
    }
    task.cancelling ??= sendCancel(entry, task)
    return task.cancelling
  }

  return {
    cancel: async (entry) => cancel(entry),
    update: (entry, taskId, inputKey, response) =>
      sendFor(entry, {
        taskId,
        inLine,
        send: (signal) => port.updateTask(taskId, { [inputKey]: response }, signal),
        onRetry: (error) => {
          run.onError(error, entry.call.callId, 'respond')
          const task = run.tasks.get(taskId)
          if (task === undefined) return
          const retrying = (record: TaskRecord): TaskRecord => {
            const input = record.here.inputs.get(inputKey)
            if (input === undefined || input.status === 'answered') return record
            const inputs = withInput(record.here.inputs, inputKey, { ...input, isRetrying: true })
            return { ...record, here: { ...record.here, inputs } }
          }
          run.learn(task, retrying, { from: 'here' })
        },
      }),
    resumeCancel: (entry, isWanted = false) => {
      run.take(() => {
        const { task } = entry
        if (task === undefined || task.record.end !== undefined || isTerminal(task.record.task.status)) return
        if (isWanted || task.record.cancelling.isWanted) cancel(entry).catch(() => {})
      })
    },
  }
}

/** True while another page may have made the call already, which only the one that has its lock can tell. */
function mayBeMade(call: Call): call is Call & { stage: Extract<CallStage, { name: 'waiting' }> } {
  const { key, stage } = call
  return key !== undefined && stage.name === 'waiting' && stage.for === 'lock' && stage.wish !== 'call-again'
}
