import type { Unsubscribe } from '../environment/environment.js'
import { type Decision, decide, LEADER_TIMEOUT_MS, nextPoll } from '../record/decide.js'
import type { TaskRecord } from '../record/record.js'
import { MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import { createScheduler, type Scheduler } from '../time/scheduler.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Showing } from './learning.js'
import type { Polls } from './polls.js'
import type { Runner, RunnerBase } from './runner.js'

/** What is to be done about a task, and when to look again. */
export interface Looking {
  /** Decides what to do about a task, and does it. */
  look(task: TaskEntry): void
  /** What is to be done about a task; undefined while it is not followed. */
  decisionOf(task: TaskEntry): Decision | undefined
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

  function decisionOf(task: TaskEntry): Decision | undefined {
    const { election, record, stealAt } = task
    if (!isFollowed(task) || election === undefined) return undefined
    const circumstances = {
      now: now(),
      isOnline: environment.isOnline(),
      isVisible: environment.isVisible(),
      isLeader: election.isLeader(),
      listenUntil: task.checks > 0 ? Number.POSITIVE_INFINITY : task.listenUntil,
      stealAt,
    }
    return decide(record, circumstances, rules.policy)
  }

  function look(task: TaskEntry): void {
    const at = now()
    // After a freeze the first message comes before the timer, and others are on their way.
    if (task.place >= 0 && isLate(task, at - task.wakeAt)) listenOnce(task)
    const decision = task.poll === 'idle' ? decisionOf(task) : undefined
    if (decision === undefined) return scheduler.set(task, undefined)
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
        return task.election?.steal()
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

  return { look, decisionOf, listen, setBlocked, close: scheduler.close }
}

/** Clients behind one router come back online in the same moment; their polls are spread over this, in ms. */
const ONLINE_JITTER_MS = 200

/** What kept polls from passing is over: they need not wait for the end of their backoff. */
export function pollSoon(run: Runner): void {
  for (const task of [...run.tasks.values()]) soon(run, task)
}

function soon(run: Runner, task: TaskEntry): void {
  const { environment, rules } = run
  const now = run.now()
  const dueAt = nextPoll(task.record, rules.policy).at
  const soonAt = now + environment.random() * ONLINE_JITTER_MS
  if (!environment.isOnline() || task.poll === 'sent') return run.look(task)
  if (dueAt <= now) task.listenUntil = Math.max(task.listenUntil, soonAt)
  if (dueAt > soonAt) {
    const cleared: TaskRecord = { ...task.record, retryAt: 0, quietUntil: 0 }
    if (nextPoll(cleared, rules.policy).at >= dueAt) return run.look(task)
    task.listenUntil = Math.max(task.listenUntil, soonAt)
  }
  task.because = 'back-online'
  const hasBackoff = task.record.retryAt > now || task.record.quietUntil > now
  run.learn(task, (record, at) => (hasBackoff ? { ...record, retryAt: 0, quietUntil: 0, triedAt: at } : record), {
    from: 'online',
  })
}

export interface PageOptions {
  readonly polls: Polls
  /** Called for each call with a task when the page is back from the back-forward cache. */
  readonly onShown: (entry: CallEntry) => void
}

/**
 * Listens to the page once for all tasks. A page in the back-forward cache, or frozen, runs nothing and receives nothing:
 *
 * ```text
 * hide   writes what is known · gives the poll up · the tabs let the lead and the channel go
 * ······ another tab is granted the lead, and tells
 * show   asks what the others know, tells what the server asked for, and gives the others a second
 *        reads the record of each call: it may have been forgotten, or made anew
 * ```
 *
 * Returns a function that unsubscribes.
 */
export function watchPage(run: Runner, { polls, onShown }: PageOptions): Unsubscribe {
  const { environment, tabs } = run
  const all = (action: (task: TaskEntry) => void) => () => {
    for (const task of [...run.tasks.values()]) action(task)
  }
  const comeBack = (task: TaskEntry) => {
    if (!tabs.isAlone) {
      run.listen(task)
      task.stealAt = run.now() + LEADER_TIMEOUT_MS
      task.wasLate = false
      run.tell(task)
      tabs.post({ type: 'ask', taskId: task.taskId })
    }
    run.look(task)
    for (const entry of [...task.calls]) onShown(entry)
  }
  const subscriptions = [
    environment.onOnlineChange(all((task) => soon(run, task))),
    environment.onVisibilityChange(all(run.look)),
    environment.onPageHide(() => {
      all((task) => {
        for (const entry of task.calls) void run.write(entry)
      })()
      polls.abort()
    }),
    environment.onPageShow(all(comeBack)),
  ]
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}
