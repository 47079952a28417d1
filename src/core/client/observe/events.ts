import type { TaskRequestFailure } from '../../protocol/errors.js'
import type { TaskStatus } from '../../protocol/task.js'
import type { PollReason } from '../../record/decide.js'

export type { PollReason }

/** The members that all observations of a call have. */
export interface ObservedCall {
  /** When, ms since the epoch. */
  readonly at: number
  readonly callId: string
  /** The tool's name. */
  readonly tool: string
  /** A short hash of the task's id, where there is a task: the id itself is a capability. */
  readonly task?: string
}

/** A scheduled poll: its time, in ms since the epoch, and the reason for that time. */
export interface ScheduledPoll {
  readonly nextPollAt?: number
  readonly nextReason?: PollReason
}

/** Something that has happened to a call. */
export type CallObservation = ObservedCall &
  (
    | { readonly type: 'call-started' }
    /** The `tools/call` goes out. */
    | { readonly type: 'call-sent' }
    | {
        readonly type: 'call-settled'
        readonly phase: 'completed' | 'failed' | 'cancelled'
        /** From its start, in ms. */
        readonly ms: number
        readonly error?: Error
        /** True where it completed with a result of which the tool says that it is an error. */
        readonly isError?: true
      }
    | ({
        readonly type: 'task-created'
        readonly pollIntervalMs?: number
        readonly ttlMs: number | null
      } & ScheduledPoll)
    /** A task that a record names, or another tab, is followed here. */
    | ({ readonly type: 'task-resumed' } & ScheduledPoll)
    | { readonly type: 'poll-sent'; readonly reason: PollReason }
    | ({
        readonly type: 'poll-answered'
        /** How long the server took, in ms. */
        readonly ms: number
        readonly status: TaskStatus
        readonly isUnchanged: boolean
      } & ScheduledPoll)
    | ({
        readonly type: 'poll-failed'
        readonly ms: number
        /** As `TaskRequestError.kind` has it, or what else went wrong. */
        readonly kind: TaskRequestFailure | 'protocol' | 'other'
        readonly error: Error
        /** Failures in a row. */
        readonly failureCount: number
      } & ScheduledPoll)
    /** The server begins, or ceases, to push what happens to the task. */
    | ({ readonly type: 'push-opened' } & ScheduledPoll)
    | ({ readonly type: 'push-closed' } & ScheduledPoll)
    | ({ readonly type: 'push-event'; readonly status: TaskStatus; readonly isUnchanged: boolean } & ScheduledPoll)
    /** Another tab, which polls for all, or has a push, says how the task is. */
    | { readonly type: 'tab-event'; readonly status: TaskStatus; readonly isUnchanged: boolean }
    | {
        readonly type: 'input-asked' | 'input-sent' | 'input-acknowledged' | 'input-withdrawn'
        readonly inputKey: string
      }
    | { readonly type: 'input-rejected'; readonly inputKey: string; readonly error?: Error }
    /** `requested`: the server has taken it. `refused`: it has not. */
    | { readonly type: 'cancel'; readonly status: 'sending' | 'retrying' | 'requested' | 'refused' }
    | { readonly type: 'record-written' | 'record-failed' | 'record-removed' }
    /** This tab polls the task from now on, or another one does. */
    | { readonly type: 'leader-gained' | 'leader-lost' }
  )

/** Something that has happened to the page. */
export interface PageObservation {
  readonly type: 'page'
  readonly at: number
  /** `frozen`: about to be put aside, or unloaded; `restored`: back from it. */
  readonly state: 'visible' | 'hidden' | 'frozen' | 'restored' | 'online' | 'offline'
}

/** The members that all observations of the wire have: the message they are about. */
export interface ObservedMessage {
  /** When, ms since the epoch. */
  readonly at: number
  /** Counts what was sent: a response, and what comes in its stream, has the number of its request. */
  readonly exchange: number
  /** The method of the JSON-RPC message, or the HTTP method if the exchange has no such message. */
  readonly method?: string
  /** The id of the JSON-RPC message. */
  readonly id?: string | number
  /** A short hash of the id of the task that the message names, as in the observations of its call. */
  readonly task?: string
  /**
   * The message as JSON, at most 10,000 characters of it. The ids of tasks are short hashes in it; arguments and results are as
   * they are. Bodies that are not JSON-RPC, such as those of a sign-in, are not shown.
   */
  readonly body?: string
  /** Of the body, in bytes. */
  readonly size?: number
}

/** The headers by their names in lower case. Values that may be credentials are `[redacted]`. */
export type WireHeaders = Readonly<Record<string, string>>

/**
 * A message that was sent or received. With an SDK client of the app there are no HTTP details; with one of SDK v1 there are
 * no messages.
 */
export type WireObservation = ObservedMessage &
  (
    | {
        readonly type: 'wire-sent'
        readonly http?: {
          readonly method: string
          /** Without its query. */
          readonly url: string
          readonly headers: WireHeaders
        }
      }
    | {
        readonly type: 'wire-answered'
        /** From the request to the beginning of the response. */
        readonly ms: number
        readonly http?: { readonly status: number; readonly headers: WireHeaders }
        /** True if the response is a stream. Its messages come as `wire-event`. */
        readonly isStream?: boolean
      }
    /** No response came. */
    | { readonly type: 'wire-failed'; readonly ms: number; readonly message: string }
    /** A message that the server sent in a stream, or unasked. */
    | { readonly type: 'wire-event' }
  )

/** How a client is observed. */
export interface ObserveOptions {
  /**
   * Whether to report messages, too (`WireObservation`). Their bodies contain what users type and what tools return: keep
   * them out of logs.
   * @default false
   */
  readonly wire?: boolean
}

/** An event that `client.observe` reports. */
export type TaskClientObservation = CallObservation | PageObservation | WireObservation
