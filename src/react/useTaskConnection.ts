import type { ConnectionState } from '../connection/connection.js'
import { useTaskClientStore } from './useTaskClientStore.js'

/** How the connection to the server fares: its status, era, and whether the server serves tasks. */
export function useTaskConnection(): ConnectionState {
  return useTaskClientStore((state) => state.connection)
}
