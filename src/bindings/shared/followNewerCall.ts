import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { type ClearedQueryClient, queriesOutside } from '../query/clearWhenForgotten.js'
import { noteWanted } from '../query/forgottenCalls.js'
import { holds } from '../query/heldCall.js'
import { keyedCallId } from '../query/keyedCallId.js'
import { hasEnded, isWanted, type QueryClientOfCalls, type QueryOfCall } from '../query/queryOfCall.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'
import { fetchFor } from './fetchFor.js'

/**
 * Fetches the query of a call again when there is a newer call of its key: another tab, a mutation or the app has made one, or the
 * client was replaced; and when the query has lost its fetch while the call still runs. TanStack Query cannot know that. The fetch waits for
 * the newer call, and calls no tool. To be called while a component shows the query; returns a function that stops it.
 */
export function followNewerCall(
  queryClient: QueryClientOfCalls & ClearedQueryClient,
  client: TaskClient,
  name: string,
  key: string | undefined,
): () => void {
  const id = keyedCallId(client, { name, key })
  if (id === undefined) return () => {}
  const callId = id
  const queryKey = toolCallQueryKey(client, name, key)
  const queries = queryClient.getQueryCache()
  let isCurrent = true
  let shown: QueryOfCall | undefined

  function look(): void {
    if (!isCurrent) return
    const cached = queries.find({ queryKey })
    // The fetch of a query ends where the app takes it out of the cache, though it may not say so.
    shown = queriesOutside(client, queryClient, callId)[0] ?? cached
    const call = client.getToolCallState(callId)
    if (call === undefined) return
    // Whatever was forgotten, this call was made since.
    noteWanted(client, callId)
    if (shown === undefined || (shown === cached && shown.state.fetchStatus !== 'idle')) return
    if (!isBehind(shown, call) || call.phase === 'ended') return
    fetchFor('newer', queryClient, client, callId, queryKey)
  }

  /** A query without an outcome was reset, or the fetch of its first one was given up. TanStack fetches it for no call. */
  function isBehind(query: QueryOfCall, call: ToolCallState): boolean {
    if (hasEnded(query)) return !holds(query, call)
    return query.state.status === 'pending' && isWanted(query)
  }

  /** A turn later: whatever changes a call or a query is to be through with it. */
  const lookLater = () => void Promise.resolve().then(look)

  lookLater()
  const stopCall = client.subscribeToolCall(callId, lookLater)
  // A fetch that is over may be one of an earlier call, and what is restored from a storage the outcome of one.
  const stopQueries = queries.subscribe(({ type, query }) => {
    if (query !== shown) return
    if (type === 'removed' || (type === 'updated' && shown.state.fetchStatus === 'idle')) lookLater()
  })
  return () => {
    isCurrent = false
    stopCall()
    stopQueries()
  }
}
