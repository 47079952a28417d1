import { nextPoll } from '../record/decide.js'
import { reused } from '../record/learn.js'
import { isAnotherTask, isLostBefore, merge } from '../record/merge.js'
import { isLost, isOver, type TaskRecord, withReason } from '../record/record.js'
import { type Election, MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import { pollInterval } from '../time/policy.js'
import { changeTask, withInputsHere } from './changes.js'
import { type CallEntry, createTaskEntry, type TaskEntry } from './entries.js'
import { listen, look, STEAL_AGAIN_MS, setBlocked } from './looking.js'
import { dropPolls } from './polls.js'
import { isFollowed, now, type Run, take } from './run.js'
import { report, showCall, tell, write } from './showing.js'

/** How often the time is doubled for which a tab waits whose polls were cut off: 32 s, longer than a poll may take by default. */
const MAX_DOUBLED = 5

/** This tab becomes the leader of an election, or ceases to be. `byStealing`: it took the lead from a tab that had it. */
export function onLeaderChange(run: Run, election: Election, byStealing: boolean): void {
  take(run, () => {
    for (const task of run.tasks.values()) {
      if (task.election !== election) continue
      if (election.isLeader()) gainLead(run, task, byStealing)
      else {
        // Tabs that do not know of each other's polls must not cut them off in turn for ever.
        if (task.poll === 'sent') task.cutOffs += 1
        // What the new leader has learned is still on its way.
        task.listenUntil = now(run) + STEAL_AGAIN_MS * 2 ** Math.min(task.cutOffs, MAX_DOUBLED)
        stopPolling(run, task)
        look(run, task)
      }
      for (const entry of task.calls) report(run, entry, 'leader')
    }
    updatePush(run)
  })
}

/** This tab does not lead any longer, or does not follow the task. */
function stopPolling(run: Run, task: TaskEntry): void {
  dropPolls(run, [task])
  run.port.release?.(task.taskId)
  task.poll = 'idle'
}

/** Called with each call that starts, however many run: which of them this tab polls is asked when the stream is opened. */
function updatePush({ push, tasks }: Run): void {
  if (tasks.size > 0) push?.update()
  else push?.close()
}

/**
 * This tab polls from now on. What the tab before it has noted as it left is read first; a tab that has crashed can no
 * longer tell that its poll is over, so this one does.
 *
 * ```text
 * tab A  polls ── response ── notes the next poll ─ closed
 * tab B  opens ▪ in the cache ▪ frozen              leads: reads the note, received no message
 * tab C                        opens                B is frozen: steals the lead, reads the note
 * ```
 */
function gainLead(run: Run, task: TaskEntry, byStealing: boolean): void {
  if (task.record.sentAt > 0 && task.record.sentAt !== task.ownSentAt) task.record = withReason(task.record, 'takeover')
  const { record } = task
  const at = now(run)
  const stealAt = overdueAt(run, record)
  // Had this tab been awake, it would have stolen the lead by now, and its timers would be in time: it was frozen itself, and what the
  // other tabs have told meanwhile is still on its way. So it is where this tab has stolen the lead and was frozen again before it could read that, and where it has stolen
  // it from a tab that is awake, which may send the poll that is due before it hears of that.
  const isBehind = task.wasLate || (byStealing ? at < stealAt : at >= Math.max(stealAt, task.listenUntil))
  task.listenUntil = isBehind ? at + MESSAGE_DELAY_MS : 0
  // A tab that was stolen from may be polling still; one that has gone polls no more. What was pushed to it is not pushed to this one.
  const isPollOver = !byStealing && record.pollingUntil > at
  const isUnheard = record.quietUntil > at && !run.push?.isPushed(task.taskId)
  if (isPollOver || isUnheard) {
    task.record = {
      ...record,
      triedAt: at,
      ...(isPollOver && { pollingUntil: 0 }),
      ...(isUnheard && { quietUntil: 0 }),
    }
    if (!isBehind) tell(run, task)
  }
  void readNote(run, task, byStealing)
  look(run, task)
}

/** When another tab takes the lead from the one that is to poll the task. */
function overdueAt(run: Run, record: TaskRecord): number {
  return nextPoll(record, run.rules.policy).at + STEAL_AGAIN_MS
}

/** Reads what another page has noted of the task; until then nothing is polled. `byStealing`: this tab took the lead from a tab that had it. */
async function readNote(run: Run, task: TaskEntry, byStealing = false): Promise<void> {
  const [entry] = task.calls
  if (entry === undefined) return
  task.noteReads++
  const found = await run.records.find(entry.call.callId)
  task.noteReads--
  const noted = (record: TaskRecord, at: number): TaskRecord => {
    if (typeof found !== 'string') {
      const note = found?.task
      if (note?.task.taskId !== task.taskId) return record
      // Noted by a clock that was set back since, it is read as of this moment (`byClock`), and would put the poll off each time.
      return !note.here.wasAhead || ageOf(note) > ageOf(record) ? merge(record, note) : record
    }
    // What it has noted cannot be read: one interval from now is late enough. Tabs that steal from each other would put the poll off
    // in turn, for ever.
    if (byStealing || (entry.kept !== 'there' && entry.kept !== 'assumed')) return record
    const earliestAt = at + pollInterval(record.task.pollIntervalMs, run.rules.policy)
    return { ...record, earliestAt: Math.max(record.earliestAt, earliestAt) }
  }
  changeTask(run, task, noted, { from: 'storage' })
}

/** How long after it was received the task was noted, in ms: the same by every clock. */
const ageOf = ({ notedAt, receivedAt }: TaskRecord): number => notedAt - receivedAt

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
    // The response to a `tools/call` is none to a poll: it puts off none that is planned.
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
        // A new task is told once its record is written.
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
