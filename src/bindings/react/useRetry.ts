import { useCallback } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { retryCall } from '../shared/retryCall.js'
import { useQueryClient } from './reactQuery.js'

/** Calls the tool of a query again, or joins the call that runs. */
export function useRetry(client: TaskClient, name: string, key: string | undefined): () => void {
  const queryClient = useQueryClient()
  return useCallback(() => retryCall(queryClient, client, name, key), [queryClient, client, name, key])
}
