import type { TaskClient } from '../../core/client/taskClient.js'
import { fetchFor, hasEnded, type QueryClientOfCalls, type QueryOfCall } from '../query/fetchFor.js'
import { holds } from '../query/heldCall.js'
import { keyedCallId } from '../query/keyedCallId.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'

/**
 * Fetches the query of a call again when there is a newer call of its key: another tab, a mutation or the app has made one, or the
 * client was replaced. TanStack Query cannot know that. The fetch waits for the newer call, and calls no tool. To be called while a
 * component shows the query; returns a function that stops it.
 */
export function followNewerCall(
  queryClient: QueryClientOfCalls,
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
  let stopWaiting: (() => void) | undefined

  function look(): void {
    const call = client.getToolCallState(callId)
    if (!isCurrent || stopWaiting !== undefined || call === undefined) return
    const query = queries.find({ queryKey })
    if (query === undefined) return
    if (query.state.fetchStatus !== 'idle') return waitFor(query)
    if (!hasEnded(query) || holds(query, call) || call.phase === 'ended') return
    fetchFor('newer', query)
  }

  /** Looks again after the fetch that runs: it may be one of the newest call. */
  function waitFor(query: QueryOfCall): void {
    stopWaiting = queries.subscribe((event) => {
      if (event.query !== query || (event.type !== 'removed' && query.state.fetchStatus !== 'idle')) return
      stopWaiting?.()
      stopWaiting = undefined
      lookLater()
    })
  }

  /** A turn later: whatever changes a call or a query is to be through with it. */
  const lookLater = () => void Promise.resolve().then(look)

  lookLater()
  const unsubscribe = client.subscribeToolCall(callId, lookLater)
  return () => {
    isCurrent = false
    unsubscribe()
    stopWaiting?.()
  }
}
