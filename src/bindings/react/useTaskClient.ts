import { type Context, createContext, useContext } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { RegisteredTools } from '../../core/client/tools.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { namedClient, namedClients, type UseTaskClientOptions, type UseTaskClientsOptions } from '../shared/clients.js'

export const TaskClientContext: Context<TaskClient | undefined> = createContext<TaskClient | undefined>(undefined)

const HOW = 'wrap the component in <TaskClientProvider client={createTaskClient(…)}>'

/**
 * Returns the client in `options`, or else the client of the nearest provider.
 *
 * @throws {TaskConfigurationError} if there is no client.
 */
export function useTaskClient<T = RegisteredTools>(options: UseTaskClientOptions<T> = {}): TaskClient<T> {
  return useClient(checkedOptions('useTaskClient', options)) as unknown as TaskClient<T>
}

/** As {@link useTaskClient}, for hooks with more options. The provider's client is the registered one, which React's context cannot know. */
export function useClient<T>(options: UseTaskClientOptions<T>): TaskClient {
  const provided = useContext(TaskClientContext)
  return namedClient(options as UseTaskClientOptions<unknown>, provided, HOW)
}

/** The clients that a list is of, in an array that stays the same while they do. */
export function useTaskClients(options: UseTaskClientsOptions): readonly TaskClient[] {
  const provided = useContext(TaskClientContext)
  const stable = useShallow(() => namedClients(options, provided, HOW))
  return stable(undefined)
}
