import { merge } from '../record/merge.js'
import { isOver, type TaskRecord } from '../record/record.js'
import { type CallEntry, createTaskEntry, type TaskEntry } from './entries.js'
import type { Keeping } from './keeping.js'
import type { Leading } from './leading.js'
import type { Learning } from './learning.js'
import { LEADER_RETRY_MS, type Looking } from './looking.js'
import type { RunnerBase } from './runner.js'
import type { Showing } from './showing.js'

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
        if (!isNew) listen(task)
        if (!isLeader) task.stealAt = now() + LEADER_RETRY_MS
        // Another tab may follow the task already, where its record could not be written and the call was sent again.
        tell(task)
        tabs.post({ type: 'ask', taskId: task.taskId })
        // The tab that has led before may have noted more since its record was read, and is gone.
        if (!isNew && isLeader) void readNote(task)
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
