import { createStore as createZustandStore, type StoreApi } from 'zustand/vanilla'
import type { Environment } from '../environment/environment.js'
import type { ToolCallState } from '../record/toolCallState.js'
import type { ConnectionState } from '../wire/connection.js'
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

type Listener = (state: TaskClientState, previous: TaskClientState) => void

/** Listeners that are called at most once a frame while nothing but progress changes. */
interface Subject<L> {
  readonly listeners: Set<L>
  /** When they were called last, ms since the epoch. */
  calledAt: number
  timer: unknown
}

function newSubject<L>(): Subject<L> {
  return { listeners: new Set(), calledAt: Number.NEGATIVE_INFINITY, timer: undefined }
}

/**
 * A store in which a changed call costs the same whatever the number of calls: listeners of one call are called for
 * that call alone. The snapshot of all calls is made when somebody reads it, and its listeners are called once for all
 * changes of a turn.
 */
export function createStore({ environment, frameMs, onListenerError }: TaskClientStoreOptions): TaskClientStore {
  const calls = new Map<string, ToolCallState>()
  const ofCalls = new Map<string, Subject<() => void>>()
  const ofAll = newSubject<Listener>()
  const store = createZustandStore<TaskClientState>(() => ({ connection: { status: 'idle' }, calls: {} }))
  /** What the listeners of the whole store have seen. */
  let announced = store.getState()
  /** True if `calls` has changed since the snapshot was made. */
  let isStale = false
  let isAnnouncing = false

  function getState(): TaskClientState {
    if (isStale) {
      isStale = false
      store.setState({ calls: Object.fromEntries(calls) })
    }
    return store.getState()
  }

  /** A listener that throws is the app's affair; it must stop neither a task from being followed nor the listeners after it. */
  function callEach<L>(listeners: Set<L>, call: (listener: L) => void): void {
    for (const listener of [...listeners]) {
      try {
        call(listener)
      } catch (error) {
        onListenerError(error)
      }
    }
  }

  function announce(): void {
    if (isAnnouncing || ofAll.listeners.size === 0) return
    isAnnouncing = true
    void Promise.resolve().then(() => {
      isAnnouncing = false
      const [state, previous] = [getState(), announced]
      announced = state
      if (state !== previous) callEach(ofAll.listeners, (listener) => listener(state, previous))
    })
  }

  /** Calls `call` now, or for mere progress at the end of the frame. */
  function notify<L>(subject: Subject<L> | undefined, isProgress: boolean, call: (listeners: Set<L>) => void): void {
    if (!subject?.listeners.size) return
    // No longer than a frame, also where the clock was set back.
    const wait = Math.min(subject.calledAt + frameMs - environment.now(), frameMs)
    const callNow = () => {
      environment.clearTimeout(subject.timer)
      subject.timer = undefined
      subject.calledAt = environment.now()
      call(subject.listeners)
    }
    if (!isProgress || wait <= 0) callNow()
    else subject.timer ??= environment.setTimeout(callNow, wait)
  }

  function changed(callId: string, isProgress: boolean): void {
    isStale = true
    notify(ofCalls.get(callId), isProgress, (listeners) => callEach(listeners, (listener) => listener()))
    notify(ofAll, isProgress, announce)
  }

  const setState: typeof store.setState = (change: TaskClientState | ((state: TaskClientState) => TaskClientState)) => {
    getState()
    store.setState(change)
    announce()
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
    setCall: (call) => {
      const { callId } = call
      const before = calls.get(callId)
      if (before === call) return
      calls.set(callId, call)
      changed(callId, before !== undefined && isProgress(before, call))
    },
    removeCall: (callId) => {
      if (calls.delete(callId)) changed(callId, false)
    },
    isObserved: (callId) => ofCalls.has(callId),
    subscribeCall: (callId, listener) => {
      const subject = ofCalls.get(callId) ?? newSubject()
      ofCalls.set(callId, subject)
      // Each is one of its own, also of the same function.
      const own = () => listener()
      subject.listeners.add(own)
      return () => {
        subject.listeners.delete(own)
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
