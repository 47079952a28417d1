import { createStore as createZustandStore, type StoreApi } from 'zustand/vanilla'
import type { ToolCallState } from '../call/toolCallState.js'
import type { ConnectionState } from '../connection/connection.js'
import type { TaskClientState } from './taskClient.js'

/** The store and the only ways in which it changes. */
export interface TaskClientStore {
  readonly api: StoreApi<TaskClientState>
  setConnection(connection: ConnectionState): void
  getCall(callId: string): ToolCallState | undefined
  setCall(state: ToolCallState): void
  removeCall(callId: string): void
  /** Calls the listener when this call has changed. Returns a function that unsubscribes. */
  subscribeCall(callId: string, listener: () => void): () => void
}

/**
 * A store in which a changed call costs the same whatever the number of calls: subscribers of one call are called for
 * that call. The snapshot of all calls is made when somebody reads it, and its subscribers are called once for all
 * changes of a turn.
 */
export function createStore(onListenerError: (error: unknown) => void): TaskClientStore {
  const calls = new Map<string, ToolCallState>()
  const callListeners = new Map<string, Set<() => void>>()
  const listeners = new Set<(state: TaskClientState, previous: TaskClientState) => void>()
  const store = createZustandStore<TaskClientState>(() => ({ connection: { status: 'idle' }, calls: {} }))
  /** True if `calls` has changed since the snapshot was made. */
  let isStale = false
  /** What the subscribers have seen. */
  let announced = store.getState()
  let isAnnouncing = false

  function getState(): TaskClientState {
    if (isStale) {
      isStale = false
      store.setState({ calls: Object.fromEntries(calls) })
    }
    return store.getState()
  }

  const setState: typeof store.setState = (change: TaskClientState | ((state: TaskClientState) => TaskClientState)) => {
    getState()
    store.setState(change)
    announce()
  }

  /** A listener that throws is the app's affair; it must stop neither a task from being followed nor the listeners after it. */
  function guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      onListenerError(error)
    }
  }

  function announce(): void {
    if (isAnnouncing || listeners.size === 0) return
    isAnnouncing = true
    void Promise.resolve().then(() => {
      isAnnouncing = false
      const [state, previous] = [getState(), announced]
      announced = state
      if (state === previous) return
      for (const listener of [...listeners]) guard(() => listener(state, previous))
    })
  }

  function changed(callId: string): void {
    isStale = true
    for (const listener of [...(callListeners.get(callId) ?? [])]) guard(listener)
    announce()
  }

  return {
    api: {
      ...store,
      getState,
      setState,
      subscribe: (listener) => {
        if (listeners.size === 0) announced = getState()
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
        }
      },
    },
    setConnection: (connection) => {
      store.setState({ connection })
      announce()
    },
    getCall: (callId) => calls.get(callId),
    setCall: (state) => {
      if (calls.get(state.callId) === state) return
      calls.set(state.callId, state)
      changed(state.callId)
    },
    removeCall: (callId) => {
      if (calls.delete(callId)) changed(callId)
    },
    subscribeCall: (callId, listener) => {
      const ofCall = callListeners.get(callId) ?? new Set()
      callListeners.set(callId, ofCall.add(listener))
      return () => {
        ofCall.delete(listener)
        if (ofCall.size === 0 && callListeners.get(callId) === ofCall) callListeners.delete(callId)
      }
    },
  }
}
