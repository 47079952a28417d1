import type { TaskClient } from '../../core/client/taskClient.js'
import { type ClearedQueryClient, queriesOutside } from '../query/clearWhenForgotten.js'
import type { FetchedQuery, QueryClientOfCalls } from '../query/fetchFor.js'
import type { ToolCallQueryKey } from '../query/toolCallQueryOptions.js'

/**
 * The query of a call in the cache. Components that show the call by a query which the app has taken out of the cache show it by this one
 * from then on, which TanStack has them do with their next options only.
 */
export function cachedQuery(
  queryClient: QueryClientOfCalls & ClearedQueryClient,
  client: TaskClient,
  callId: string,
  queryKey: ToolCallQueryKey,
): FetchedQuery | undefined {
  for (const { observers } of queriesOutside(client, queryClient, callId)) {
    for (const observer of [...observers]) observer.setOptions(observer.options as never)
  }
  return queryClient.getQueryCache().find({ queryKey })
}
