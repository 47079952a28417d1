import type { TaskClient } from '../../core/client/taskClient.js'
import { type ClearedQueryClient, queriesOutside } from '../query/clearWhenForgotten.js'
import { type FetchReason, hasFunction, type QueryClientOfCalls } from '../query/queryOfCall.js'
import type { ToolCallQueryKey } from '../query/toolCallQueryOptions.js'

/**
 * Fetches the query of a call in the cache, or joins the fetch that runs. The query function finds the reason in the state of the query: offline,
 * TanStack may call it later. A call that is skipped has nothing to fetch: TanStack would make that an error of the query, which would never be
 * fetched again. The options of a query are those of whichever component rendered last: another one may not skip the call.
 *
 * Components that show the call by a query which the app has taken out of the cache show it by this one from then on, which TanStack has them do
 * with their next options only.
 */
export function fetchFor(
  reason: FetchReason,
  queryClient: QueryClientOfCalls & ClearedQueryClient,
  client: TaskClient,
  callId: string,
  queryKey: ToolCallQueryKey,
): void {
  const queries = queryClient.getQueryCache()
  const query = queries.find({ queryKey })
  const outside = queriesOutside(client, queryClient, callId).flatMap(({ observers }) => observers)
  const options = [...(query ? [query, ...query.observers] : []), ...outside].find(hasFunction)?.options
  if (options === undefined) return
  const fetched = query ?? queries.build(queryClient as never, options as never)
  fetched.fetch(options, { meta: { reason } }).catch(() => {})
  for (const observer of outside) observer.setOptions(observer.options as never)
}
