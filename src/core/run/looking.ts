import { decide } from '../record/decide.js'
import type { TaskRecord } from '../record/record.js'
import { MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import { createScheduler, type Scheduler } from '../time/scheduler.js'
import type { TaskEntry } from './entries.js'
import type { RunnerBase } from './runner.js'
import type { Showing } from './showing.js'

/** What is to be done about a task, and when to look again. */
export interface Looking {
  /** Decides what to do about a task. */
  look(task: TaskEntry): void
  /** Waits for what other tabs may have to say of a task: what this one knows may be old. */
  listen(task: TaskEntry): void
  /** Shows why nothing is polled. */
  setBlocked(task: TaskEntry, blocked: TaskRecord['here']['blocked']): void
  close(): void
}

/** How long a tab that has tried to take the lead waits before it tries again, in ms, and one that has lost it. */
export const LEADER_RETRY_MS = 1000

/** A leader that is late by so much, in ms, was frozen: timers of hidden tabs are throttled to one a second. */
const LATE_LEADER_MS = 1000

export function createLooking(base: RunnerBase, { shown }: Showing): Looking {
  const { environment, rules, tabs, take, now, isFollowed, onDue } = base

  const scheduler: Scheduler<TaskEntry> = createScheduler(
    { now, setTimeout: environment.setTimeout, clearTimeout: environment.clearTimeout },
    (task, lateMs) => take(() => wake(task, lateMs)),
  )

  /**
   * Frozen or asleep, this tab received no messages: they come before anything that it does. A tab whose timers are
   * throttled is late each time, and waits once.
   *
   * ```text
   * tab A  leads ─ frozen ··························· wakes: listens ─ the lock is gone ─ follows
   * tab B           overdue by 1 s: steals ─ polls ── tells
   * tab B  follows ─ frozen ··· wakes: listens ─ receives what A has told ─ follows on
   * ```
   */
  function wake(task: TaskEntry, lateMs: number): void {
    if (isLate(task, lateMs)) listenOnce(task)
    else task.wasLate = false
    look(task)
  }

  function isLate({ election }: TaskEntry, lateMs: number): boolean {
    return lateMs >= (election?.isLeader() ? LATE_LEADER_MS : MESSAGE_DELAY_MS)
  }

  function listenOnce(task: TaskEntry): void {
    if (!task.wasLate && tabs.hasPeers()) listen(task)
    task.wasLate = true
  }

  function listen(task: TaskEntry): void {
    task.doubtfulSince = now()
    task.listenUntil = task.doubtfulSince + MESSAGE_DELAY_MS
  }

  function look(task: TaskEntry): void {
    if (!isFollowed(task) || task.election === undefined || task.poll !== 'idle') return scheduler.set(task, undefined)
    const at = now()
    // After a freeze the first message comes before the timer, and others are on their way.
    if (task.place >= 0 && isLate(task, at - task.wakeAt)) listenOnce(task)
    const decision = decide(
      task.record,
      {
        now: at,
        isOnline: environment.isOnline(),
        isVisible: environment.isVisible(),
        isLeader: task.election.isLeader(),
        listenUntil: task.checks > 0 ? Number.POSITIVE_INFINITY : task.listenUntil,
        stealAt: task.stealAt,
      },
      rules.policy,
    )
    setBlocked(task, decision.do === 'rest' ? decision.blocked : undefined)
    switch (decision.do) {
      case 'rest':
        return scheduler.set(task, undefined)
      case 'wait':
        return scheduler.set(task, decision.until === Number.POSITIVE_INFINITY ? undefined : decision.until)
      case 'lead':
        task.stealAt = at + LEADER_RETRY_MS
        // Frozen again before it had heard what there was to hear, it has listened in vain.
        if (task.wasLate) task.listenUntil = at + MESSAGE_DELAY_MS
        scheduler.set(task, task.stealAt)
        return task.election.steal()
      case 'poll':
        task.poll = 'queued'
        scheduler.set(task, undefined)
        return onDue(task)
    }
  }

  function setBlocked(task: TaskEntry, blocked: TaskRecord['here']['blocked']): void {
    const { record } = task
    if (record.here.blocked === blocked) return
    task.record = { ...record, here: { ...record.here, blocked } }
    for (const entry of task.calls) shown(entry)
  }

  return { look, listen, setBlocked, close: scheduler.close }
}
