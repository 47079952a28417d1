import { useEffect } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { takeThrown } from '../query/thrownErrors.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'
import { useQueryClient, useQueryErrorResetBoundary } from './reactQuery.js'

/**
 * Calls `retry` in a component that had thrown its error (`throwOnError`), and whose error boundary has been reset. TanStack itself does not
 * fetch the query of a failed call: it is disabled.
 */
export function useRetryAfterReset(client: TaskClient, name: string, key: string | undefined, retry: () => void): void {
  const queryClient = useQueryClient()
  const isReset = useQueryErrorResetBoundary().isReset()
  useEffect(() => {
    const query = isReset && queryClient.getQueryCache().find({ queryKey: toolCallQueryKey(client, name, key) })
    if (query && takeThrown(query.state.error)) retry()
  }, [isReset, queryClient, client, name, key, retry])
}
