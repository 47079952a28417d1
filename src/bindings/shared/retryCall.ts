import type { TaskClient } from '../../core/client/taskClient.js'
import type { ClearedQueryClient } from '../query/clearWhenForgotten.js'
import { noteWanted } from '../query/forgottenCalls.js'
import { keyedCallId } from '../query/keyedCallId.js'
import type { QueryClientOfCalls } from '../query/queryOfCall.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'
import { fetchFor } from './fetchFor.js'

/**
 * Fetches the query of a call again, or joins the fetch that runs. Through the cache, because reading
 * `refetch` off TanStack's result would make it one of the members that are rendered for.
 */
export function retryCall(
  queryClient: QueryClientOfCalls & ClearedQueryClient,
  client: TaskClient,
  name: string,
  key: string | undefined,
): void {
  const callId = keyedCallId(client, { name, key })
  if (callId === undefined) return
  noteWanted(client, callId)
  fetchFor('again', queryClient, client, callId, toolCallQueryKey(client, name, key))
}
