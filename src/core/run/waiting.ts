import type { Unsubscribe } from '../environment/environment.js'
import type { ToolCallState } from '../record/toolCallState.js'
import { abortError, onAbort } from '../time/abort.js'

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
