import { isRecordExpired } from '../record/keep.js'
import { isPredecessor, mergeNote } from '../record/merge.js'
import { planStart } from '../record/planStart.js'
import type { CallRecord, TaskRecord } from '../record/record.js'
import { changeTask } from './changes.js'
import type { CallEntry } from './entries.js'
import { dropForgotten } from './forget.js'
import { look } from './looking.js'
import { followFound, isMadeAgain, putFound } from './pageCalls.js'
import { now, type Run } from './run.js'
import { recordOfEnded, recordOfEntry, tell, write } from './showing.js'

/*
 * What the calls of this page take from their records, which other pages write, too.
 */

/**
 * A page in the back-forward cache receives no messages. What happened to the call meanwhile is in its record. One that is past its use
 * may have been swept.
 */
export async function catchUp(run: Run, entry: CallEntry): Promise<void> {
  const { callId } = entry.call
  const isKept = entry.kept === 'there' && !isRecordExpired(recordOfEntry(run, entry), now(run))
  if (isKept && !(await run.records.has(callId))) {
    if (run.calls.get(callId) !== entry) return
    dropForgotten(run, callId)
    return run.onForgotten(callId)
  }
  if (entry.task !== undefined) return followInstead(run, entry)
  if (!isInterrupted(entry)) return
  const found = await run.records.read(callId)
  if (found?.task === undefined || run.calls.get(callId) !== entry || !isMadeAgain(entry, found)) return
  const plan = planStart(found, { wish: 'list', isRepeatable: false })
  if (plan !== 'follow' || run.followsUnobserved) putFound(run, found, plan)
}

/**
 * The page is back. A call without a task that was sent, or has ended, is dropped where its record was removed meanwhile, as a reload
 * would find it no more. Not where none is to be expected: a call that was answered at once has no record, and that of a task which
 * the server has dropped by now may have been swept. A call that was interrupted may have been sent again.
 */
export function catchUpTaskless(run: Run): void {
  for (const entry of run.calls.values()) {
    if (entry.task !== undefined) continue
    const isSent = entry.call.stage.name === 'calling'
    const record = isSent ? recordOfEntry(run, entry) : recordOfEnded(entry)
    const isKept = record !== undefined && !isRecordExpired(record, now(run))
    if (isKept || isInterrupted(entry)) void catchUp(run, entry)
  }
}

/**
 * Somebody looks at a call that was only listed. Its record may say more by now: another tab may have made the call again, or the server
 * may have asked for patience. Nothing is polled before it is read.
 */
export async function catchUpListed(run: Run, entry: CallEntry): Promise<void> {
  const { task } = entry
  if (task === undefined) return
  task.noteReads++
  await followInstead(run, entry)
  task.noteReads--
  look(run, task)
}

function isInterrupted({ call: { stage } }: CallEntry): boolean {
  return stage.name === 'settled' && stage.canRepeat
}

/**
 * Another tab has made the call again. Two that do so in the same moment agree on the task that is recorded:
 *
 * ```text
 * tab A  task 1 ▪ writes ── tells ───────── receives task 2, reads task 2, follows it
 * tab B     task 2 ────── writes ▪ tells ── receives task 1, reads task 2, stays
 * ```
 *
 * A tab that has started the call again, and reads its earlier task from storage, writes and tells its own task once more. Where the storage
 * takes neither of two such tasks, the later one counts.
 *
 * @param told What another tab says.
 */
export async function followInstead(run: Run, entry: CallEntry, told?: CallRecord): Promise<void> {
  const followed = entry.task
  if (followed === undefined) return
  const stored = await run.records.read(entry.call.callId)
  if (entry.task?.taskId !== followed.taskId) return
  const isOld = stored !== undefined && isPredecessor(stored, recordOfEntry(run, entry))
  if (isOld) {
    await write(run, entry)
    if (entry.kept === 'there') return tell(run, followed)
    if (entry.task?.taskId !== followed.taskId) return
  }
  // Where none of them can write, or read what the other one has written, the later one counts, so that they do not swap their
  // tasks for ever.
  const known = isOld ? undefined : stored
  const found = known?.task === undefined && told !== undefined && isLater(told, entry) ? told : known
  const task = found?.task
  if (found === undefined || task === undefined) return
  if (task.task.taskId !== followed.taskId) followFound(run, entry, found, known ? 'there' : 'assumed')
  else changeTask(run, entry.task, (record) => mergeNote(record, task), { from: 'storage' })
}

/** True where the task of the record was made after the one that the call follows: by the clock of the server, which no user sets back. */
function isLater({ startedAt, task }: CallRecord, { call, task: followed }: CallEntry): boolean {
  const by = madeAt(task) - madeAt(followed?.record)
  if (by > 0 || by < 0) return by > 0
  if (startedAt !== call.startedAt) return startedAt > call.startedAt
  return (task?.task.taskId ?? '') > (followed?.taskId ?? '')
}

/** NaN where that is not known: servers of 2025-11-25 may say another time with each response. */
function madeAt(record: TaskRecord | undefined): number {
  return record === undefined || record.era === 'legacy' ? Number.NaN : Date.parse(record.task.createdAt)
}
