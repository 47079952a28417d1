import { createStore as createZustandStore, type StoreApi } from 'zustand/vanilla'
import type { ConnectionState } from '../connection/connection.js'
import type { ToolCallState } from '../engine/toolCallState.js'
import type { TaskClientState } from './taskClient.js'

/** The store and the only ways in which it changes. */
export interface TaskClientStore {
  readonly api: StoreApi<TaskClientState>
  setConnection(connection: ConnectionState): void
  getCall(callId: string): ToolCallState | undefined
  setCall(state: ToolCallState): void
  removeCall(callId: string): void
  /** Notes when a call is polled next, in place: the time alone is no reason to render. */
  setNextPollAt(callId: string, at: number | undefined): void
}

export function createStore(onListenerError: (error: unknown) => void): TaskClientStore {
  const store = createZustandStore<TaskClientState>(() => ({ connection: { status: 'idle' }, calls: {} }))

  /** A listener that throws is the app's affair; it must stop neither a task from being followed nor the listeners after it. */
  const api: StoreApi<TaskClientState> = {
    ...store,
    subscribe: (listener) =>
      store.subscribe((state, previous) => {
        try {
          listener(state, previous)
        } catch (error) {
          onListenerError(error)
        }
      }),
  }

  return {
    api,
    setConnection: (connection) => api.setState(() => ({ connection })),
    getCall: (callId) => api.getState().calls[callId],
    setCall: (state) => {
      if (api.getState().calls[state.callId] === state) return
      api.setState(({ calls }) => ({ calls: { ...calls, [state.callId]: state } }))
    },
    removeCall: (callId) => {
      if (!(callId in api.getState().calls)) return
      api.setState(({ calls }) => {
        const { [callId]: _, ...others } = calls
        return { calls: others }
      })
    },
    setNextPollAt: (callId, at) => {
      const call = api.getState().calls[callId] as { nextPollAt?: number } | undefined
      if (call === undefined) return
      if (at === undefined) delete call.nextPollAt
      else call.nextPollAt = at
    },
  }
}
