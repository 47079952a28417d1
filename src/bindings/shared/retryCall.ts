import type { TaskClient } from '../../core/client/taskClient.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'

/** The part of a QueryClient that is used: each binding may bring a copy of its own. */
export interface QueryClientOfCalls {
  getQueryCache(): { find(filters: { queryKey: readonly unknown[] }): { fetch(): Promise<unknown> } | undefined }
}

/**
 * Fetches the query of a call again, or joins the fetch that runs. Through the cache, because reading
 * `refetch` off TanStack's result would make it one of the members that are rendered for.
 */
export function retryCall(
  queryClient: QueryClientOfCalls,
  client: TaskClient,
  name: string,
  key: string | undefined,
): void {
  const query = queryClient.getQueryCache().find({ queryKey: toolCallQueryKey(client, name, key) })
  query?.fetch().catch(() => {})
}
