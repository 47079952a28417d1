import type { Call, CallEvent, Circumstances, Effect } from './call.js'

/** What an event has made of a call, for whoever observes the client. */
export interface CallChange {
  readonly before: Call
  readonly event: CallEvent
  readonly after: Call
  readonly effects: readonly Effect[]
  readonly at: Circumstances
}

/** Where an observer is put, and taken away again. */
export interface CallTap {
  onChange?: ((change: CallChange) => void) | undefined
}
