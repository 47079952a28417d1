import type { TaskClient } from '../../core/client/taskClient.js'
import type { RegisteredTools } from '../../core/client/tools.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'

/** Options that choose the client. */
export interface UseTaskClientOptions<T = RegisteredTools> {
  /** The client to use. @default the one that is provided to the component */
  client?: TaskClient<T> | undefined
}

/** Options that choose the clients of a list. */
export interface UseTaskClientsOptions extends UseTaskClientOptions<unknown> {
  /** Several clients, for one list with the calls of all of them. */
  clients?: readonly TaskClient<unknown>[] | undefined
}

/**
 * The client that the options name, or else the one that is provided.
 *
 * @throws {TaskConfigurationError} if there is neither; `how` says how to provide one.
 */
export function namedClient(
  { client }: UseTaskClientOptions<unknown>,
  provided: TaskClient | undefined,
  how: string,
): TaskClient {
  const named = (client as TaskClient | undefined) ?? provided
  if (named !== undefined) return named
  throw new TaskConfigurationError(`No task client: ${how}, or pass { client }.`)
}

/** The clients that a list is of, as {@link namedClient}. */
export function namedClients(
  options: UseTaskClientsOptions,
  provided: TaskClient | undefined,
  how: string,
): readonly TaskClient[] {
  return (options.clients as readonly TaskClient[] | undefined) ?? [namedClient(options, provided, how)]
}
