import { TaskConfigurationError, TaskStuckError } from '../protocol/errors.js'
import { type Call, recordOf } from '../record/call.js'
import { nextPoll, type PollReason } from '../record/decide.js'
import { inputsOf } from '../record/inputs.js'
import type { CallRecord, TaskRecord } from '../record/record.js'
import { isShownAlike, show } from '../record/show.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Looking } from './looking.js'
import type { RunnerBase } from './runner.js'
import type { Known, Source } from './tap.js'

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

/**
 * What is known of a call, as storage and the other tabs have it. When its record is written, and removed:
 *
 * ```text
 * before the tools/call, without a task: the intent           start.ts
 * the task has arrived, or was found by a clock set back      leading.ts
 * a response was taken, a cancellation is wanted or refused   inputs.ts, requests.ts
 * another tab told of either, and has not written it          news.ts
 * a wait of a minute or longer                                polls.ts
 * the page is hidden for good, frozen or closed               looking.ts, calls.ts
 * the clock was set back                                      runner.ts
 * the call has ended: kept or removed                         `recordFate` in settle.ts
 * the call was forgotten: removed                             calls.ts, catchUp.ts
 * expired, or more than there is room for: removed            storage/recordStore.ts
 * ```
 *
 * Not after an ordinary poll: what it brought is asked for again.
 */
export interface Keeping {
  /** What other pages may know of a call. */
  recordOf(entry: CallEntry): CallRecord
  /**
   * Writes the record of a call; a synchronous storage has it before this returns. `ifMissing`: unless the storage has it
   * already, from the tab that told it. `setBackBy`: the clock was set back by as many ms since it was written.
   */
  write(entry: CallEntry, ifMissing?: boolean, setBackBy?: number): Promise<void>
  /** Tells the other tabs. */
  tell(task: TaskEntry): void
}

export function createKeeping({ records, owner, tabs }: RunnerBase, { report }: Showing): Keeping {
  function ownRecordOf(entry: CallEntry): CallRecord {
    return recordOf(entry.call, entry.task?.record, owner)
  }

  async function write(entry: CallEntry, ifMissing = false, setBackBy = 0): Promise<void> {
    const { callId } = entry.call
    if (entry.kept === 'removed' || entry.task === undefined) return
    if (ifMissing && isNoted((await records.read(callId))?.task, entry.task?.record)) return
    if (entry.task === undefined || entry.call.stage.name === 'left') return
    const isFirst = entry.kept === 'unwritten'
    const record = ownRecordOf(entry)
    const isThere = await (isFirst
      ? records.write(record)
      : records.update(record, entry.kept !== 'refused', setBackBy))
    // What was removed in the meantime must not come back.
    if ((entry.kept as CallEntry['kept']) === 'removed' || (!isThere && !isFirst)) return
    entry.kept = isThere ? 'there' : 'refused'
    if (isFirst && !isThere) report(entry, { call: entry.call, task: entry.task?.record }, 'record-failed')
  }

  function tell(task: TaskEntry): void {
    for (const entry of task.calls) tabs.post({ type: 'record', record: ownRecordOf(entry) })
  }

  return { recordOf: ownRecordOf, write, tell }
}

/** True if the storage has these facts already, from another tab. */
function isNoted(stored: TaskRecord | undefined, record: TaskRecord | undefined): boolean {
  if (stored === undefined || record === undefined || stored.task.taskId !== record.task.taskId) return false
  if (stored.cancelling.isWanted !== record.cancelling.isWanted) return false
  return record.answered.every((key) => stored.answered.includes(key))
}

/** How others come to see what is known of a call. */
export interface Showing {
  /** Shows a call that may have changed. */
  shown(entry: CallEntry): void
  /** Tells whoever observes the client what has changed. `why`: why the poll that is sent comes now. */
  report(entry: CallEntry, before: Known, from: Source, why?: PollReason): void
}

export function createShowing({ calls, clock, rules, tap, onShown }: RunnerBase): Showing {
  const { policy } = rules

  function shown(entry: CallEntry): void {
    const next = show(entry.call, entry.task?.record, entry.shown)
    if (next === entry.shown) return
    entry.shown = next
    if (calls.get(next.callId) === entry) onShown(entry)
  }

  function report(
    entry: CallEntry,
    before: { call: Call; task: TaskRecord | undefined },
    from: Source,
    why?: PollReason,
  ): void {
    const { task } = entry
    tap.onChange?.({
      at: clock.last(),
      from,
      before,
      after: { call: entry.call, task: task?.record },
      next: task && { at: nextPoll(task.record, policy).at, why: why ?? reasonOf(task) },
      isLeader: task?.election?.isLeader() === true,
    })
  }

  function reasonOf(task: TaskEntry): PollReason {
    return task.because ?? nextPoll(task.record, policy).why
  }

  return { shown, report }
}
