import type { Environment, Unsubscribe } from '../environment/environment.js'
import type { TaskPort } from '../protocol/taskPort.js'
import { nextPoll } from '../record/decide.js'
import type { CallRules } from '../record/learn.js'
import { type RecordOwner, setBack } from '../record/record.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { Election, Tabs } from '../tabs/tabs.js'
import { type Clock, watchClock } from '../time/clock.js'
import type { CallEntry, TaskEntry } from './entries.js'
import { createLeading, createPlaces, type Places } from './leading.js'
import { createKeeping, createLearning, createShowing, type Keeping, type Learning } from './learning.js'
import { createLooking, type Looking } from './looking.js'
import type { CallTap } from './tap.js'

export interface RunnerOptions {
  readonly port: TaskPort
  readonly environment: Environment
  readonly rules: CallRules
  readonly records: RecordStore
  readonly owner: RecordOwner
  readonly tabs: Tabs
  /** False if a task is followed only while somebody observes it. */
  readonly followsUnobserved: boolean
  readonly tap: CallTap
  readonly onError: (error: unknown, callId: string, operation: 'poll' | 'respond' | 'cancel') => void
  /** Called when what the store shows of a call has changed. */
  readonly onShown: (entry: CallEntry) => void
  /** True if the server pushes what happens to the task. */
  readonly isPushed: (taskId: string) => boolean
  /** Called when there is a task in this page. Returns what is called when there is none. */
  readonly onFirst: () => Unsubscribe
  /** Called when a task is due, and when this tab polls it no longer: it does not lead, or follows the task no longer. */
  readonly onDue: (task: TaskEntry) => void
  readonly onPollingOver: (task: TaskEntry) => void
  /** Called when the tasks that this tab polls may have changed. */
  readonly onPolledChange: () => void
  /** Called when a snapshot has changed what the task asks. */
  readonly onInputs: (task: TaskEntry) => void
  /** Called when the task has come to its end. */
  readonly onEnd: (task: TaskEntry) => void
}

/** What every part of the runner uses. */
export interface RunnerBase extends RunnerOptions {
  readonly calls: Map<string, CallEntry>
  readonly tasks: Map<string, TaskEntry>
  readonly clock: Clock
  /** The time; a clock that was set back since the last look has moved every record back. */
  now(): number
  /** Runs this after everything that came before it. */
  readonly take: Take
  isFollowed(task: TaskEntry): boolean
}

/**
 * Runs the calls and tasks of a page. What comes, from the server, the app, other tabs, the page or a timer, changes a
 * value and is taken in order: what comes while something is being taken waits for its end, so nothing runs inside itself.
 * After each change the runner shows what is known, and decides what to do about it.
 *
 * ```text
 * server ─ learn, failed ─┐
 * app ──── answer, cancel ┤                      ┌▶ show    to the store
 * tabs ─── merge ─────────┼─▶ the task's record ─┼▶ tell    to the other tabs
 * storage  merge ─────────┘                      ├▶ write   to storage
 *                                                └▶ decide  poll, wait until, take the lead, rest
 * ```
 */
export interface Runner
  extends RunnerBase,
    Keeping,
    Pick<Learning, 'change' | 'learn'>,
    Places,
    Omit<Looking, 'setBlocked'> {
  onLeaderChange(election: Election, isStolen: boolean): void
  nextPollAt(task: TaskEntry): number
}

export function createRunner(options: RunnerOptions): Runner {
  const { environment, rules, followsUnobserved } = options
  const calls: RunnerBase['calls'] = new Map()
  const tasks: RunnerBase['tasks'] = new Map()
  const take = createQueue((work) => environment.setTimeout(work, 0))

  // A clock that is set back would otherwise lengthen every wait by as much.
  const clock = watchClock(environment.now, (by) => {
    for (const task of tasks.values()) {
      task.record = setBack(task.record, by)
      task.listenUntil -= by
      task.stealAt -= by
      task.doubtfulSince -= by
      task.ownSentAt -= by
      // What the next visit reads is to be by this clock.
      take(() => {
        for (const entry of task.calls) void keeping.write(entry, false, by)
        looking.look(task)
      })
    }
  })
  const isFollowed = (task: TaskEntry) =>
    tasks.get(task.taskId) === task && (followsUnobserved || task.calls.some(({ observers }) => observers > 0))
  const base: RunnerBase = { ...options, calls, tasks, clock, now: clock.now, take, isFollowed }
  const showing = createShowing(base)
  const keeping = createKeeping(base, showing)
  const looking = createLooking(base, showing)
  const learning = createLearning(base, showing, keeping, looking)
  const { onLeaderChange, readNote } = createLeading(base, showing, keeping, looking, learning)
  const places = createPlaces(base, showing, keeping, looking, learning, readNote)
  const { change, learn } = learning
  const { look, decisionOf, listen, close } = looking
  const nextPollAt = (task: TaskEntry) => nextPoll(task.record, rules.policy).at
  return { ...base, ...keeping, ...places, change, learn, look, decisionOf, listen, close, onLeaderChange, nextPollAt }
}

/** Runs work in the order in which it comes: what comes while something is under way waits for its end. */
export type Take = (work: () => void) => void

/** A queue that the outermost caller empties. `later` calls back after what threw, so that it takes nothing else with it. */
function createQueue(later: (work: () => void) => void): Take {
  const queue: (() => void)[] = []
  let isTaking = false
  const take: Take = (work) => {
    queue.push(work)
    if (isTaking) return
    isTaking = true
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) next()
    } finally {
      isTaking = false
      if (queue.length > 0) later(() => take(() => {}))
    }
  }
  return take
}
