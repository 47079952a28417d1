import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { TaskProgress } from '../protocol/progress.js'
import type { DetailedTask, Task, TerminalTask } from '../protocol/task.js'
import type { RecordedTask, ToolCallRecord } from '../storage/toolCallRecord.js'
import type { InputState, Inputs } from './inputs.js'
import type { PollPolicy } from './pollPolicy.js'
import type { PollState } from './pollSchedule.js'
import type { TaskMessage } from './taskMessage.js'

/** What does not change while a call goes on. */
export interface CallIdentity {
  readonly callId: string
  /** The tool's name. */
  readonly name: string
  readonly key?: string | undefined
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
  /** Of a call with a key, where its arguments are known: what the record has in place of them. */
  readonly argumentsHash?: string | undefined
  /** When the call was made, ms since the epoch. */
  readonly startedAt: number
}

/** How a call ended. */
export type Outcome = { readonly result: CallToolResult } | { readonly error: Error }

/**
 * Which tab polls the task: another one (`another-tab`); this one, once it has received what the others know
 * (`syncing`, then `checking` while it reads when the task may be polled); this one (`this-tab`).
 */
export type Poller = 'another-tab' | 'syncing' | 'checking' | 'this-tab'

/**
 * What this page has recorded of the call. `assumed`: another page has, perhaps in a storage of its own; `failed`: the
 * storage refused it; `kept`: the record is in the storage of this page; `removed`: it must not come back.
 */
export type RecordStatus = 'unwritten' | 'failed' | 'assumed' | 'kept' | 'removed'

/**
 * How a request to cancel fares: it is being sent, sent again because the server could not be
 * reached, or has been taken, in this page or another one.
 */
export type CancelStatus = 'none' | 'sending' | 'retrying' | 'requested'

/** A `tools/call` that is sent again, because its response never came. */
export interface Repeating {
  /** What the last attempt failed with. */
  readonly error: Error
  readonly failureCount: number
  readonly isOffline: boolean
}

/** How far a call has come by the notifications of the server, and when the last one came, ms since the epoch. */
export interface Notified {
  readonly progress?: TaskProgress
  readonly progressAt?: number | undefined
}

/** A call that has become a task. Plain data: who waits for its next poll is the scheduler. */
export interface Tracked extends PollState, Notified {
  readonly era: ToolCallRecord['era']
  /** When the snapshot arrived, ms since the epoch; undefined while it is the one that the task was created with. */
  readonly snapshotAt: number | undefined
  readonly record: RecordStatus
  readonly poller: Poller
  /** `queued`: due, and waiting for a free connection. */
  readonly poll: 'idle' | 'queued' | 'sent'
  /** Until when this tab waits for what the others know of the task, ms since the epoch. */
  readonly listenUntil: number
  /** Until when a poll of another tab is under way, ms since the epoch. */
  readonly foreignPollUntil: number
  /** When another tab last said that it polls, ms since the epoch; 0 where none has. */
  readonly foreignPollAt: number
  /** From when on a tab that should have polled counts as gone, ms since the epoch. */
  readonly leaderTimeoutAt: number
  /** When this page last sent a poll, ms since the epoch; 0 where it has not. */
  readonly lastPollAt: number
  /** True if the server has hinted since then that a poll would show something new. */
  readonly isHinted: boolean
  /** True if the timers of this page have come late since the poll was scheduled. */
  readonly wasLate: boolean
  /** Why nothing happens, whatever the time. */
  readonly blocked: 'offline' | 'paused' | undefined
  /** What the last poll failed with. */
  readonly failure: { readonly error: Error; readonly network: 'retrying' | 'paused' | 'ok' } | undefined
  readonly inputs: Inputs
  /** Keys of the input requests that have been answered. */
  readonly answered: readonly string[]
  readonly cancel: CancelStatus
  /** Polls in a row in which the task asks for input and nothing is left to be answered. */
  readonly idlePolls: number
}

/**
 * Where a call stands in this page. What the store shows, what the storage holds and when the scheduler wakes it are
 * projections of it.
 *
 * ```text
 * waiting ─▶ calling ─┬─────────────────────────────▶ ending ─▶ settled
 *    │                └─▶ following ◀─▶ resting ────────┘
 *    └─ another page has made the call ──┘            left: closed, forgotten or started anew
 * ```
 */
export type Call = CallIdentity &
  (
    | (Notified & { readonly stage: 'waiting'; readonly for: 'lock' | 'network' })
    | (Notified & { readonly stage: 'calling'; readonly inputs: Inputs; readonly repeating?: Repeating })
    | (Tracked & { readonly stage: 'following' })
    /** Nobody observes it, and the client follows what is observed only. */
    | (Tracked & { readonly stage: 'resting' })
    /** Its task has ended; the result is being checked. */
    | (Tracked & { readonly stage: 'ending'; readonly end: TerminalTask | Error })
    | {
        readonly stage: 'settled'
        readonly outcome: Outcome
        readonly task?: Task | undefined
        readonly endedAt: number
      }
  )

export type Following = Extract<Call, { stage: 'following' }>
export type TrackedCall = Extract<Call, { stage: 'following' | 'resting' | 'ending' }>

/** What the page and the browser look like at the moment of an event. */
export interface Circumstances {
  readonly now: number
  /** A number in [0, 1), for what must not happen in all pages at once. */
  readonly jitter: number
  /** What the server speaks, as far as that is known here: `modern` before. */
  readonly era: ToolCallRecord['era']
  readonly isOnline: boolean
  readonly isVisible: boolean
  /** True if there are no other tabs. */
  readonly isAlone: boolean
  /** True if this tab leads: it polls for all of them. */
  readonly isLeader: boolean
  /** True if it has stolen the lead from a tab that may still be polling. */
  readonly wasStolen: boolean
  /** True if the server pushes what happens to the task. */
  readonly isPushed: boolean
  /** True if the timer that led here came late: this page was frozen or asleep. */
  readonly isLate: boolean
}

/** What holds for every call of a client. */
export interface CallRules {
  readonly policy: PollPolicy
  readonly missingInput: 'wait' | 'error'
  /** Polls in `input_required` with nothing left to be answered, after which a task is stuck. */
  readonly stuckAfterPolls: number
  /** True for an input request that a handler of the app responds to. */
  readonly isHandled: (request: InputRequest) => boolean
  /** The capability that an input request needs and the client has not declared; undefined where it has. */
  readonly missingCapability: (request: InputRequest) => string | undefined
}

/** Everything that can happen to a call. */
export type CallEvent =
  /** Something that `Circumstances` show has changed, or the time has come. */
  | { readonly type: 'wake' }
  | { readonly type: 'waiting'; readonly for: 'lock' | 'network' }
  /** The call turned out to be one that another page made. */
  | { readonly type: 'found'; readonly startedAt: number }
  | { readonly type: 'sending' }
  /** The `tools/call` brought no response, and is to be sent again. */
  | { readonly type: 'call-failed'; readonly error: Error }
  /** The `tools/call` was answered by a task, which no other page knows yet. */
  | { readonly type: 'created'; readonly task: Task; readonly era: ToolCallRecord['era'] }
  /** A task that a record names is followed, also instead of the one that was. */
  | {
      readonly type: 'adopted'
      readonly task: RecordedTask
      readonly startedAt: number
      readonly era: ToolCallRecord['era']
      readonly argumentsHash?: string | undefined
    }
  | { readonly type: 'recorded'; readonly record: RecordStatus }
  | { readonly type: 'observed' }
  | { readonly type: 'unobserved' }
  /** This tab became the leader, or ceased to be. */
  | { readonly type: 'leader-changed' }
  /** When other pages have noted that the task may be polled, ms since the epoch; `unreadable`: what is recorded cannot be read. */
  | { readonly type: 'next-poll-read'; readonly nextPollAt: number | 'unreadable' | undefined }
  | { readonly type: 'poll-sent' }
  | { readonly type: 'message'; readonly message: TaskMessage; readonly isOwn: boolean }
  | { readonly type: 'pushed'; readonly task: DetailedTask }
  | { readonly type: 'push-changed' }
  /** The server hints that a poll would show something new. */
  | { readonly type: 'hint' }
  | { readonly type: 'online' }
  | { readonly type: 'page-shown' }
  /** The server has notified how far the call has come. */
  | { readonly type: 'progress'; readonly progress: TaskProgress }
  /** The clock was set back, by as many ms. */
  | { readonly type: 'clock-set-back'; readonly by: number }
  /** An input request that belongs to no task yet (multi round-trip). */
  | { readonly type: 'asked'; readonly inputKey: string; readonly request: InputRequest }
  | { readonly type: 'input'; readonly inputKey: string; readonly input: Partial<InputState> | undefined }
  | { readonly type: 'responded'; readonly inputKey: string }
  | { readonly type: 'cancel'; readonly status: CancelStatus; readonly error?: Error }
  /** `task`: the one that a record names, where this page has not followed it. */
  | { readonly type: 'settled'; readonly outcome: Outcome; readonly task?: Task }

/** What is to be done because of an event. */
export type Effect =
  | { readonly type: 'poll' }
  | { readonly type: 'post'; readonly message: TaskMessage }
  /** Read when other pages have noted that the task may be polled. */
  | { readonly type: 'read-next-poll' }
  | { readonly type: 'lead' }
  /** The task has ended, or the polling has come to this. */
  | { readonly type: 'end'; readonly end: TerminalTask | Error }
  | { readonly type: 'handle-input'; readonly inputKeys: readonly string[] }
  /** Write the record; `ifMissing`: unless the storage has it already, from the tab that posted the change. */
  | { readonly type: 'record'; readonly ifMissing?: boolean }
  | { readonly type: 'cancel-stuck' }
  /** A sign-in has failed in another tab, which has the user's attention. */
  | { readonly type: 'hold-sign-in' }
  | { readonly type: 'report'; readonly error: Error; readonly operation: 'poll' | 'respond' | 'cancel' }

/** True for a call that has become a task. */
export function isTracked(call: Call): call is TrackedCall {
  return call.stage === 'following' || call.stage === 'resting' || call.stage === 'ending'
}

/** The task that messages about are for this call; an ended one needs none. */
export function taskIdOf(call: Call): string | undefined {
  return call.stage === 'following' || call.stage === 'resting' ? call.task.taskId : undefined
}
