import { useCallback } from 'react'
import type { TaskClient } from '../client/taskClient.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'
import { useQueryClient } from './reactQuery.js'

/**
 * Fetches the query of a call again, or joins the fetch that runs. Through the cache, because reading
 * `refetch` off TanStack's result would make it one of the members that are rendered for.
 */
export function useRetry(client: TaskClient, name: string, key: string | undefined): () => void {
  const queryClient = useQueryClient()
  return useCallback(() => {
    const query = queryClient.getQueryCache().find({ queryKey: toolCallQueryKey(client, name, key) })
    query?.fetch().catch(() => {})
  }, [queryClient, client, name, key])
}
