import type { StoreApi } from 'zustand/vanilla'
import { abortError, onAbort } from '../engine/abort.js'
import type { ToolCallRun } from '../engine/toolCallRun.js'
import type { ToolCallState } from '../engine/toolCallState.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import type { TaskClientState, ToolCall } from './taskClient.js'

export interface ToolCallHandleOptions {
  readonly run: ToolCallRun
  readonly state: ToolCallState
  readonly store: StoreApi<TaskClientState>
  /** Whether this handle waits for the result: a task that is followed while watched goes on for its sake. */
  readonly watches: boolean
  readonly signal?: AbortSignal | undefined
}

/** A handle on a run. Any number of them share one; each waits and detaches for itself. */
export function toolCallHandle({ run, state: initial, store, watches, signal }: ToolCallHandleOptions): ToolCall {
  const { callId } = initial
  const detached = new AbortController()
  const unwatch = watches ? run.watch() : () => {}
  let last = initial

  const getState = (): ToolCallState => {
    last = store.getState().calls[callId] ?? last
    return last
  }

  const result = new Promise<CallToolResult>((resolve, reject) => {
    run.outcome.then(resolve, reject)
    onAbort(detached.signal, () => reject(detached.signal.reason))
  })
  // The store may not keep an ended call for as long as somebody holds this handle.
  run.outcome.then(getState, getState)
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
      return store.subscribe(() => {
        const state = getState()
        if (state === seen) return
        seen = state
        listener(state)
      })
    },
    cancel: run.cancel,
    detach: () => detached.abort(abortError('Detached from the call; its task goes on.')),
    respond: run.respond,
  }
}
