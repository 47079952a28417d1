import { nextPoll } from '../record/decide.js'
import { merge } from '../record/merge.js'
import { type Election, MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import { pollInterval } from '../time/policy.js'
import type { TaskEntry } from './entries.js'
import type { Keeping } from './keeping.js'
import type { Learning } from './learning.js'
import { LEADER_RETRY_MS, type Looking } from './looking.js'
import type { RunnerBase } from './runner.js'
import type { Showing } from './showing.js'

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
