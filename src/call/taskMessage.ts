import type { DetailedTask } from '../protocol/task.js'

/** For how long another tab that says it is polling is believed, before it is taken for frozen, in ms. */
export const POLLING_MS = 5000

/**
 * What one tab posts to the others about a task, and what it applies to itself: a poll made in this tab and
 * one made in another lead through the same code. Times are ms since the epoch; tabs share one clock.
 */
export type TaskMessage =
  /** A poll is under way; until then no other tab needs to ask. */
  | { readonly type: 'polling'; readonly until: number }
  /** No poll is under way: the last one was given up, or its tab has gone. The next one is due then. */
  | { readonly type: 'poll-aborted'; readonly nextPollAt: number }
  /** The server has answered a call with the task: it is not polled earlier. Comes with a request for what is known. */
  | { readonly type: 'asked'; readonly nextPollAt: number }
  | {
      readonly type: 'snapshot'
      readonly task: DetailedTask
      readonly nextPollAt: number
      /** When the poll was sent; absent where the server has pushed the snapshot. */
      readonly askedAt?: number
      /** The part of the wait that the server asked for. @default the interval of the task */
      readonly earliestAt?: number
    }
  | {
      readonly type: 'poll-failed'
      readonly error: Error
      readonly failureCount: number
      readonly network: 'retrying' | 'paused'
      /** The part of the wait that the server asked for. */
      readonly earliestAt: number
      readonly nextPollAt: number
    }
  /** Nothing more can be learned of the task. */
  | { readonly type: 'ended'; readonly error: Error }
  /** The server has taken the response to an input request. */
  | { readonly type: 'responded'; readonly inputKey: string }
  | { readonly type: 'cancelling'; readonly isCancelling: boolean }
