import type { Unsubscribe } from '../environment/environment.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import type { Call } from '../record/call.js'
import type { CallRecord, TaskRecord } from '../record/record.js'
import { show } from '../record/show.js'
import type { ToolCallState } from '../record/toolCallState.js'
import type { Election } from '../tabs/tabs.js'
import type { Wakeable } from '../time/wakeQueue.js'

/**
 * A call of this page: its value, and what only this page does for it. Nothing here says what the value says.
 *
 * What an abort ends:
 *
 * ```text
 * signal of the app, detach()    this handle alone: its promise rejects. The call continues. Only a signal that is aborted when the call is
 *                                started keeps it from being made.
 * cancel() of a task             nothing here. `tasks/cancel` is sent, and polled until the server says how the task ended.
 * cancel() before the lock       nothing yet, where another page may have made the call (`mayBeMade` in requests.ts). If it has,
 *                                its task is cancelled on the server; if not, the call is not made. This tab tells the other tabs,
 *                                which do the same (`cancelTold`).
 * cancel() before a task, else   `abort`: the connection, the `tools/call`. The call settles as cancelled. If it was sent, its intent
 *                                stays, and says so: the tool may run all the same, this page does not know the id of its task, and no
 *                                later one is to send the call again. A task whose response came before the abort is followed, and
 *                                cancelled on the server (`resumeCancel` in requests.ts).
 * cancel() of one that has ended nothing, also while its result is still being validated.
 * the call is left: forget(),    `abort`: the `tools/call`; unless another call follows the task, also its polls, each response and each
 * close(), or it is made again   cancellation on its way. Their promises reject with the reason, that of a response in line with a
 * (`startToolCall`)              `TaskInputError`. The server continues the task.
 * a settled call is forgotten,   a response or cancellation that is still on its way. If it is made again instead, that ends nothing.
 * closed, or dropped as old      (`dropCall` in pageCalls.ts)
 * input request withdrawn        the response to it, unless its delivery has begun.
 * page away, frozen; lead lost   the poll under way: it counts as sent, and no failure is noted.
 * the last observer leaves       with `resume: 'lazy'`, the polls of the task, until somebody waits for it again. Whoever cancels it waits
 *                                for its end, unless the server refuses.
 * the call settles               the polls of its task. A response or cancellation on its way is still delivered, until the
 *                                client is closed; unless the task is lost, or the server given up (`endsDelivery` in settle.ts).
 * ```
 */
export interface CallEntry {
  call: Call
  /** `call` as the store shows it. */
  shown: ToolCallState
  /** What this page knows of its task. */
  task: TaskEntry | undefined
  readonly outcome: Promise<CallToolResult>
  readonly resolve: (result: CallToolResult) => void
  readonly reject: (error: unknown) => void
  /** How many handles and components wait for the outcome. */
  observers: number
  /**
   * Aborts what is under way for the call: the `tools/call` and what precedes it; from its task on, what is sent for that. It is
   * not the signal of the caller, which ends only the handle.
   */
  abort: AbortController | undefined
  /**
   * Resolves when the call, started in this page, has its outcome, or when its task is written down, or cannot be; also a task that the app has named.
   * Undefined where another page has made the call, and has written its record first (`dropForgotten` in forget.ts).
   */
  started: Promise<void> | undefined
  /**
   * Whether the storage has the record, as far as this page knows: `unwritten`, not yet; `there`, written or read by this page;
   * `assumed`, as another tab has told of it; `refused`, as it could not be written; `removed`, and must not come back.
   */
  kept: 'unwritten' | 'refused' | 'assumed' | 'there' | 'removed'
  /** What was recorded of a call that has settled, for a tab that asks because it cannot read the storage. */
  lastRecord: CallRecord | undefined
  /** True if the call ended before this page asked for it: `onToolCallSettled` listeners are not called. */
  hadEnded: boolean
  /** True where the call of its key counts, whatever the arguments of that were. */
  takesAny: boolean
  /** Responses to what it asks before there is a task. */
  pending: Map<string, PendingResponse> | undefined
}

/**
 * A task of this page. Calls that the server has answered with one task share it.
 *
 * When the next poll is due, `nextPoll` says (decide.ts). What holds this page back while others may know more:
 *
 * ```text
 *                set when                                                 holds back
 * listenUntil    it begins to follow the task, has woken late, is back or   polls, and taking the lead: `decide` waits
 *                online again, has lost the lead, tries to take it
 * noteReads      it gains the lead or finds the task, and reads what the    the same, until the storage answers
 *                tab before has noted (`readNote` in leading.ts)
 * doubtfulSince  its messages may be late, as above (`listen`); the page    responses, until the server is heard or the other tabs had
 *                goes away, until it is back                                time to tell (knownAnswers.ts); no polls
 * wasLate        a timer came late, or the message by which it began to     not listening because the next timer is late, too (those of
 *                follow the task; until a timer is in time                  a throttled page always are); polls, where it gains the lead
 * ```
 */
export interface TaskEntry extends Wakeable {
  readonly taskId: string
  record: TaskRecord
  /** Those that follow it. */
  readonly calls: CallEntry[]
  /** The election of the tab that polls it, and what leaves it; undefined while it is not followed. */
  election: Election | undefined
  leaveElection: Unsubscribe | undefined
  /** `queued`: due, and in line for a free connection. `sent`: its request has gone out. */
  poll: 'idle' | 'queued' | 'sent'
  /** Until when this tab waits for what others may have to say, ms since the epoch. */
  listenUntil: number
  /** Since when what this page knows may be old, ms since the epoch; Infinity while the page is away. */
  doubtfulSince: number
  /** Called when the server was heard since then. */
  onHeard: (() => void)[]
  /** How many reads of the stored record are under way. */
  noteReads: number
  /** True if the last timer came late, or the first message: the page was frozen, or its timers are throttled. */
  wasLate: boolean
  /** How many polls of this page were cut off, by another tab or as the page went away, since the server was last heard of. */
  cutOffs: number
  /** When this page last sent a poll. */
  ownSentAt: number
  /** Responses to its input requests that are being made in this page. */
  pending: Map<string, PendingResponse> | undefined
  /** The `tasks/cancel` under way. */
  cancelDelivery: Promise<void> | undefined
}

/** A response of this page that the server has not taken yet. */
export interface PendingResponse {
  /** Aborted when the server withdraws the input request. */
  readonly controller: AbortController
  /** Gives the response to an input request that belongs to no task. */
  readonly resolve: ((response: InputResponse) => void) | undefined
  /** What `respond()` was called with, and what it returned. */
  sent: { readonly response: InputResponse; readonly promise: Promise<void> } | undefined
}

/** Why a call waits for its lock no longer. */
export const TOLD: Error = new Error('Another tab has made the call.')

/** Why a call is not sent: another process has its lock by now and may have made it, or their storage has no record of it. */
export const LOCK_LOST: Error = new Error('Another process may have made the call.')

export function createCallEntry(call: Call): CallEntry {
  let resolve: CallEntry['resolve'] = () => {}
  let reject: CallEntry['reject'] = () => {}
  const outcome = new Promise<CallToolResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Callers that want the outcome await it; the store has it in any case.
  outcome.catch(() => {})
  return {
    call,
    shown: show(call, undefined),
    task: undefined,
    outcome,
    resolve,
    reject,
    observers: 0,
    abort: undefined,
    started: undefined,
    kept: 'unwritten',
    lastRecord: undefined,
    hadEnded: false,
    takesAny: false,
    pending: undefined,
  }
}

/** A signal that is aborted when the call is left. */
export function leftSignal(entry: CallEntry): AbortSignal {
  const { stage } = entry.call
  entry.abort ??= new AbortController()
  if (stage.name === 'left') entry.abort.abort(stage.reason)
  return entry.abort.signal
}

export function createTaskEntry(record: TaskRecord): TaskEntry {
  return {
    taskId: record.task.taskId,
    record,
    calls: [],
    election: undefined,
    leaveElection: undefined,
    poll: 'idle',
    listenUntil: 0,
    doubtfulSince: 0,
    onHeard: [],
    noteReads: 0,
    wasLate: false,
    cutOffs: 0,
    ownSentAt: 0,
    pending: undefined,
    cancelDelivery: undefined,
    wakeAt: 0,
    place: -1,
  }
}
