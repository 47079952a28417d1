import type { UseTaskClientOptions } from '../bindings/clients.js'
import type { TaskClient } from '../client/taskClient.js'
import type { ConnectionState } from '../connection/connection.js'
import { createTracker, type ReactiveValue } from './reactive.js'
import { clientOf } from './useTaskClient.js'

/**
 * How the connection to the server fares: its status, era, and whether the server serves tasks.
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
  const client = clientOf(options)
  const track = createTracker((listener, { store }: TaskClient) => store.subscribe(listener))
  return {
    get current() {
      track(client())
      return client().store.getState().connection
    },
  }
}
