import type { TaskClient } from '../../core/client/taskClient.js'
import type { ConnectionState } from '../../core/wire/connection.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import { createReader, type ReactiveValue } from './reactive.js'
import { clientOf } from './useTaskClient.js'

/**
 * The state of the connection to the server: its status, its era, and whether the server supports tasks.
 *
 * @example
 * ```svelte
 * <script>
 *   const connection = useTaskConnection()
 * </script>
 * {#if connection.current.status === 'failed'}The server cannot be reached.{/if}
 * ```
 */
export function useTaskConnection(
  options: () => UseTaskClientOptions<unknown> = () => ({}),
): ReactiveValue<ConnectionState> {
  const client = clientOf(() => checkedOptions('useTaskConnection', options()))
  const read = createReader(
    (listener, { store }: TaskClient) => store.subscribe(listener),
    ({ store }) => store.getState().connection,
  )
  return {
    get current() {
      return read(client())
    },
  }
}
