import { useStore } from 'zustand'
import { checkedOptions } from '../bindings/checkedOptions.js'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import type { ConnectionState } from '../connection/connection.js'
import { useClient } from './useTaskClient.js'

/** The state of the connection to the server: its status, era, and whether the server serves tasks. */
export function useTaskConnection<T>(options: UseTaskClientOptions<T> = {}): ConnectionState {
  return useStore(useClient(checkedOptions('useTaskConnection', options)).store, ({ connection }) => connection)
}
