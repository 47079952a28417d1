import { type InjectionKey, inject, type MaybeRefOrGetter, toRaw, toValue } from 'vue'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { RegisteredTools } from '../../core/client/tools.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import { namedClient, namedClients, type UseTaskClientOptions, type UseTaskClientsOptions } from '../shared/clients.js'

/** Where `provideTaskClient` and `taskClientPlugin` put the client. */
export const TASK_CLIENT: InjectionKey<TaskClient> = Symbol('taskwire')

const HOW = 'call provideTaskClient(createTaskClient(…)) in a component above'

/**
 * Returns the client in `options`, or else the client that the app or a component above provides.
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
  // The client that is provided is the registered one, which an injection cannot know.
  return useClient(
    checkedOptions('useTaskClient', options) as UseTaskClientOptions<unknown>,
  )() as unknown as TaskClient<T>
}

/** The client that the options name, or else the one that is provided, each time it is asked for. */
export function useClient(options: MaybeRefOrGetter<UseTaskClientOptions<unknown>>): () => TaskClient {
  const provided = inject(TASK_CLIENT, undefined)
  return () => toRaw(namedClient(toValue(options), provided, HOW))
}

/** Which clients a list covers. */
export function useClients(options: MaybeRefOrGetter<UseTaskClientsOptions>): () => readonly TaskClient[] {
  const provided = inject(TASK_CLIENT, undefined)
  return () => namedClients(toValue(options), provided, HOW).map((each) => toRaw(each))
}
