import { useStore } from 'zustand'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import type { ConnectionState } from '../connection/connection.js'
import { useTaskClient } from './useTaskClient.js'

/** How the connection to the server fares: its status, era, and whether the server serves tasks. */
export function useTaskConnection<T>(options: UseTaskClientOptions<T> = {}): ConnectionState {
  return useStore(useTaskClient(options).store, ({ connection }) => connection)
}
