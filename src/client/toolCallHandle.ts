import type { StoreApi } from 'zustand/vanilla'
import { abortError, onAbort } from '../engine/abort.js'
import type { ToolCallRun } from '../engine/toolCallRun.js'
import type { ToolCallState } from '../engine/toolCallState.js'
import type { Unsubscribe } from '../environment/environment.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import type { TaskClientState, ToolCall } from './taskClient.js'

/** A call and its latest state, which the store may not keep for as long as somebody holds a handle on it. */
export interface Call {
  readonly run: ToolCallRun
  state: ToolCallState
}

export interface ToolCallHandleOptions {
  readonly call: Call
  readonly store: StoreApi<TaskClientState>
  /** Keeps the call in the store for a listener. Returns a function that ends it. */
  readonly observe: (callId: string) => Unsubscribe
  /** Whether this handle waits for the result: a task that is followed while watched goes on for its sake. */
  readonly watches: boolean
  readonly signal?: AbortSignal | undefined
}

/** A handle on a run. Any number of them share one; each waits and detaches for itself. */
export function toolCallHandle({ call, store, observe, watches, signal }: ToolCallHandleOptions): ToolCall {
  const { run } = call
  const { callId } = call.state
  const detached = new AbortController()
  const unwatch = watches ? run.watch() : () => {}
  const getState = (): ToolCallState => store.getState().calls[callId] ?? call.state

  const result = new Promise<CallToolResult>((resolve, reject) => {
    run.outcome.then(resolve, reject)
    onAbort(detached.signal, () => reject(detached.signal.reason))
  })
  const release = signal ? onAbort(signal, () => detached.abort(signal.reason)) : () => {}
  result
    .catch(() => {})
    .finally(() => {
      release()
      unwatch()
    })

  return {
    callId,
    result,
    getState,
    subscribe: (listener) => {
      let seen = getState()
      const unsubscribe = store.subscribe(() => {
        const state = getState()
        if (state === seen) return
        seen = state
        listener(state)
      })
      const release = observe(callId)
      return () => {
        unsubscribe()
        release()
      }
    },
    cancel: run.cancel,
    detach: () => detached.abort(abortError('Detached from the call; its task goes on.')),
    respond: run.respond,
  }
}
