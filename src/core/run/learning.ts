import { TaskConfigurationError, TaskStuckError } from '../protocol/errors.js'
import type { Call } from '../record/call.js'
import type { PollReason } from '../record/decide.js'
import { inputsOf } from '../record/inputs.js'
import type { TaskRecord } from '../record/record.js'
import { isShownAlike } from '../record/show.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Keeping } from './keeping.js'
import type { Looking } from './looking.js'
import type { RunnerBase } from './runner.js'
import type { Showing } from './showing.js'
import type { Source } from './tap.js'

/** How a change of what is known of a task came about, and who else is to know. */
export interface How {
  readonly from: Source
  /** Write it: `missing` unless the storage has it already, from the tab that told it. */
  readonly write?: boolean | 'missing' | ((record: TaskRecord, now: number) => boolean)
  /** Tell it to the other tabs. */
  readonly tell?: boolean
  /** Why the poll that is sent comes now. */
  readonly why?: PollReason
}

/**
 * How a call and what is known of a task change. Beside it, only what concerns this page alone sets them: attaching and leaving a
 * call, the lead, the clock, and why nothing is polled.
 */
export interface Learning {
  /** Changes a call, unless it is left. */
  change(entry: CallEntry, next: (call: Call, now: number) => Call, from?: Source): void
  /** Changes what is known of a task, while it is followed here. */
  learn(task: TaskEntry, next: (record: TaskRecord, now: number) => TaskRecord, how: How): void
  /** The record with the inputs of this page as it asks them. */
  withInputs(after: TaskRecord, before: TaskRecord): TaskRecord
  /** The task has come to its end. */
  finish(task: TaskEntry): void
}

export function createLearning(
  base: RunnerBase,
  { shown, report }: Showing,
  { write, tell }: Keeping,
  { look }: Looking,
): Learning {
  const { tasks, tabs, take, now, rules, port } = base

  function change(entry: CallEntry, next: Parameters<Learning['change']>[1], from: Source = 'call'): void {
    take(() => {
      if (entry.call.stage.name === 'left') return
      const before = entry.call
      entry.call = next(before, now())
      if (entry.call === before) return
      report(entry, { call: before, task: entry.task?.record }, from)
      shown(entry)
    })
  }

  function learn(task: TaskEntry, next: Parameters<Learning['learn']>[1], how: How): void {
    take(() => {
      const at = now()
      if (tasks.get(task.taskId) !== task) return
      const before = task.record
      const after = withInputs(next(before, at), before)
      if (after === before) return look(task)
      task.record = after
      if (after.heardAt > task.doubtfulSince) for (const go of task.heard.splice(0)) go()
      const { end } = after
      const isWritten = typeof how.write === 'function' ? how.write(after, at) : how.write
      if (isWritten) for (const entry of task.calls) entry.written = write(entry, how.write === 'missing')
      // How this page is set up says nothing of the task.
      const isLocal = end !== undefined && 'error' in end && end.error instanceof TaskConfigurationError
      if (how.tell && tabs.hasPeers() && !isLocal) tell(task)
      for (const entry of task.calls) report(entry, { call: entry.call, task: before }, how.from, how.why)
      if (isWritten) for (const entry of task.calls) report(entry, { call: entry.call, task: after }, 'record-written')
      if (end === undefined && !isShownAlike(before, after)) for (const entry of task.calls) shown(entry)
      if (after.here.inputs !== before.here.inputs) base.onInputs(task)
      if (end !== undefined && before.end === undefined) finish(task)
      look(task)
    })
  }

  function withInputs(after: TaskRecord, before: TaskRecord): TaskRecord {
    if (after.inputRequests === before.inputRequests && after.answered === before.answered) return after
    const inputs = inputsOf(after.here.inputs, after.inputRequests, after.answered, rules.isHandled)
    return inputs === after.here.inputs ? after : { ...after, here: { ...after.here, inputs } }
  }

  function finish(task: TaskEntry): void {
    const { end } = task.record
    if (end !== undefined && 'error' in end && end.error instanceof TaskStuckError) {
      const callId = task.calls[0]?.call.callId ?? ''
      void port.cancelTask(task.taskId).catch((error: unknown) => base.onError(error, callId, 'cancel'))
    }
    base.onEnd(task)
  }

  return { change, learn, withInputs, finish }
}
