import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { TaskProgress } from '../protocol/progress.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { Task } from '../protocol/task.js'

/**
 * The phase of a call: `calling` until the server has responded to the `tools/call`, then the status of the task; `input_required`
 * also where the server asks before there is a task. A call that is answered at once goes from `calling` to `completed`. Any error except a cancellation leads to `failed`; `error`
 * says which one it was. `ended` means that the call ended in an earlier visit, and its outcome is still to be fetched.
 *
 * To add one, change in this order:
 * 1. the interface below that it belongs to, and `isSettled` if it is an end
 * 2. `show.ts`: of which stage of a call (call.ts) or status of its task it is the phase. A stage of its own is added in call.ts
 * 3. what `npx tsc` points to: `PHASES` below, the counts of a group (client/toolCallGroup.ts), tones in the devtools and the demo
 * 4. what asks for single phases, which only a search for `phase ===` and `phase !==` in src finds: most is in src/bridge and src/tools
 */
export type ToolCallPhase = ToolCallState['phase']

/**
 * The state of polling, or of sending the `tools/call` again: `ok`; `retrying` after a failure that may pass; `offline` while
 * the browser says so; `paused` while there is nothing to do but wait (hidden with `poll.hidden: 'pause'`, or credentials are
 * missing).
 */
export type ToolCallNetwork = 'ok' | 'retrying' | 'offline' | 'paused'

/** The state of the response to an input request, from `respond()` until the server has taken it. */
export type InputResponseState =
  /** The response is being checked and sent. `isRetrying`: the server could not be reached, so it is sent again. */
  | { readonly status: 'sending'; readonly isRetrying: boolean }
  /** The response was not accepted. The input request is open again. */
  | { readonly status: 'rejected'; readonly isRetrying: false; readonly error: Error }

interface ToolCallStateBase {
  readonly callId: string
  /** The tool's name. */
  readonly name: string
  /** The key that the call was made with. Of a query without one it stands for the arguments. */
  readonly key?: string
  /** The app's own note on the call. It is there after a reload, in other tabs, and wherever its record is. */
  readonly meta?: ToolCallMeta
  /** The arguments, in the page that made the call. They are never stored, so after a reload they are absent. */
  readonly arguments?: Readonly<Record<string, unknown>>
  /** The newest snapshot of the task, where the call became one. */
  readonly task?: Task
  /**
   * The progress of the work, in numbers. Absent where the server gives none (see `progress()` of a tool in
   * `taskwire/server`), and once the call has ended. Of a 2025-11-25 server what it notifies, which never goes back.
   */
  readonly progress?: TaskProgress
  /** The input requests that the server still waits for, by key. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** The responses on their way, by the key of their input request. */
  readonly inputResponses: Readonly<Record<string, InputResponseState>>
  /** True from `cancel()` until the server reports how the task ended, or refuses to cancel it. */
  readonly isCancelling: boolean
  /**
   * The state of the cancellation: it is being sent, sent again because the server could not be reached, or accepted by the
   * server while the task keeps running until it stops. Absent if the call is not being cancelled.
   */
  readonly cancelStatus?: 'sending' | 'retrying' | 'requested'
  readonly network: ToolCallNetwork
  /** Polls that failed in a row, or attempts to send the `tools/call`. */
  readonly failureCount: number
  /** The error of the last failed poll. Removed by the next response. */
  readonly lastError?: Error
  /** When the call was made, ms since the epoch, by this browser's clock. */
  readonly startedAt: number
}

/** A call that has not ended. */
export interface RunningToolCall extends ToolCallStateBase {
  readonly phase: 'calling' | 'working' | 'input_required'
  readonly result?: never
  readonly error?: never
  readonly endedAt?: never
}

/**
 * A call that ended in an earlier visit, as recorded: `task.status` says how. Its outcome is fetched from the server, by one
 * `tasks/get`, when it is first needed: `client.getToolCall(callId)`, `useToolCallState(callId)`, a hook with its key.
 */
export interface EndedToolCall extends ToolCallStateBase {
  readonly phase: 'ended'
  readonly result?: never
  readonly error?: never
  /** When its end was recorded, ms since the epoch. */
  readonly endedAt: number
}

/** A call with a result, `isError: true` included. */
export interface CompletedToolCall extends ToolCallStateBase {
  readonly phase: 'completed'
  readonly result: CallToolResult
  readonly error?: never
  /** When the outcome was known in this page, ms since the epoch. */
  readonly endedAt: number
}

/** A call without a result. */
export interface FailedToolCall extends ToolCallStateBase {
  readonly phase: 'failed' | 'cancelled'
  readonly result?: never
  readonly error: Error
  /** When the outcome was known in this page, ms since the epoch. */
  readonly endedAt: number
}

/**
 * A tool call as the store and the hooks show it: plain data. Its reference changes only if its content does. `phase` tells
 * the kinds apart: a `completed` call has a `result`, a `failed` or `cancelled` one an `error`, and one that `ended` in an
 * earlier visit has neither yet.
 */
export type ToolCallState = RunningToolCall | EndedToolCall | SettledToolCall

/** A call with an outcome. */
export type SettledToolCall = CompletedToolCall | FailedToolCall

/** True where nothing that happens can change the state any more. */
export function isSettled(state: ToolCallState): state is SettledToolCall {
  return state.phase === 'completed' || state.phase === 'failed' || state.phase === 'cancelled'
}

const PHASES: Record<ToolCallPhase, true> = {
  calling: true,
  working: true,
  input_required: true,
  ended: true,
  completed: true,
  failed: true,
  cancelled: true,
}

export const isPhase = (value: unknown): value is ToolCallPhase =>
  typeof value === 'string' && Object.hasOwn(PHASES, value)

/** What people read of a call: the `title` that the app has noted in its `meta`, else the name of its tool. */
export function titleOf({ name, meta }: { readonly name: string; readonly meta?: object | undefined }): string {
  const title: unknown = Object(meta).title
  return typeof title === 'string' && title !== '' ? title : name
}
