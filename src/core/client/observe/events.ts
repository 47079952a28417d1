import type { TaskRequestFailure } from '../../protocol/errors.js'
import type { TaskStatus } from '../../protocol/task.js'
import type { PollReason } from '../../record/decide.js'

export type { PollReason }

/** The members that all observations of a call have. */
export interface ObservedCall {
  /** The time, in ms since the epoch. */
  readonly at: number
  readonly callId: string
  /** The tool's name. */
  readonly tool: string
  /** A short hash of the task's id, if there is a task. The id itself is a capability, so it is left out. */
  readonly task?: string
}

/** The next scheduled poll: its time, in ms since the epoch, and the reason for that time. */
export interface ScheduledPoll {
  readonly nextPollAt?: number
  readonly nextReason?: PollReason
}

/** An event of a call. */
export type CallObservation = ObservedCall &
  (
    | { readonly type: 'call-started' }
    /** The client sends the `tools/call`. */
    | { readonly type: 'call-sent' }
    | {
        readonly type: 'call-settled'
        readonly phase: 'completed' | 'failed' | 'cancelled'
        /** The time since the start of the call, in ms. */
        readonly ms: number
        readonly error?: Error
        /** True if the result of the call has `isError: true`. */
        readonly isError?: true
      }
    | ({
        readonly type: 'task-created'
        readonly pollIntervalMs?: number
        readonly ttlMs: number | null
      } & ScheduledPoll)
    /** This page follows a task that it knows from a record or from another tab. */
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
        /** The `kind` of a `TaskRequestError`, `protocol` for a `TaskProtocolError`, or `other`. */
        readonly kind: TaskRequestFailure | 'protocol' | 'other'
        readonly error: Error
        /** How many polls have failed in a row. */
        readonly failureCount: number
      } & ScheduledPoll)
    /** The server starts, or stops, pushing changes of the task. */
    | ({ readonly type: 'push-opened' } & ScheduledPoll)
    | ({ readonly type: 'push-closed' } & ScheduledPoll)
    | ({ readonly type: 'push-event'; readonly status: TaskStatus; readonly isUnchanged: boolean } & ScheduledPoll)
    /** Another tab, which polls for all tabs or has received a push, reports the state of the task. */
    | { readonly type: 'tab-event'; readonly status: TaskStatus; readonly isUnchanged: boolean }
    | {
        readonly type: 'input-asked' | 'input-sent' | 'input-acknowledged' | 'input-withdrawn'
        /** The key of the input request. The id of the task is replaced in it, if it is there. */
        readonly inputKey: string
      }
    | { readonly type: 'input-rejected'; readonly inputKey: string; readonly error?: Error }
    /** `requested`: the server has accepted the cancellation. `refused`: the server has refused it. */
    | { readonly type: 'cancel'; readonly status: 'sending' | 'retrying' | 'requested' | 'refused' }
    | { readonly type: 'record-written' | 'record-failed' | 'record-removed' }
    /** From now on this tab polls the task, or another tab does. */
    | { readonly type: 'leader-gained' | 'leader-lost' }
  )

/** An event of the page. */
export interface PageObservation {
  readonly type: 'page'
  readonly at: number
  /** `frozen`: the browser is about to freeze or unload the page. `restored`: the page is back. */
  readonly state: 'visible' | 'hidden' | 'frozen' | 'restored' | 'online' | 'offline'
}

/** The members that all observations of messages have. */
export interface ObservedMessage {
  /** The time, in ms since the epoch. */
  readonly at: number
  /**
   * The number of the request, counted from the first one. Its response has the same number, and so has each message in the
   * stream of the response.
   */
  readonly exchange: number
  /** The method of the JSON-RPC message, or the HTTP method if the exchange has no such message. */
  readonly method?: string
  /** The id of the JSON-RPC message. */
  readonly id?: string | number
  /** A short hash of the id of the task that the message names, as in the observations of its call. */
  readonly task?: string
  /**
   * The message as JSON, cut off after 10,000 characters. Ids of tasks are replaced by short hashes; arguments and results
   * are unchanged. Absent for bodies that are not JSON-RPC, such as those of a sign-in.
   */
  readonly body?: string
  /** The size of the body, in bytes. */
  readonly size?: number
}

/** The headers, by their names in lower case. Values that may be credentials are `[redacted]`. */
export type WireHeaders = Readonly<Record<string, string>>

/**
 * A message that was sent or received. If the app passes its own SDK client, there are no HTTP details; with a client of
 * SDK v1, there are no messages.
 */
export type WireObservation = ObservedMessage &
  (
    | {
        readonly type: 'wire-sent'
        readonly http?: {
          readonly method: string
          /** The URL without its query. */
          readonly url: string
          readonly headers: WireHeaders
        }
      }
    | {
        readonly type: 'wire-answered'
        /** The time from the request to the beginning of the response, in ms. */
        readonly ms: number
        readonly http?: { readonly status: number; readonly headers: WireHeaders }
        /** True if the response is a stream. Its messages come as `wire-event`. */
        readonly isStream?: boolean
      }
    /** The request got no response. */
    | { readonly type: 'wire-failed'; readonly ms: number; readonly message: string }
    /** A message that the server sent in a stream, or without a request. */
    | { readonly type: 'wire-event' }
  )

/** Options of `client.observe`. */
export interface ObserveOptions {
  /**
   * Whether to report messages as well (`WireObservation`). Their bodies contain what users type and what tools return:
   * keep them out of logs.
   * @default false
   */
  readonly wire?: boolean
}

/** An event that `client.observe` reports. */
export type TaskClientObservation = CallObservation | PageObservation | WireObservation
