import { getContext } from 'svelte'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { RegisteredTools } from '../../core/client/tools.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { namedClient, namedClients, type UseTaskClientOptions, type UseTaskClientsOptions } from '../shared/clients.js'

/** The key of the context that `setTaskClient` sets. */
export const TASK_CLIENT: unique symbol = Symbol('taskwire')

const HOW = 'call setTaskClient(createTaskClient(…)) in a component above, such as +layout.svelte'

/**
 * Returns the client in `options`, or else the client that `setTaskClient` has set.
 *
 * @throws {TaskConfigurationError} if there is no client.
 *
 * @example
 * ```ts
 * const client = useTaskClient()
 * const signOut = () => client.forget()
 * ```
 */
export function useTaskClient<T = RegisteredTools>(options: UseTaskClientOptions<T> = {}): TaskClient<T> {
  // The client of the context is the registered one, which a context cannot know.
  return clientOf(
    () => checkedOptions('useTaskClient', options) as UseTaskClientOptions<unknown>,
  )() as unknown as TaskClient<T>
}

/** The client that the options name, or else the one of the context, each time it is asked for. */
export function clientOf(options: () => UseTaskClientOptions<unknown>): () => TaskClient {
  const provided = getContext<TaskClient | undefined>(TASK_CLIENT)
  return () => namedClient(options(), provided, HOW)
}

/** Which clients a list covers. */
export function clientsOf(options: () => UseTaskClientsOptions): () => readonly TaskClient[] {
  const provided = getContext<TaskClient | undefined>(TASK_CLIENT)
  return () => namedClients(options(), provided, HOW)
}
