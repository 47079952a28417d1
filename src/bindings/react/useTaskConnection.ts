import { useStore } from 'zustand'
import type { ConnectionState } from '../../core/wire/connection.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import { useClient } from './useTaskClient.js'

/** The state of the connection to the server: its status, its era, and whether the server supports tasks. */
export function useTaskConnection<T>(options: UseTaskClientOptions<T> = {}): ConnectionState {
  return useStore(useClient(checkedOptions('useTaskConnection', options)).store, ({ connection }) => connection)
}
