import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { TaskProgress } from '../protocol/progress.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { Task } from '../protocol/task.js'

// To add a phase, change in this order:
// 1. for a status of tasks: protocol/task.ts, which refuses those that it does not know, and where they are to say it,
//    src/sdk/legacy/snapshots.ts, core/wire/jobs, src/server and src/tools/testing; where single ones are asked for, src/sdk/withTasks and
//    src/tools/diagnose/followTask.ts. A page of an earlier version cannot read a record with it, and calls the tool again: raise `VERSION`
//    in codec.ts, as is said there
// 2. the interface below that it belongs to, and `isSettled` if it is an end
// 3. `show.ts`: of which stage of a call (call.ts) or status of its task it is the phase. A stage of its own is added in call.ts
// 4. what `npx tsc` points to: `PHASES` below, the counts of a group (client/toolCallGroup.ts), the tones of calls in
//    src/tools/devtools/model and demo/app/calls
// 5. what asks for single phases, which only a search for `phase ===` and `phase !==` finds: in src/bridge (page, server, wire, backend,
//    delivery), src/tools (devtools, page, ai, alarms), src/bindings (forms, shared), demo/app, examples and create/templates. One
//    that is an end: record/headingOf.ts and client/observe/events.ts, too. Pages of an earlier version do not show a call of a backend
//    whose phase they do not know (bridge/wire/decodeCall.ts)
// `learn`, `failed`, `merge`, `decide` and `planStart` ask only whether a task has ended or waits for input, and need no change.

/**
 * The phase of a call: `calling` until the server has responded to the `tools/call`, then the status of the task. It is also
 * `input_required` if the server asks for input before there is a task. A call that is answered at once goes from `calling`
 * to `completed`. Any error except a cancellation leads to `failed`; `error` says which error it was. `ended` means that the
 * call ended in an earlier visit, and its outcome is not fetched yet.
 */
export type ToolCallPhase = ToolCallState['phase']

/**
 * The state of the requests for a call: `ok`; `retrying` after a failure that may be temporary; `offline` while the browser
 * is offline; `paused` while the client waits because the page is hidden (with `poll.hidden: 'pause'`) or credentials are
 * missing.
 */
export type ToolCallNetwork = 'ok' | 'retrying' | 'offline' | 'paused'

/** The state of the response to an input request, from `respond()` until the server has accepted it. */
export type InputResponseState =
  /**
   * The client checks and sends the response. `isRetrying`: it sends the response again, because the server could not be
   * reached.
   */
  | { readonly status: 'sending'; readonly isRetrying: boolean }
  /** The response was not accepted. The input request is open again. */
  | { readonly status: 'rejected'; readonly isRetrying: false; readonly error: Error }

interface ToolCallStateBase {
  readonly callId: string
  /** The tool's name. */
  readonly name: string
  /** The key of the call. For a query without a key, it is derived from the arguments. */
  readonly key?: string
  /**
   * The app's own note on the call. It is also there after a reload, in other tabs, and wherever the record of the call is
   * read.
   */
  readonly meta?: ToolCallMeta
  /** The arguments, only in the page that made the call. They are never stored, so they are absent after a reload. */
  readonly arguments?: Readonly<Record<string, unknown>>
  /** The newest snapshot of the task, if the call became one. */
  readonly task?: Task
  /**
   * The progress of the work, in numbers. Absent if the server reports none (see `progress()` of a tool in
   * `taskwire/server`), and once the call has ended. With a 2025-11-25 server, it comes from progress notifications and
   * never decreases.
   */
  readonly progress?: TaskProgress
  /** The input requests that the server still waits for, by key. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** The responses on their way, by the key of their input request. */
  readonly inputResponses: Readonly<Record<string, InputResponseState>>
  /** True from `cancel()` until the server reports how the task ended, or refuses to cancel it. */
  readonly isCancelling: boolean
  /**
   * The state of the cancellation. `sending`: the client sends it, in this tab or another one. `retrying`: the client sends it again, because the
   * server could not be reached. `requested`: the server has accepted it, and the task has not stopped yet. Absent if the call is not being cancelled.
   */
  readonly cancelStatus?: 'sending' | 'retrying' | 'requested'
  readonly network: ToolCallNetwork
  /** How many polls, or attempts to send the `tools/call`, have failed in a row. */
  readonly failureCount: number
  /** The error of the last failed poll. The next response removes it. */
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
 * A call that ended in an earlier visit, according to its record. `task.status` says how it ended. The client fetches the
 * outcome from the server, with one `tasks/get`, when it is first needed: by `client.getToolCall(callId)`,
 * `useToolCallState({ callId })`, or a hook with the call's key.
 */
export interface EndedToolCall extends ToolCallStateBase {
  readonly phase: 'ended'
  readonly result?: never
  readonly error?: never
  /** When the end of the call was recorded, ms since the epoch. */
  readonly endedAt: number
}

/** A call with a result, which may have `isError: true`. */
export interface CompletedToolCall extends ToolCallStateBase {
  readonly phase: 'completed'
  readonly result: CallToolResult
  readonly error?: never
  /** When this page learned the outcome, ms since the epoch. */
  readonly endedAt: number
}

/** A call without a result. */
export interface FailedToolCall extends ToolCallStateBase {
  readonly phase: 'failed' | 'cancelled'
  readonly result?: never
  readonly error: Error
  /** When this page learned the outcome, ms since the epoch. */
  readonly endedAt: number
}

/**
 * The state of a tool call in the store and in hooks. It is plain data, and a new object only if its content has changed.
 * `phase` distinguishes the kinds: a `completed` call has a `result`, a `failed` or `cancelled` call has an `error`, and a
 * call that `ended` in an earlier visit has neither yet.
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
