import { useCallback } from 'react'
import { retryCall } from '../bindings/retryCall.js'
import type { TaskClient } from '../client/taskClient.js'
import { useQueryClient } from './reactQuery.js'

/** Calls the tool of a query again, or joins the call that runs. */
export function useRetry(client: TaskClient, name: string, key: string | undefined): () => void {
  const queryClient = useQueryClient()
  return useCallback(() => retryCall(queryClient, client, name, key), [queryClient, client, name, key])
}
