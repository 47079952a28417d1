import type { Unsubscribe } from '../environment/environment.js'
import { LEADER_TIMEOUT_MS, nextPoll } from '../record/decide.js'
import type { TaskRecord } from '../record/record.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Polls } from './polls.js'
import type { Runner } from './runner.js'

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
