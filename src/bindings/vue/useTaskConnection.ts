import { type MaybeRefOrGetter, type ShallowRef, toValue } from 'vue'
import type { ConnectionState } from '../../core/wire/connection.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import { useSubscription } from './useSubscription.js'
import { useClient } from './useTaskClient.js'

/**
 * The state of the connection to the server: its status, its era, and whether the server supports tasks.
 *
 * @example
 * ```ts
 * const connection = useTaskConnection()
 * const isOffline = computed(() => connection.value.status === 'failed')
 * ```
 */
export function useTaskConnection(
  options: MaybeRefOrGetter<UseTaskClientOptions<unknown>> = {},
): Readonly<ShallowRef<ConnectionState>> {
  const client = useClient(() => checkedOptions('useTaskConnection', toValue(options)))
  return useSubscription(
    [client],
    (listener) => client().store.subscribe(listener),
    () => client().store.getState().connection,
    client().store.getInitialState().connection,
  )
}
