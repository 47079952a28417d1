import { type Context, createContext, useContext } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { providedClient, type UseTaskClientOptions, type UseTaskClientsOptions } from '../bindings/clients.js'
import type { TaskClient } from '../client/taskClient.js'
import type { RegisteredTools } from '../client/tools.js'

export const TaskClientContext: Context<TaskClient | undefined> = createContext<TaskClient | undefined>(undefined)

/**
 * The client of the provider above, or the one that is given.
 *
 * @throws {TaskConfigurationError} where there is neither.
 */
export function useTaskClient<T = RegisteredTools>({ client }: UseTaskClientOptions<T> = {}): TaskClient<T> {
  const provided = useContext(TaskClientContext)
  // The provider's client is the registered one, which React's context cannot know.
  return client ?? (orThrow(provided) as TaskClient<T>)
}

/** The clients that a list is of, in an array that stays the same while they do. */
export function useTaskClients({ client, clients }: UseTaskClientsOptions): readonly TaskClient[] {
  const provided = useContext(TaskClientContext)
  const stable = useShallow(() => clients ?? [client ?? orThrow(provided)])
  return stable(undefined) as readonly TaskClient[]
}

function orThrow(client: TaskClient | undefined): TaskClient {
  return providedClient(client, 'wrap the component in <TaskClientProvider client={createTaskClient(…)}>')
}
