import type { Call } from '../record/call.js'
import type { PollReason } from '../record/decide.js'
import { inputsOf } from '../record/inputs.js'
import type { TaskRecord } from '../record/record.js'
import { isShownAlike } from '../record/show.js'
import type { CallEntry, TaskEntry } from './entries.js'
import { look } from './looking.js'
import { now, type Run, take } from './run.js'
import { report, showCall, showCallsOf, tell, withoutOwnEnd, write } from './showing.js'
import type { Source } from './tap.js'

/** How a change of what is known of a task came about, and who else is to know. */
export interface How {
  readonly from: Source
  /** Write it: `missing` unless the storage has it already, from the tab that told it. */
  readonly write?: boolean | 'missing' | ((record: TaskRecord, now: number, before: TaskRecord) => boolean)
  /** Tell it to the other tabs. */
  readonly tell?: boolean
  /** Why the poll that is sent comes now. */
  readonly why?: PollReason
}

/*
 * How a call and what is known of a task change. Beside it, only what concerns this page alone sets them: attaching and
 * leaving a call, the lead, the clock, and why nothing is polled.
 *
 * One change is made after the other (`take` in run.ts): the first caller makes its own, and then those that were asked for
 * meanwhile. A change that a listener asks for waits in line: the call that asks for it returns before the change is made.
 *
 * ```text
 * changeTask ─ changes · writes · tells · shows ─────────── decides ─ takes the next: changes · writes · tells · shows · decides
 *                                           └─ listener: cancel() ─ in line ┘
 * ```
 */

/** Changes a call, unless it is left. */
export function changeCall(
  run: Run,
  entry: CallEntry,
  next: (call: Call, now: number) => Call,
  from: Source = 'call',
): void {
  take(run, () => {
    const before = entry.call
    if (before.stage.name === 'left') return
    entry.call = next(before, now(run))
    if (entry.call === before) return
    report(run, entry, from, entry.task?.record, before)
    showCall(run, entry)
  })
}

/** Changes what is known of a task, while it is followed here. */
export function changeTask(
  run: Run,
  task: TaskEntry,
  next: (record: TaskRecord, now: number) => TaskRecord,
  how: How,
): void {
  take(run, () => {
    const at = now(run)
    if (run.tasks.get(task.taskId) !== task) return
    const before = task.record
    const after = withInputsHere(run, next(before, at), before)
    if (after === before) return look(run, task)
    task.record = after
    if (after.heardAt > before.heardAt) task.cutOffs = 0
    if (after.heardAt > task.doubtfulSince) for (const go of task.onHeard.splice(0)) go()
    const { end } = after
    const isWritten = typeof how.write === 'function' ? how.write(after, at, before) : how.write
    if (isWritten) for (const entry of task.calls) void write(run, entry, how.write === 'missing')
    // A tab that was just opened does not know the others yet, and tells them what does not come again.
    if (how.tell && (isWritten || run.tabs.hasPeers()) && withoutOwnEnd(after) === after) tell(run, task)
    for (const entry of task.calls) report(run, entry, how.from, before, entry.call, how.why)
    if (isWritten) for (const entry of task.calls) report(run, entry, 'record-written')
    if (end === undefined && !isShownAlike(before, after)) showCallsOf(run, task)
    if (after.here.inputs !== before.here.inputs) run.answers.onInputs(run, task)
    if (end !== undefined && before.end === undefined) run.on.end(run, task, [...task.calls])
    look(run, task)
  })
}

/** The record with the inputs of this page as it asks them. `before`: the one that it was made of, with its inputs. */
export function withInputsHere({ rules }: Run, after: TaskRecord, before?: TaskRecord): TaskRecord {
  if (after.inputRequests === before?.inputRequests && after.answered === before.answered) return after
  const inputs = inputsOf(after.here.inputs, after.inputRequests, after.answered, rules.isHandled)
  return inputs === after.here.inputs ? after : { ...after, here: { ...after.here, inputs } }
}
