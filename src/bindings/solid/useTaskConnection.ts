import type { Accessor } from 'solid-js'
import type { ConnectionState } from '../../core/wire/connection.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import { createSubscription } from './createSubscription.js'
import { useClient } from './useTaskClient.js'

/**
 * The state of the connection to the server: its status, its era, and whether the server supports tasks.
 *
 * @example
 * ```tsx
 * const connection = useTaskConnection()
 * return <Show when={connection().status === 'failed'}>The server cannot be reached.</Show>
 * ```
 */
export function useTaskConnection(
  options: Accessor<UseTaskClientOptions<unknown>> = () => ({}),
): Accessor<ConnectionState> {
  const client = useClient(() => checkedOptions('useTaskConnection', options()))
  return createSubscription(
    (listener) => client().store.subscribe(listener),
    () => client().store.getState().connection,
    client().store.getInitialState().connection,
  )
}
