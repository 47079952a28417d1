import { reused } from '../record/learn.js'
import { isAnotherTask, isLostBefore, merge } from '../record/merge.js'
import { isLost, isOver, type TaskRecord, withReason } from '../record/record.js'
import { withInputsHere } from './changes.js'
import { type CallEntry, createTaskEntry, type TaskEntry } from './entries.js'
import { overdueAt, readNote, stopPolling, updatePush } from './leading.js'
import { listen, look, STEAL_AGAIN_MS, setBlocked } from './looking.js'
import { isFollowed, now, type Run, take } from './run.js'
import { report, showCall, tell, write } from './showing.js'

/**
 * Lets a call follow this task. Returns what resolves when that is written down. A call that has ended or was left meanwhile
 * follows nothing.
 *
 * @param kept Where the record comes from: the server, storage, or another tab.
 */
export function attachToTask(
  run: Run,
  entry: CallEntry,
  record: TaskRecord,
  kept: 'unwritten' | 'there' | 'assumed',
): Promise<void> | undefined {
  let written: Promise<void> | undefined
  const { tasks } = run
  const isNew = kept === 'unwritten'
  take(run, () => {
    const before = entry.call
    const { stage } = before
    if (stage.name === 'left' || stage.name === 'settled' || stage.name === 'ending') return
    detachFromTask(run, entry)
    const { taskId } = record.task
    const sharing = tasks.get(taskId)
    // A server that was restarted may give the id to another task: the later one counts, and the earlier one is lost. So may a server
    // that has lost a task give its id to the one that it makes now.
    const isEarlier = sharing !== undefined && isAnotherTask(record, sharing.record.task)
    const isLater =
      sharing !== undefined &&
      (isAnotherTask(sharing.record, record.task) ||
        (isNew ? isLost(sharing.record) : isLostBefore(sharing.record, record)))
    const known = isEarlier || isLater ? undefined : sharing
    const isSettling = known?.record.end !== undefined
    const first = isNew ? record : withReason(record, 'resumed')
    const found = isEarlier ? reused(first, now(run)) : first
    const task = known ?? createTaskEntry(found)
    // The response to a `tools/call` does not delay a planned poll.
    const merged = known ? merge(known.record, isNew ? { ...record, earliestAt: 0 } : record) : found
    task.record = withInputsHere(run, merged, known?.record)
    // The message was read too late, as by a page that was frozen before it followed anything.
    if (!known && kept === 'assumed' && now(run) >= overdueAt(run, record)) task.wasLate = true
    if (tasks.size === 0) {
      run.push ??= run.createPush(run)
      run.unwatch = run.on.first(run)
    }
    if (!isEarlier) tasks.set(taskId, task)
    task.calls.push(entry)
    entry.task = task
    entry.abort = undefined
    entry.call = { ...before, stage: { name: 'task' } }
    entry.kept = kept
    if (isNew || record.here.wasAhead) written = write(run, entry)
    report(run, entry, isNew ? 'created' : 'resumed', undefined, before)
    if (isNew) report(run, entry, 'record-written')
    showCall(run, entry)
    // Its result may be kept, and the server may have it no longer.
    if (!isNew && entry.call.keepResult && isOver(record) && record.end === undefined) void readNote(run, task)
    joinOrLeave(run, task, isNew)
    if (task.record.here.inputs.size > 0) run.answers.onInputs(run, task)
    // The other calls of it are settling already, unless this one has brought the end.
    if (task.record.end !== undefined) run.on.end(run, task, isSettling ? [entry] : [...task.calls])
    if (!isLater || sharing.record.end !== undefined) return
    sharing.record = reused(sharing.record, now(run))
    joinOrLeave(run, sharing)
    run.on.end(run, sharing, [...sharing.calls])
  })
  return written
}

/** Takes a call away from its task. */
export function detachFromTask(run: Run, entry: CallEntry): void {
  const { task } = entry
  if (task === undefined) return
  const { calls } = task
  entry.task = undefined
  calls.splice(calls.indexOf(entry), 1)
  if (calls.length === 0) {
    if (run.tasks.get(task.taskId) === task) run.tasks.delete(task.taskId)
    for (const { controller } of task.pending?.values() ?? []) controller.abort()
  }
  joinOrLeave(run, task)
  if (calls.length === 0 && run.tasks.size === 0) run.unwatch?.()
}

/** Stands for the election of a task while it is followed, and asks what others know of it. */
export function joinOrLeave(run: Run, task: TaskEntry, isNew = false): void {
  const { tabs } = run
  if (isFollowed(run, task) === (task.election !== undefined)) return look(run, task)
  if (task.election === undefined) {
    task.election = tabs.electionOf(task.taskId)
    task.leaveElection = task.election.join()
    if (!tabs.isAlone) {
      // What the other tabs know of a task that is not new has still to be received.
      const isLeader = task.election.isLeader()
      if (!isLeader) task.listenUntil = now(run) + STEAL_AGAIN_MS
      if (!isNew) {
        listen(run, task)
        // The other tabs hear of a new task once its record is written.
        tell(run, task)
        // The tab that has led before may have noted more since its record was read, and is gone.
        if (isLeader) void readNote(run, task)
      }
      // Another tab may follow a new task, too, where its record could not be written and the call was sent again.
      tabs.post({ type: 'ask', taskId: task.taskId })
    }
  } else {
    task.leaveElection?.()
    task.election = task.leaveElection = undefined
    setBlocked(run, task, undefined)
    stopPolling(run, task)
  }
  updatePush(run)
  look(run, task)
}
