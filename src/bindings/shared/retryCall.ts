import type { TaskClient } from '../../core/client/taskClient.js'
import { fetchFor } from '../query/fetchFor.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'

/** The part of a QueryClient that is used: each binding may bring a copy of its own. */
export interface QueryClientOfCalls {
  getQueryCache(): {
    find(filters: {
      queryKey: readonly unknown[]
    }): { readonly options: { readonly queryFn?: unknown }; fetch(): Promise<unknown> } | undefined
  }
}

/**
 * Fetches the query of a call again, or joins the fetch that runs. Through the cache, because reading
 * `refetch` off TanStack's result would make it one of the members that are rendered for. A call that is skipped has
 * nothing to fetch; TanStack would make that its error, and it would be held back for good.
 */
export function retryCall(
  queryClient: QueryClientOfCalls,
  client: TaskClient,
  name: string,
  key: string | undefined,
): void {
  const query = queryClient.getQueryCache().find({ queryKey: toolCallQueryKey(client, name, key) })
  if (typeof query?.options.queryFn === 'function') fetchFor('again', query)
}
