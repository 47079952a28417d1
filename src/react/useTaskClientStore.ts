import { useStore } from 'zustand'
import type { TaskClientState } from '../client/taskClient.js'
import { useTaskClient } from './TaskClientProvider.js'

/** A part of the client's store, rendered again when it changes. */
export function useTaskClientStore<T>(selector: (state: TaskClientState) => T): T {
  return useStore(useTaskClient().store, selector)
}
