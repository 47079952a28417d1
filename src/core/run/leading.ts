import { nextPoll, OVERDUE_MS } from '../record/decide.js'
import { mergeNote } from '../record/merge.js'
import { type TaskRecord, withReason } from '../record/record.js'
import { type Election, MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import { pollInterval } from '../time/policy.js'
import { changeTask } from './changes.js'
import type { TaskEntry } from './entries.js'
import { look, STEAL_AGAIN_MS } from './looking.js'
import { dropPolls } from './polls.js'
import { now, type Run, take } from './run.js'
import { report, tell } from './showing.js'

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
export function stopPolling(run: Run, task: TaskEntry): void {
  dropPolls(run, [task])
  run.port.release?.(task.taskId)
  task.poll = 'idle'
}

/** Called with each call that starts, however many run: which of them this tab polls is asked when the stream is opened. */
export function updatePush({ push, tasks }: Run): void {
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
  // What the other tabs have told may be on its way still:
  // - This tab was frozen: awake, it would have stolen the lead by now, and its timers would be in time.
  // - It has stolen the lead, and was frozen again before it could read.
  // - It has stolen the lead from a tab that is awake, which may send the poll that is due before it hears of that.
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
export function overdueAt(run: Run, record: TaskRecord): number {
  return nextPoll(record, run.rules.policy).at + OVERDUE_MS
}

/** Reads what another page has noted of the task; until then nothing is polled. `byStealing`: this tab took the lead from a tab that had it. */
export async function readNote(run: Run, task: TaskEntry, byStealing = false): Promise<void> {
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
      return !note.here.wasAhead || ageOf(note) > ageOf(record) ? mergeNote(record, note) : record
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
