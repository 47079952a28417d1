import { abortError, onAbort } from '../call/abort.js'
import { isTracked } from '../call/call.js'
import type { CallEntry } from '../call/callEntry.js'
import type { CallRuntime } from '../call/callRuntime.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import type { TaskClientStore } from './createStore.js'
import type { ToolCall } from './taskClient.js'

export interface ToolCallHandleOptions {
  readonly entry: CallEntry
  readonly runtime: CallRuntime
  readonly store: Pick<TaskClientStore, 'subscribeCall'>
  /** True if this handle waits for the result: a task that is followed while observed goes on for its sake. */
  readonly observes: boolean
  readonly signal?: AbortSignal | undefined
}

/** A handle on a call. Any number of them share one; each waits and detaches for itself. */
export function toolCallHandle({ entry, runtime, store, observes, signal }: ToolCallHandleOptions): ToolCall {
  const { callId } = entry.call
  let detach: (reason: Error) => void = () => {}
  const result = new Promise<CallToolResult>((resolve, reject) => {
    detach = reject
    entry.outcome.then(resolve, reject)
  })
  const unobserve = observes ? runtime.observe(entry) : () => {}
  const stopListening = signal ? onAbort(signal, () => detach(signal.reason)) : () => {}
  const end = () => {
    stopListening()
    unobserve()
  }
  result.then(end, end)

  return {
    callId,
    result,
    getState: () => entry.shown,
    get nextPollAt() {
      return entry.call.stage === 'following' && entry.left === undefined ? entry.call.dueAt : undefined
    },
    get lastHeardAt() {
      const { call } = entry
      if (isTracked(call)) return Math.max(call.knownAt, call.progressAt ?? 0)
      return call.stage === 'settled' ? call.endedAt : call.progressAt
    },
    subscribe: (listener) => {
      let seen = entry.shown
      return store.subscribeCall(callId, () => {
        if (entry.shown === seen) return
        seen = entry.shown
        listener(seen)
      })
    },
    cancel: () => runtime.cancel(entry),
    detach: () => detach(abortError('Detached from the call; its task goes on.')),
    respond: (inputKey, response) => runtime.respond(entry, inputKey, response),
  }
}
