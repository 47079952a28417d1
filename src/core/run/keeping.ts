import { recordOf } from '../record/call.js'
import type { CallRecord, TaskRecord } from '../record/record.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { RunnerBase } from './runner.js'
import type { Showing } from './showing.js'

/**
 * What is known of a call, as storage and the other tabs have it. When its record is written, and removed:
 *
 * ```text
 * before the tools/call, without a task: the intent           start.ts
 * the task has arrived, or was found by a clock set back      places.ts
 * a response was taken, a cancellation is wanted or refused   inputFacts.ts, requests.ts
 * another tab told of either, and has not written it          news.ts
 * a wait of a minute or longer                                polls.ts
 * the page is hidden for good, frozen or closed               page.ts, calls.ts
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
