import type { Call } from '../record/call.js'
import type { PollReason } from '../record/decide.js'
import type { TaskRecord } from '../record/record.js'

/** What a change of a call or of its task came from. */
export type Source =
  /** The app, or the start of the call. */
  | 'call'
  /** The `tools/call` goes out. */
  | 'sent'
  | 'created'
  | 'resumed'
  | 'poll-sent'
  /** A response to a poll, or a failure. */
  | 'poll'
  | 'push'
  /** The task begins, or ceases, to be pushed. */
  | 'push-opened'
  | 'push-closed'
  | 'hint'
  | 'online'
  /** Another tab. */
  | 'tab'
  | 'storage'
  | 'leader'
  /** An answer or a cancellation of this page. */
  | 'here'
  | 'record-written'
  | 'record-failed'
  | 'record-removed'

/** What is known of a call. */
export interface Known {
  readonly call: Call
  readonly task: TaskRecord | undefined
}

/** What something has made of a call, for whoever observes the client: the difference of two records. */
export interface CallChange extends Record<'before' | 'after', Known> {
  readonly at: number
  readonly from: Source
  /** When the task is polled next, ms since the epoch, and why then. */
  readonly next: { readonly at: number; readonly why: PollReason } | undefined
  /** True if this tab polls the task. */
  readonly isLeader: boolean
}

/** Where an observer is put, and taken away again. */
export interface CallTap {
  onChange?: ((change: CallChange) => void) | undefined
}
