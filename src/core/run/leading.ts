import { nextPoll } from '../record/decide.js'
import { merge } from '../record/merge.js'
import { isOver, type TaskRecord } from '../record/record.js'
import { type Election, MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import { pollInterval } from '../time/policy.js'
import { type CallEntry, createTaskEntry, type TaskEntry } from './entries.js'
import type { Keeping, Learning, Showing } from './learning.js'
import { LEADER_RETRY_MS, type Looking } from './looking.js'
import type { RunnerBase } from './runner.js'

export interface Leading {
  /** This tab becomes the leader of an election, or ceases to be. */
  onLeaderChange(election: Election, isStolen: boolean): void
  /** Reads what another page has noted of the task; until then nothing is polled. `isStolen`: the lead was. */
  readNote(task: TaskEntry, isStolen?: boolean): Promise<void>
}

export function createLeading(
  base: RunnerBase,
  { report }: Showing,
  { tell }: Keeping,
  { look }: Looking,
  { learn }: Learning,
): Leading {
  const { tasks, take, now, rules, records } = base
  const { policy } = rules

  function onLeaderChange(election: Election, isStolen: boolean): void {
    take(() => {
      for (const task of tasks.values()) {
        if (task.election !== election) continue
        if (election.isLeader()) gainLead(task, isStolen)
        else loseLead(task)
        for (const entry of task.calls) report(entry, { call: entry.call, task: task.record }, 'leader')
      }
      base.onPolledChange()
    })
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
  function gainLead(task: TaskEntry, isStolen: boolean): void {
    const { record } = task
    if (record.sentAt > 0 && record.sentAt !== task.ownSentAt) task.because = 'takeover'
    // A tab that was stolen from may be polling still; one that has gone polls no more.
    if (!isStolen) {
      const wouldStealAt = Math.max(nextPoll(record, policy).at + LEADER_RETRY_MS, task.listenUntil, task.stealAt)
      // Had this tab been awake, it would have stolen the lead by now: it was frozen itself. What the other tabs have told
      // meanwhile is still on its way.
      task.listenUntil = now() >= wouldStealAt ? now() + MESSAGE_DELAY_MS : 0
      if (record.pollingUntil > now()) {
        task.record = { ...record, pollingUntil: 0, triedAt: now() }
        tell(task)
      }
    }
    void readNote(task, isStolen)
    look(task)
  }

  async function readNote(task: TaskEntry, isStolen = false): Promise<void> {
    const [entry] = task.calls
    if (entry === undefined) return
    task.checks++
    const found = await records.find(entry.call.callId)
    task.checks--
    learn(
      task,
      (record, at) => {
        const isUnreadable = found === 'unreadable' && (entry.kept === 'there' || entry.kept === 'assumed')
        // Tabs that steal from each other would put the poll off in turn, for ever.
        if (isUnreadable && !isStolen)
          return {
            ...record,
            earliestAt: Math.max(record.earliestAt, at + pollInterval(record.task.pollIntervalMs, policy)),
          }
        const noted = found === 'unreadable' ? undefined : found?.task
        return noted?.task.taskId === task.taskId ? merge(record, noted) : record
      },
      { from: 'storage' },
    )
  }

  function loseLead(task: TaskEntry): void {
    // What the new leader has learned is still on its way.
    task.stealAt = now() + LEADER_RETRY_MS
    base.onPollingOver(task)
    task.poll = 'idle'
    look(task)
  }

  return { onLeaderChange, readNote }
}

/** Which call follows which task, and for which tasks this tab stands for election. */
export interface Places {
  /** Lets a call follow this task. */
  attach(entry: CallEntry, record: TaskRecord, from: 'created' | 'resumed'): void
  /** Takes a call away from its task. */
  detach(entry: CallEntry): void
  /** The number of those who wait for it has changed. */
  place(task: TaskEntry): void
}

export function createPlaces(
  base: RunnerBase,
  { shown, report }: Showing,
  { write, tell }: Keeping,
  { look, listen, setBlocked }: Looking,
  { withInputs, finish }: Learning,
  readNote: Leading['readNote'],
): Places {
  const { tasks, tabs, take, now, isFollowed } = base
  let onLast = () => {}

  function attach(entry: CallEntry, record: TaskRecord, from: 'created' | 'resumed'): void {
    take(() => {
      const { stage } = entry.call
      if (stage.name === 'left' || stage.name === 'settled' || stage.name === 'ending') return
      detach(entry)
      const { taskId } = record.task
      const known = tasks.get(taskId)
      const task = known ?? createTaskEntry(withInputs(record, { ...record, answered: [], inputRequests: {} }))
      if (known !== undefined) known.record = withInputs(merge(known.record, siblingOf(record, from)), known.record)
      if (tasks.size === 0) onLast = base.onFirst()
      tasks.set(taskId, task)
      task.calls.push(entry)
      const before = entry.call
      entry.task = task
      entry.starting = undefined
      entry.call = { ...before, stage: { name: 'task' } }
      entry.kept = from === 'created' ? 'unwritten' : 'assumed'
      // A record that was noted by a clock that was set back since is written again by this one.
      if (from === 'created' || record.notedAt === now()) entry.written = write(entry)
      if (from === 'resumed' && known === undefined) task.because = 'resumed'
      report(entry, { call: before, task: undefined }, from)
      if (from === 'created') report(entry, { call: entry.call, task: task.record }, 'record-written')
      shown(entry)
      // Its result may be kept, and the server may have it no longer.
      if (from === 'resumed' && entry.call.keepResult && isOver(record) && record.end === undefined) void readNote(task)
      place(task, from === 'created')
      if (task.record.here.inputs.size > 0) base.onInputs(task)
      if (task.record.end !== undefined) finish(task)
    })
  }

  function detach(entry: CallEntry): void {
    const { task } = entry
    if (task === undefined) return
    entry.task = undefined
    task.calls.splice(task.calls.indexOf(entry), 1)
    if (task.calls.length === 0) {
      tasks.delete(task.taskId)
      for (const { controller } of task.pending?.values() ?? []) controller.abort()
    }
    place(task)
    if (task.calls.length === 0 && tasks.size === 0) onLast()
  }

  /** Stands for the election of a task while it is followed, and asks what others know of it. */
  function place(task: TaskEntry, isNew = false): void {
    if (isFollowed(task) === (task.election !== undefined)) return look(task)
    if (task.election === undefined) {
      task.election = tabs.electionOf(task.taskId)
      task.leave = task.election.join()
      if (!tabs.isAlone) {
        // What the other tabs know of a task that is not new has still to be received.
        const isLeader = task.election.isLeader()
        if (!isLeader) task.stealAt = now() + LEADER_RETRY_MS
        if (!isNew) {
          listen(task)
          // A new task is told once its record is written.
          tell(task)
          // The tab that has led before may have noted more since its record was read, and is gone.
          if (isLeader) void readNote(task)
        }
        // Another tab may follow a new task, too, where its record could not be written and the call was sent again.
        tabs.post({ type: 'ask', taskId: task.taskId })
      }
    } else {
      task.leave?.()
      task.election = task.leave = undefined
      setBlocked(task, undefined)
      task.poll = 'idle'
      base.onPollingOver(task)
    }
    base.onPolledChange()
    look(task)
  }

  return { attach, detach, place }
}

/** The response to a `tools/call` is none to a poll: it puts off none that is planned. */
function siblingOf(record: TaskRecord, from: 'created' | 'resumed'): TaskRecord {
  return from === 'created' ? { ...record, earliestAt: 0 } : record
}
