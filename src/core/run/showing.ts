import { TaskConfigurationError, TaskInputRequiredError } from '../protocol/errors.js'
import { type Call, recordOf } from '../record/call.js'
import { nextPoll, type PollReason } from '../record/decide.js'
import type { CallRecord, TaskRecord } from '../record/record.js'
import { show } from '../record/show.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Run } from './run.js'
import type { Source } from './tap.js'

/** Shows a call that may have changed. */
export function showCall(run: Run, entry: CallEntry): void {
  const next = show(entry.call, entry.task?.record, entry.shown)
  if (next === entry.shown) return
  entry.shown = next
  if (run.calls.get(next.callId) === entry) run.store.setCall(next)
}

export function showCallsOf(run: Run, task: TaskEntry): void {
  for (const entry of task.calls) showCall(run, entry)
}

/** Tells whoever observes the client what has changed since `call` and `task`. `why`: why the poll that is sent comes now. */
export function report(
  { tap, rules, lastNow }: Run,
  entry: CallEntry,
  from: Source,
  task: TaskRecord | undefined = entry.task?.record,
  call: Call = entry.call,
  why?: PollReason,
): void {
  const { task: followed } = entry
  const next = tap.onChange && followed && nextPoll(followed.record, rules.policy)
  tap.onChange?.({
    at: lastNow,
    from,
    before: { call, task },
    after: { call: entry.call, task: followed?.record },
    next: next && { at: next.at, why: why ?? next.why },
    isLeader: followed?.election?.isLeader() === true,
  })
}

/** What other pages may know of a call. */
export function recordOfEntry({ owner }: Run, { call, task }: CallEntry): CallRecord {
  return recordOf(call, task && withoutOwnEnd(task.record), owner)
}

/** How this page is set up, and what it can answer, says nothing of the task. */
export function withoutOwnEnd(record: TaskRecord): TaskRecord {
  const { end } = record
  const isOwn =
    end !== undefined &&
    'error' in end &&
    (end.error instanceof TaskConfigurationError || end.error instanceof TaskInputRequiredError)
  return isOwn ? { ...record, end: undefined } : record
}

/** What was recorded of a call that has ended. */
export function recordOfEnded({ call: { stage }, lastRecord }: CallEntry): CallRecord | undefined {
  return stage.name === 'recorded' ? stage.record : lastRecord
}

/** Tells the other tabs. */
export function tell(run: Run, task: TaskEntry): void {
  for (const entry of task.calls) run.tabs.post({ type: 'record', record: recordOfEntry(run, entry) })
}

/** Tells a tab that has just been noticed what this tab knows of the tasks it leads. Until then it told nobody. */
export function tellPeer(run: Run): void {
  for (const task of run.tasks.values()) if (task.election?.isLeader()) tell(run, task)
}

/**
 * Writes the record of a call; a synchronous storage has it before this returns. `ifMissing`: unless the storage has it
 * already, from the tab that told it. `setBackBy`: the clock was set back by as many ms since it was written.
 *
 * When the record of a call is written, and removed:
 *
 * ```text
 * before the tools/call, without a task: the intent           send.ts; removed where it was not sent after all
 * the task has arrived, or was found by a clock set back      following.ts
 * the app has named a task to follow                          `noteResumed` in startOrResume.ts
 * a response was taken; a cancellation is wanted, taken, or   knownAnswers.ts, requests.ts
 * refused
 * another tab told of a task, and has not written it          news.ts
 * the storage has the task that this call had before          catchUp.ts
 * a wait of a minute or longer; a longer ttl                  polls.ts, push.ts
 * the page is hidden for good, frozen or closed               page.ts, createRun.ts
 * the clock was set back                                      page.ts
 * the call has ended: kept with a key; without one removed    settle.ts, and other ends: `recordFate` there
 * by the page that has sent it
 * the call was forgotten: removed by the tab that forgets it, forget.ts
 * and by each that may have written it first
 * expired, or more than there is room for: removed            storage/recordStore.ts
 * ```
 *
 * Not after an ordinary poll: what it brought is asked for again.
 */
export async function write(run: Run, entry: CallEntry, ifMissing = false, setBackBy = 0): Promise<void> {
  const { records } = run
  if (entry.kept === 'removed' || entry.task === undefined) return
  if (ifMissing && isNoted((await records.read(entry.call.callId))?.task, entry.task?.record)) return
  if (entry.task === undefined || entry.call.stage.name === 'left') return
  const isFirst = entry.kept === 'unwritten'
  const record = recordOfEntry(run, entry)
  const written = isFirst ? records.write(record) : records.update(record, entry.kept !== 'refused', setBackBy)
  const isThere = (await written) === true
  // What was removed in the meantime must not come back.
  if ((entry.kept as CallEntry['kept']) === 'removed' || (!isThere && !isFirst)) return
  entry.kept = isThere ? 'there' : 'refused'
  if (isFirst && !isThere) report(run, entry, 'record-failed')
}

/** True if the storage has these facts already, from another tab. */
function isNoted(stored: TaskRecord | undefined, record: TaskRecord | undefined): boolean {
  if (stored === undefined || record === undefined || stored.task.taskId !== record.task.taskId) return false
  const { isWanted, isTaken } = stored.cancelling
  if (isWanted !== record.cancelling.isWanted || isTaken !== record.cancelling.isTaken) return false
  return record.answered.every((key) => stored.answered.includes(key))
}
