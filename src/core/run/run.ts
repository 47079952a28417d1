import type { Environment, Unsubscribe } from '../environment/environment.js'
import type { TaskPort, ToolCallRequest } from '../protocol/taskPort.js'
import type { CallRules } from '../record/learn.js'
import type { CallRecord, RecordOwner } from '../record/record.js'
import type { SettledToolCall, ToolCallState } from '../record/toolCallState.js'
import type { KeyedQueue } from '../storage/keyedQueue.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { CallMessage } from '../tabs/messages.js'
import type { Tabs } from '../tabs/tabs.js'
import type { Scheduler } from '../time/scheduler.js'
import type { Semaphore } from '../time/semaphore.js'
import type { Answers } from './answers.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { CheckForm, InputHandlers } from './inputs.js'
import type { Push } from './push.js'
import type { CallTap } from './tap.js'

/** Where calls are shown. */
export interface CallStore {
  setCall(state: ToolCallState): void
  removeCall(callId: string): void
  /** True if somebody listens to this call. */
  isObserved(callId: string): boolean
  subscribeCall(callId: string, listener: () => void): () => void
}

/** Takes what another tab says. */
export type Receive = (run: Run, message: CallMessage) => void

/** What other pages know of a call, `found` being what `RecordStore.find` says of its record. */
export type ReadFound = (
  run: Run,
  callId: string,
  found: Awaited<ReturnType<RecordStore['find']>>,
) => CallRecord | undefined | Promise<CallRecord | undefined>

/** What the client brings. */
export interface CallsOptions {
  readonly port: TaskPort
  readonly environment: Environment
  readonly rules: CallRules
  readonly records: RecordStore
  /** False if each tab has records of its own. */
  readonly tabsShareStorage: boolean
  readonly owner: RecordOwner
  readonly tabs: Tabs
  readonly store: CallStore
  readonly tap: CallTap
  /** False if a task is followed only while somebody observes it. */
  readonly followsUnobserved: boolean
  readonly maxConcurrentPolls: number
  readonly handlers: InputHandlers
  readonly checkForm: CheckForm
  readonly readFound: ReadFound
  /** Takes what other tabs say. */
  readonly receive: Receive
  /** Responds to input requests. */
  readonly answers: Answers
  /** Opens the stream of what the server pushes. Called with the first task. */
  readonly createPush: (run: Run) => Push
  /** Called with each call while the app starts it. */
  readonly prepareMeta: (call: { readonly callId: string; readonly name: string }) => ToolCallRequest['meta']
  readonly onError: (error: unknown, callId: string, operation: 'poll' | 'respond' | 'cancel') => void
  /** Called when calls were forgotten: one, or all that were not made since. */
  readonly onForgotten: (callId: string | undefined) => void
  /** Called when a call has ended. */
  readonly onSettled: (state: SettledToolCall) => void
}

/**
 * The calls and tasks of a page, and all that its functions share. What comes, from the server, the app, other tabs, the
 * page or a timer, changes a value and is taken in order. After each change the run shows what is known, and decides what
 * to do about it.
 *
 * ```text
 * server ─ learn, failed ─┐
 * app ──── answer, cancel ┤                      ┌▶ show    to the store
 * tabs ─── merge ─────────┼─▶ the task's record ─┼▶ tell    to the other tabs
 * storage  merge ─────────┘                      ├▶ write   to storage, where it matters (`write` in showing.ts)
 *                                                └▶ decide  poll, wait until, take the lead, rest
 * ```
 *
 * Where a question is answered, as a table or a timeline:
 *
 * ```text
 * When is the next poll, and why?                                `nextPoll` in record/decide.ts
 * What does a failed poll do, and when does a call give up?      record/failed.ts, of what wire/errors.ts makes of the failure
 * Which of two that know something of a task is right?           `merge` in record/merge.ts; of two snapshots of a page, record/snapshotOrder.ts
 * What does a record mean that a page finds?                     record/planStart.ts
 * What does a new phase of a call, or status of a task, need?    the list in record/toolCallState.ts
 * In which order are changes made?                               changes.ts
 * What if the tab that polls is closed, frozen, or sleeps?       `wake` in looking.ts; with an event before it, `watchPage` in page.ts
 * What holds a tab back while others may know more?              `TaskEntry` in entries.ts
 * What does an abort or `cancel()` end? A task that comes then?  `CallEntry` in entries.ts
 * Why does a tool run once, and what is sent again?              `sendCall` in send.ts; who sends it, `makeCall` in makeCall.ts
 * What does a second call with the same key do?                  `startToolCall` in startOrResume.ts
 * What becomes of a response given offline, twice, in two tabs?  `Answers` in answers.ts
 * When is a record written, and removed?                         `write` in showing.ts
 * What if the storage fails, is full, silent, or of later code?  `RecordStore` in storage/recordStore.ts
 * Can a forgotten record come back?                              forgottenTimes.ts
 * What do tabs tell each other, also those of other versions?    `TabMessage` in tabs/messages.ts
 * ```
 */
export interface Run extends CallsOptions {
  readonly calls: Map<string, CallEntry>
  readonly tasks: Map<string, TaskEntry>
  /** Wakes each task when it is time to look at it. */
  readonly scheduler: Scheduler<TaskEntry>
  /** Aborted when the client is closed. */
  readonly closing: AbortController
  /** What came and has not been taken yet. */
  readonly queue: (() => void)[]
  isTaking: boolean
  /** What the clock said last. */
  lastNow: number
  /** What it said when it was last seen to be set back; Infinity: never. */
  setBackTo: number
  /** By how many ms it was set back in all. With it, the time since something happened is the time that has passed. */
  setBackBy: number
  /** The tasks whose polls wait for a free connection, and those that are polled. */
  readonly pollsInLine: Set<TaskEntry>
  readonly pollsUnderWay: Map<TaskEntry, AbortController>
  /** The tasks that another tab says it polls. */
  readonly polledElsewhere: Set<TaskEntry>
  /** Undefined before the first task. */
  push: Push | undefined
  /** Stops listening to the page, which is listened to while there is a task. */
  unwatch: Unsubscribe | undefined
  /** When calls were forgotten, by id, and all of them. `lastForgottenAt`: the latest of these times. */
  readonly forgotten: Map<string | undefined, number>
  lastForgottenAt: number
  /** Ids of calls that have ended, in the order in which they did: with a key, without one, and in earlier visits. */
  readonly ended: Readonly<Record<EndKind, Set<string>>>
  /** Called with each record that another tab tells, where this one has asked for one, and without one when the client is closed. */
  readonly wantedRecords: Set<(record?: CallRecord) => void>
  /** Called when the user has signed in: requests for tasks need not wait for the end of their backoff. */
  readonly onSignedIn: Set<() => void>
  /** Where `tasks/update` waits for its turn. */
  readonly updatesInLine: Semaphore
  /** One response to an input request after the other. */
  readonly inTurn: KeyedQueue
  readonly on: RunEvents
}

export type EndKind = 'keyed' | 'unkeyed' | 'recorded'

/** What is called when something happens to the tasks. createRun.ts names the functions: their files import this one, which must not import them. */
export interface RunEvents {
  /** The clock was set back by so many ms: without this every wait would be longer by as much. */
  setBack(run: Run, by: number): void
  /** There is a task. Returns what is called when there is none. */
  first(run: Run): Unsubscribe
  /** A task is due. */
  due(run: Run, task: TaskEntry): void
  /** A task has come to its end, and with it these calls. */
  end(run: Run, task: TaskEntry, calls: readonly CallEntry[]): void
}

/**
 * The time. Where the clock was set back since the last look, every record is set back first.
 *
 * ```text
 * the times of a record                            `setBack` in record/record.ts
 * until when a task waits                          `setAllBack` in page.ts
 * the record in storage, as it is written          `setBackStored` in storage/recordStore.ts
 * a record that is read, or told by another tab    `byClock` in record/codec.ts
 * a wait of its own                                time/untilOnline.ts, `giveUpAt` in send.ts, `requestLock` in tabs/createTabs.ts
 * how long a server has known a key                `keyAt` in send.ts
 * when calls were started, ended and forgotten     stay, for their order counts (`startTime` in forgottenTimes.ts, `dropForgotten` in forget.ts)
 * ```
 */
export function now(run: Run): number {
  const at = run.environment.now()
  const by = run.lastNow - at
  run.lastNow = at
  if (by > 0) {
    run.setBackTo = at
    run.setBackBy += by
    run.on.setBack(run, by)
  }
  return at
}

/**
 * Runs work in the order in which it comes. Called from inside other work, it only puts its own in line: the outermost call runs the
 * line, so nothing runs inside itself. What throws takes nothing else with it.
 */
export function take(run: Run, work: () => void): void {
  const { queue } = run
  queue.push(work)
  if (run.isTaking) return
  run.isTaking = true
  try {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      // A clock that was set back moves what is known, and not what comes now, which is of this clock already.
      now(run)
      next()
    }
  } finally {
    run.isTaking = false
    if (queue.length > 0) run.environment.setTimeout(() => take(run, () => {}), 0)
  }
}

export function isFollowed({ tasks, followsUnobserved }: Run, task: TaskEntry): boolean {
  return tasks.get(task.taskId) === task && (followsUnobserved || task.calls.some(({ observers }) => observers > 0))
}

/** The tasks that this tab polls. */
export function polledTaskIds({ tasks }: Run): string[] {
  return [...tasks.values()].flatMap(({ election, taskId }) => (election?.isLeader() ? taskId : []))
}
