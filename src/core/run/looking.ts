import { type Decision, decide, polledUntil } from '../record/decide.js'
import type { TaskRecord } from '../record/record.js'
import { FROZEN_MS, MESSAGE_DELAY_MS } from '../tabs/tabs.js'
import type { TaskEntry } from './entries.js'
import { isFollowed, now, type Run } from './run.js'
import { showCallsOf } from './showing.js'

/** How long a tab waits that has tried to take the lead, in ms. One that has lost it waits twice as long after each poll cut off (leading.ts). */
export const STEAL_AGAIN_MS = 1000

/**
 * The timer of a task. If it is late, this page was frozen or asleep, and has received no messages, also of tabs that were opened
 * meanwhile: it listens first. Timers that are throttled are late each time, and make it listen once.
 *
 * When the tab that polls is gone:
 *
 * ```text
 * tab A  leads ─ closed or crashed; or put into the back-forward cache, or frozen with an event: lets the lock go (page.ts)
 * tab B                           is granted the lock: reads what A has noted, polls when that is due (`gainLead` in leading.ts)
 *
 * tab A  leads ─ frozen without an event, asleep ········ wakes: listens ─ the lock is gone ─ follows
 * tab B                       overdue by 1 s: steals the lock ─ polls ── tells
 *                             (frozen in the middle of a poll: 5 s later at most, for so long A is believed to poll, `announce` in polls.ts)
 * tab C  follows ─ frozen ··· wakes: listens ─ receives what B has told ─ follows on
 *
 * tab A  leads ─ hidden: its timers are throttled
 * tab B          can be seen: takes the lead (`leader` in tabs/messages.ts)
 * ```
 */
export function wake(run: Run, task: TaskEntry, lateMs: number): void {
  if (isLate(task, lateMs)) listenOnce(run, task)
  else task.wasLate = false
  look(run, task)
}

function isLate({ election }: TaskEntry, lateMs: number): boolean {
  return lateMs >= (election?.isLeader() ? FROZEN_MS : MESSAGE_DELAY_MS)
}

/** The same for the timer of a poll. True if the page was frozen or asleep: late for the first time. */
export function listenIfLate(run: Run, task: TaskEntry, lateMs: number): boolean {
  if (lateMs < FROZEN_MS || task.wasLate) return false
  listenOnce(run, task)
  return true
}

function listenOnce(run: Run, task: TaskEntry): void {
  if (!task.wasLate && !run.tabs.isAlone) listen(run, task)
  task.wasLate = true
}

/** Waits for what other tabs may have to say of a task: what this one knows may be old. */
export function listen(run: Run, task: TaskEntry, forMs: number = MESSAGE_DELAY_MS): void {
  task.doubtfulSince = now(run)
  task.listenUntil = Math.max(task.listenUntil, task.doubtfulSince + forMs)
}

/** What is to be done about a task; undefined while it is not followed. */
export function decisionOf(run: Run, task: TaskEntry): Decision | undefined {
  const { election, record } = task
  if (!isFollowed(run, task) || election === undefined) return undefined
  const { environment } = run
  const circumstances = {
    now: now(run),
    isOnline: environment.isOnline(),
    isVisible: environment.isVisible(),
    isLeader: election.isLeader(),
    listenUntil: task.noteReads > 0 ? Number.POSITIVE_INFINITY : task.listenUntil,
  }
  return decide(record, circumstances, run.rules.policy)
}

/** Notes whether another tab says that it polls the task. */
function noteElsewhere({ polledElsewhere }: Run, task: TaskEntry, at: number): void {
  if (task.poll !== 'sent' && task.calls.length > 0 && task.record.pollingUntil > at) polledElsewhere.add(task)
  else polledElsewhere.delete(task)
}

/**
 * True if the leading tab is polling other tasks. With more tasks than connections and a slow server, this task waits for a connection
 * there. If this tab took the lead, it would abort those polls, and no tab would ever receive a response.
 */
function isLeaderBusy({ polledElsewhere, rules }: Run, task: TaskEntry, at: number): boolean {
  return [...polledElsewhere].some(
    (other) => other !== task && other.election === task.election && polledUntil(other.record, rules.policy) > at,
  )
}

/** Decides what to do about a task, and does it. */
export function look(run: Run, task: TaskEntry): void {
  const { scheduler } = run
  const at = now(run)
  // After a freeze the first message comes before the timer (which is set where `place` is not -1), and others are on their way.
  if (task.place >= 0 && isLate(task, at - task.wakeAt)) listenOnce(run, task)
  const decision = task.poll === 'idle' ? decisionOf(run, task) : undefined
  let wakeAt: number | undefined
  if (decision !== undefined) setBlocked(run, task, decision.do === 'rest' ? decision.blocked : undefined)
  if (decision?.do === 'wait' && decision.until < Number.POSITIVE_INFINITY) wakeAt = decision.until
  noteElsewhere(run, task, at)
  const takesLead = decision?.do === 'lead' && !isLeaderBusy(run, task, at)
  if (decision?.do === 'lead') wakeAt = at + STEAL_AGAIN_MS
  if (takesLead) task.listenUntil = at + STEAL_AGAIN_MS
  if (decision?.do === 'poll') task.poll = 'queued'
  scheduler.set(task, wakeAt)
  if (takesLead) task.election?.steal()
  if (decision?.do === 'poll') run.on.due(run, task)
}

/** Shows why nothing is polled. */
export function setBlocked(run: Run, task: TaskEntry, blocked: TaskRecord['here']['blocked']): void {
  const { record } = task
  if (record.here.blocked === blocked) return
  task.record = { ...record, here: { ...record.here, blocked } }
  showCallsOf(run, task)
}
