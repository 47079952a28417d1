import type { TaskClient } from '../client/taskClient.js'
import type { RegisteredTools } from '../client/tools.js'
import { TaskConfigurationError } from '../protocol/errors.js'

/** Which client is used. */
export interface UseTaskClientOptions<T = RegisteredTools> {
  /** @default that which is provided to the component */
  client?: TaskClient<T> | undefined
}

/** The clients that a list is of. */
export interface UseTaskClientsOptions extends UseTaskClientOptions<unknown> {
  /** Several clients, for one list of all. */
  clients?: readonly TaskClient<unknown>[] | undefined
}

/**
 * The client that is provided.
 *
 * @throws {TaskConfigurationError} where there is none; `how` says how to provide it.
 */
export function providedClient(client: TaskClient | undefined, how: string): TaskClient {
  if (client !== undefined) return client
  throw new TaskConfigurationError(`No task client: ${how}, or pass { client }.`)
}
