import type { TaskClient } from '../../core/client/taskClient.js'
import { fetchFor, hasEnded, type QueryOfCall } from '../query/fetchFor.js'
import { holds } from '../query/heldCall.js'
import { toolCallQueryKey } from '../query/toolCallQueryOptions.js'

interface FollowedQuery extends QueryOfCall {
  fetch(): Promise<unknown>
}

/** The part of a QueryClient that is used: each binding may bring a copy of its own. */
export interface FollowedQueryClient {
  getQueryCache(): {
    find(filters: { queryKey: readonly unknown[] }): FollowedQuery | undefined
    subscribe(listener: (event: { readonly type: string; readonly query: object }) => void): () => void
  }
}

/**
 * While a component shows the query of a call: has the query fetched once its call is not the newest of the key any more. Another
 * tab, a mutation or the app has made a newer one, or the client has been replaced; TanStack Query hears nothing of that. It is
 * fetched as `call` shows it, and no tool is called. Returns a function that ends this.
 */
export function followNewerCall(
  queryClient: FollowedQueryClient,
  client: TaskClient,
  name: string,
  key: string | undefined,
): () => void {
  if (key === undefined) return () => {}
  const callId = client.toolCallId(name, key)
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
    // A call that is skipped has nothing to fetch.
    if (typeof query.options.queryFn === 'function') fetchFor('newer', query)
  }

  /** Looks again after the fetch that runs: it may be one of the newest call. */
  function waitFor(query: FollowedQuery): void {
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
