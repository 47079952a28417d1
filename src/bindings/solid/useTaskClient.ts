import { type Accessor, type Context, createContext, createMemo, useContext } from 'solid-js'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { RegisteredTools } from '../../core/client/tools.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { namedClient, namedClients, type UseTaskClientOptions, type UseTaskClientsOptions } from '../shared/clients.js'

export const TaskClientContext: Context<Accessor<TaskClient> | undefined> = createContext<Accessor<TaskClient>>()

const HOW = 'wrap the component in <TaskClientProvider client={createTaskClient(…)}>'

/**
 * Returns the client in `options`, or else the client of the nearest provider.
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
  // The provider's client is the registered one, which a context cannot know.
  return givenOrProvided(
    () => checkedOptions('useTaskClient', options) as UseTaskClientOptions<unknown>,
  )() as unknown as TaskClient<T>
}

/** The client that the options name, or else the one that is provided. It changes when that is another client. */
export function useClient(options: Accessor<UseTaskClientOptions<unknown>>): Accessor<TaskClient> {
  return createMemo(givenOrProvided(options))
}

function givenOrProvided(options: Accessor<UseTaskClientOptions<unknown>>): Accessor<TaskClient> {
  const provided = useContext(TaskClientContext)
  return () => namedClient(options(), provided?.(), HOW)
}

/** Which clients a list covers. */
export function useClients(options: Accessor<UseTaskClientsOptions>): Accessor<readonly TaskClient[]> {
  const provided = useContext(TaskClientContext)
  return () => namedClients(options(), provided?.(), HOW)
}
