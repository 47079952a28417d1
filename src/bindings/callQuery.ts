import type { TaskClient } from '../client/taskClient.js'
import { type AnyToolCallQueryOptions, type ToolCallQuery, toolCallQuery } from '../query/toolCallQueryOptions.js'

/** The query of a call. On a server it is disabled, where some bindings fetch what they render. */
export function callQuery(
  client: TaskClient,
  options: AnyToolCallQueryOptions,
  isServer: boolean,
): ToolCallQuery<unknown> {
  const query = toolCallQuery(client, options, false)
  // `skipToken` is that of the binding's own copy of TanStack Query.
  return (isServer ? { ...query, enabled: false } : query) as ToolCallQuery<unknown>
}
