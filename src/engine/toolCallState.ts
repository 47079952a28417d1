import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { Task } from '../protocol/task.js'

/**
 * Where a call stands. `calling` until the server has answered the `tools/call`, then the status of
 * the task; a call that is answered at once goes from `calling` to `completed`. An error of any kind
 * but a cancellation ends in `failed`; `error` says which.
 */
export type ToolCallPhase = 'calling' | 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/**
 * How polling fares: `ok`; `retrying` after a failure that may pass; `offline` while the browser says
 * so; `paused` while there is nothing to do but wait (hidden with `poll.hidden: 'pause'`, or credentials are missing).
 */
export type ToolCallNetwork = 'ok' | 'retrying' | 'offline' | 'paused'

/** A tool call as the store and the hooks show it: plain data, a new reference only where something changed. */
export interface ToolCallState {
  readonly callId: string
  /** The tool's name. */
  readonly name: string
  /** The arguments, in the page that made the call. They are never stored, so after a reload they are absent. */
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly phase: ToolCallPhase
  /** The newest snapshot of the task, where the call became one. */
  readonly task?: Task
  /** The questions still to be answered, by key. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  readonly result?: CallToolResult
  readonly error?: Error
  /** From `cancel()` until the server's truth arrives. */
  readonly isCancelling: boolean
  readonly network: ToolCallNetwork
  /** Polls that failed in a row. */
  readonly failureCount: number
  /** What the last of them failed with. Gone with the next answer. */
  readonly lastError?: Error
  /** When the task is polled next, ms since the epoch. Absent while nothing is scheduled. */
  readonly nextPollAt?: number
  /** When the call was made, ms since the epoch, by this browser's clock. */
  readonly startedAt: number
}
