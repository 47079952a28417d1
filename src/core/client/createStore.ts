import { createStore as createZustandStore, type StoreApi } from 'zustand/vanilla'
import type { Environment } from '../environment/environment.js'
import type { ToolCallState } from '../record/toolCallState.js'
import type { ConnectionState } from '../wire/connection.js'
import { createFrames, type Subject } from './frames.js'
import type { TaskClientState } from './taskClient.js'

/** The store and the only ways in which it changes. */
export interface TaskClientStore {
  readonly api: StoreApi<TaskClientState>
  setConnection(connection: ConnectionState): void
  getCall(callId: string): ToolCallState | undefined
  setCall(state: ToolCallState): void
  removeCall(callId: string): void
  /** True if somebody listens to this call. */
  isObserved(callId: string): boolean
  /** Calls the listener when this call has changed. Returns a function that unsubscribes. */
  subscribeCall(callId: string, listener: () => void): () => void
}

export interface TaskClientStoreOptions {
  readonly environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>
  /** How long the progress of a call waits for more of it before listeners are called again, in ms. */
  readonly frameMs: number
  readonly onListenerError: (error: unknown) => void
}

/**
 * A store in which a changed call costs the same whatever the number of calls: listeners of one call are called for
 * that call alone. The snapshot of all calls is made when somebody reads it, and its listeners are called once for all
 * changes of a turn.
 */
export function createStore({ environment, frameMs, onListenerError }: TaskClientStoreOptions): TaskClientStore {
  const calls = new Map<string, ToolCallState>()
  const ofCalls = new Map<string, Subject<() => void>>()
  const notifyOf = createFrames(environment, frameMs)
  const ofAll: Subject<(state: TaskClientState, previous: TaskClientState) => void> = {
    listeners: new Set(),
    calledAt: Number.NEGATIVE_INFINITY,
  }
  const store = createZustandStore<TaskClientState>(() => ({ connection: { status: 'idle' }, calls: {} }))
  /** True if `calls` has changed since the snapshot was made. */
  let isStale = false
  /** What the listeners of the whole store have seen. */
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
    if (isAnnouncing || ofAll.listeners.size === 0) return
    isAnnouncing = true
    void Promise.resolve().then(() => {
      isAnnouncing = false
      const [state, previous] = [getState(), announced]
      announced = state
      if (state === previous) return
      for (const listener of [...ofAll.listeners]) guard(() => listener(state, previous))
    })
  }

  function changed(callId: string, isProgress: boolean): void {
    isStale = true
    notifyOf(ofCalls.get(callId), isProgress, ({ listeners }) => {
      for (const listener of [...listeners]) guard(listener)
    })
    notifyOf(ofAll, isProgress, announce)
  }

  return {
    api: {
      ...store,
      getState,
      setState,
      subscribe: (listener) => {
        if (ofAll.listeners.size === 0) announced = getState()
        ofAll.listeners.add(listener)
        return () => {
          ofAll.listeners.delete(listener)
        }
      },
    },
    setConnection: (connection) => {
      store.setState({ connection })
      announce()
    },
    getCall: (callId) => calls.get(callId),
    setCall: (state) => {
      const before = calls.get(state.callId)
      if (before === state) return
      calls.set(state.callId, state)
      changed(state.callId, before !== undefined && isProgress(before, state))
    },
    removeCall: (callId) => {
      if (calls.delete(callId)) changed(callId, false)
    },
    isObserved: (callId) => ofCalls.has(callId),
    subscribeCall: (callId, listener) => {
      const subject = ofCalls.get(callId) ?? { listeners: new Set(), calledAt: Number.NEGATIVE_INFINITY }
      ofCalls.set(callId, subject)
      subject.listeners.add(listener)
      return () => {
        subject.listeners.delete(listener)
        if (subject.listeners.size > 0 || ofCalls.get(callId) !== subject) return
        environment.clearTimeout(subject.timer)
        ofCalls.delete(callId)
      }
    },
  }
}

/** True if only the snapshot of the task is new: nothing that the user can act on. */
function isProgress(before: ToolCallState, next: ToolCallState): boolean {
  return (
    before.phase === next.phase &&
    before.inputRequests === next.inputRequests &&
    before.inputResponses === next.inputResponses &&
    before.cancelStatus === next.cancelStatus &&
    before.network === next.network
  )
}
