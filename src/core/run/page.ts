import type { Unsubscribe } from '../environment/environment.js'
import { nextPoll, OVERDUE_MS } from '../record/decide.js'
import { setBack, type TaskRecord, withReason } from '../record/record.js'
import { MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import { catchUp } from './catchUp.js'
import { changeTask } from './changes.js'
import type { TaskEntry } from './entries.js'
import { listen, look } from './looking.js'
import { dropPolls } from './polls.js'
import { now, type Run, take } from './run.js'
import { tell, write } from './showing.js'

/** Clients behind one router come back online in the same moment; their polls are spread over this, in ms. */
const ONLINE_JITTER_MS = 200

/** The user has signed in: nothing that was refused for that need wait for the end of its backoff. */
export function retrySoon(run: Run): void {
  for (const task of [...run.tasks.values()]) soon(run, task)
  for (const listener of [...run.onSignedIn]) listener()
}

function soon(run: Run, task: TaskEntry): void {
  const { environment, rules } = run
  const at = now(run)
  const dueAt = nextPoll(task.record, rules.policy).at
  const soonAt = at + environment.random() * ONLINE_JITTER_MS
  if (!environment.isOnline() || task.poll === 'sent') return look(run, task)
  // Clears the waits that are this page's own. What the server has asked for is waited for.
  const clear = (record: TaskRecord): TaskRecord => ({ ...record, retryAt: 0, quietUntil: 0 })
  if (dueAt > soonAt && nextPoll(clear(task.record), rules.policy).at >= dueAt) return look(run, task)
  if (dueAt <= at || dueAt > soonAt) task.listenUntil = Math.max(task.listenUntil, soonAt)
  task.record = withReason(task.record, 'back-online')
  const hasBackoff = task.record.retryAt > at || task.record.quietUntil > at
  changeTask(run, task, (record, triedAt) => (hasBackoff ? { ...clear(record), triedAt } : record), { from: 'online' })
}

/**
 * Listens to the page once for all tasks. A page in the back-forward cache, or frozen, runs nothing and receives nothing:
 *
 * ```text
 * hide   createTabs.ts, which has listened since the first call: lets the lead and the channel go
 *        here: writes what is known · gives the poll up · doubts all from now on
 * ······ another tab is granted the lead, and tells
 * wakes  a lock may be granted before the event of its return: nothing is answered on what this page knew
 * show   createTabs.ts: connects, waits for the lead again · has catchUp.ts drop what has ended or was sent, and was forgotten meanwhile
 *        here: asks what the others know, and gives them a second
 *        reads the record of each call, which may have been forgotten or made anew · tells what the server asked for
 * ```
 *
 * Returns a function that unsubscribes.
 */
export function watchPage(run: Run): Unsubscribe {
  const { environment } = run
  const all = (action: (run: Run, task: TaskEntry) => void) => () => {
    for (const task of [...run.tasks.values()]) action(run, task)
  }
  const subscriptions = [
    environment.onOnlineChange(all(soon)),
    environment.onVisibilityChange(all(look)),
    environment.onPageHide(() => {
      writeAll(run)
      dropPolls(run, [...run.pollsUnderWay.keys(), ...run.pollsInLine])
      // One that is alone has no lead to give away, and the poll that it gives up is due again, if only once it is back.
      const until = now(run) + MESSAGE_DELAY_MS
      for (const task of run.tasks.values())
        if (run.tabs.isAlone) task.listenUntil = until
        else task.doubtfulSince = Number.POSITIVE_INFINITY
    }),
    environment.onPageShow(all(comeBack)),
  ]
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}

/** Writes what is known of each task. */
export function writeAll(run: Run): Promise<void>[] {
  return [...run.tasks.values()].flatMap(({ calls }) => calls.map((entry) => write(run, entry)))
}

async function comeBack(run: Run, task: TaskEntry): Promise<void> {
  const { tabs } = run
  if (tabs.isAlone) task.listenUntil = 0
  else {
    listen(run, task, OVERDUE_MS)
    task.wasLate = false
    tabs.post({ type: 'ask', taskId: task.taskId })
  }
  look(run, task)
  await Promise.all(task.calls.map((entry) => catchUp(run, entry)))
  // What was forgotten meanwhile would begin anew in a tab that has been opened since.
  if (run.tasks.get(task.taskId) === task) tell(run, task)
}

/** The clock was set back by so many ms: without this every wait would be longer by as much. */
export function setAllBack(run: Run, by: number): void {
  for (const task of run.tasks.values()) {
    task.record = setBack(task.record, by)
    task.listenUntil -= by
    task.doubtfulSince -= by
    task.ownSentAt -= by
    // What the next visit reads is to be by this clock.
    take(run, () => {
      for (const entry of task.calls) void write(run, entry, false, by)
      look(run, task)
    })
  }
}
