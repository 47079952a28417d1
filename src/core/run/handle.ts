import type { Unsubscribe } from '../environment/environment.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { ignoreRejection } from '../protocol/ignoreRejection.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { nextPoll } from '../record/decide.js'
import type { ToolCallState } from '../record/toolCallState.js'
import { abortError, onAbort } from '../time/abort.js'
import type { CallEntry } from './entries.js'
import { joinOrLeave } from './following.js'
import { cancel } from './requests.js'
import { isFollowed, type Run } from './run.js'

/** A handle on a call, as `ToolCall` of the client describes it. */
export interface CallHandle {
  readonly callId: string
  readonly result: Promise<CallToolResult>
  getState(): ToolCallState
  readonly nextPollAt: number | undefined
  readonly lastHeardAt: number | undefined
  subscribe(listener: (state: ToolCallState) => void): () => void
  cancel(): Promise<void>
  detach(): void
  respond(inputKey: string, response: InputResponse): Promise<void>
}

/**
 * A handle on a call. Any number of them share one; each waits and detaches on its own. A task that is followed while observed is
 * followed for the sake of each that waits for its result.
 *
 * @param observes True if this handle waits for the result; else it does once somebody reads its `result`.
 * @param signal Ends the waiting of this handle, as `detach()` does: see the table of `CallEntry`.
 */
export function createHandle(run: Run, entry: CallEntry, observes = true, signal?: AbortSignal): CallHandle {
  const { callId } = entry.call
  let waiting: Waiting<CallToolResult> | undefined
  const wait = () => {
    waiting ??= waitFor(entry.outcome, signal, observe(run, entry))
    return waiting.result
  }
  if (observes) void wait()
  return {
    callId,
    get result() {
      return wait()
    },
    getState: () => entry.shown,
    get nextPollAt() {
      const { task } = entry
      const isPolled = task !== undefined && task.record.end === undefined && isFollowed(run, task)
      return isPolled ? nextPoll(task.record, run.rules.policy).at : undefined
    },
    get lastHeardAt() {
      const { call, task } = entry
      if (task !== undefined) return Math.max(task.record.heardAt, call.progressAt)
      return call.stage.name === 'settled' ? call.stage.endedAt : call.progressAt || undefined
    },
    subscribe: (listener) => onShown(entry, (onChange) => run.store.subscribeCall(callId, onChange), listener),
    cancel: () => {
      // What it comes to is to be shown, also where nothing else waits for that.
      const ending = waitFor(entry.outcome, undefined, observe(run, entry))
      const cancelling = cancel(run, entry)
      cancelling.catch(() => ending.detach())
      return cancelling
    },
    detach: () => {
      waiting ??= waitFor(entry.outcome, signal)
      waiting.detach()
    },
    respond: (inputKey, response) => ignoreRejection(run.answers.respond(run, entry, inputKey, response)),
  }
}

/** Counts one more that waits for the outcome of a call. Returns a function that takes it away again. */
function observe(run: Run, entry: CallEntry): (() => void) | undefined {
  if (run.followsUnobserved) return undefined
  const count = (by: number) => {
    entry.observers += by
    if (entry.task !== undefined) joinOrLeave(run, entry.task)
  }
  count(1)
  // A component that unmounts and mounts again in the same turn has not gone away.
  return () => void run.environment.setTimeout(() => count(-1), 0)
}

/** One who waits for the outcome of a call. */
export interface Waiting<Result> {
  readonly result: Promise<Result>
  /** Rejects `result`. The call is none of its business any longer, and is not changed by that. */
  detach(reason?: unknown): void
}

/** Waits for an outcome until it is there, or the signal aborts. Calls `onEnd` then. */
export function waitFor<Result>(
  outcome: Promise<Result>,
  signal: AbortSignal | undefined,
  onEnd: () => void = () => {},
): Waiting<Result> {
  let reject: (reason: unknown) => void = () => {}
  const result = new Promise<Result>((resolve, refuse) => {
    reject = refuse
    outcome.then(resolve, refuse)
  })
  const stopListening = signal ? onAbort(signal, () => reject(signal.reason)) : () => {}
  const end = () => {
    stopListening()
    onEnd()
  }
  result.then(end, end)
  return { result, detach: (reason = abortError('Detached from the call; its task keeps running.')) => reject(reason) }
}

/** Calls the listener with what is shown of a call, whenever that is another one. */
export function onShown(
  entry: { readonly shown: ToolCallState },
  subscribe: (listener: () => void) => Unsubscribe,
  listener: (state: ToolCallState) => void,
): Unsubscribe {
  let seen = entry.shown
  return subscribe(() => {
    if (entry.shown === seen) return
    seen = entry.shown
    listener(seen)
  })
}
