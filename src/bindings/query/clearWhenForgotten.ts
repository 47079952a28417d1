import type { TaskClient } from '../../core/client/taskClient.js'
import { isJsonObject } from '../../core/protocol/json.js'
import type { QueryOfCall } from './fetchFor.js'
import { isForgottenOnScreen, noteForgotten, noteUnshown } from './forgottenCalls.js'
import { isSuspending, noteForgottenEarly } from './suspendingQueries.js'

/** The part of a TanStack query that Taskwire needs to clear it. It fits `Query` of every copy of TanStack Query. */
export interface ClearedQuery extends QueryOfCall {
  readonly queryKey: readonly unknown[]
  readonly queryHash: string
  readonly observers: readonly (QueryOfCall['observers'][number] & { setOptions(options: never): void })[]
  getObserversCount(): number
  reset(): void
}

/** The part of a TanStack mutation that Taskwire needs to clear it. */
export interface ClearedMutation {
  readonly options: { readonly mutationKey?: readonly unknown[] | undefined }
}

/** The part of a QueryClient that Taskwire needs to clear it. It fits the caches of every copy of TanStack Query. */
export interface ClearedQueryClient {
  getQueryCache(): {
    findAll(filters: { queryKey: readonly unknown[] }): ClearedQuery[]
    get(queryHash: string): unknown
    remove(query: never): void
    subscribe(listener: (event: { readonly type: string; readonly query: ClearedQuery }) => void): () => void
  }
  getMutationCache(): {
    findAll(filters: { mutationKey: readonly unknown[] }): ClearedMutation[]
    remove(mutation: never): void
    subscribe(
      listener: (event: { readonly type: string; readonly mutation?: ClearedMutation | undefined }) => void,
    ): () => void
  }
}

/** What a query client has of the calls of a client. */
interface Holding {
  readonly queryClient: ClearedQueryClient
  /** Also those that the app has taken out of the cache while components show them. */
  readonly queries: Set<ClearedQuery>
  readonly mutations: Set<ClearedMutation>
}

const holdings = new WeakMap<TaskClient, WeakMap<ClearedQueryClient, Holding>>()

/**
 * Takes what a query client holds of the calls of a client out of it when `forget()` is called, in this tab or in another:
 * queries that are shown are reset and fetch nothing, the others and mutations are removed. A query for which a component suspends
 * holds nothing yet, and fails with its call: if it were removed, the component would call the tool again. It listens once for each
 * pair, from the first call of this function until the query client holds nothing of the client.
 */
export function clearWhenForgotten(client: TaskClient, queryClient: ClearedQueryClient): void {
  const ofClient = holdings.get(client) ?? new WeakMap<ClearedQueryClient, Holding>()
  if (ofClient.has(queryClient)) return
  const queryCache = queryClient.getQueryCache()
  const mutationCache = queryClient.getMutationCache()
  const ofCalls = ['taskwire', client.id, 'tools/call']
  const queries = new Set(queryCache.findAll({ queryKey: ofCalls }))
  const mutations = new Set(mutationCache.findAll({ mutationKey: ofCalls }))
  const holding: Holding = { queryClient, queries, mutations }
  holdings.set(client, ofClient.set(queryClient, holding))

  const stopQueries = queryCache.subscribe(({ type, query }) => {
    const isGone = type === 'removed' || type === 'observerRemoved'
    const call = type === 'added' || isGone ? callOf(client, query.queryKey) : undefined
    if (call === undefined) return
    const { callId } = call
    if (type === 'added') {
      queries.add(query)
      if (callId !== undefined && isForgottenOnScreen(client, callId)) noteForgotten(client, callId, query)
    } else if (query.getObserversCount() === 0) {
      if (callId !== undefined) noteUnshown(client, callId, query)
      if (queryCache.get(query.queryHash) === query) return
      // A turn later, where a component suspends: the app may clear its cache and forget the call in one go.
      if (isSuspending(query)) queueMicrotask(() => release(query))
      else release(query)
    }
  })
  const stopMutations = mutationCache.subscribe(({ type, mutation }) => {
    if (mutation === undefined || callOf(client, mutation.options.mutationKey) === undefined) return
    if (type === 'added') mutations.add(mutation)
    if (type === 'removed' && mutations.delete(mutation)) stopIfEmpty()
  })
  const stopForgotten = clearOnForget(client, new WeakRef(holding))

  function release(query: ClearedQuery): void {
    if (queries.delete(query)) stopIfEmpty()
  }

  function stopIfEmpty(): void {
    if (queries.size + mutations.size > 0) return
    ofClient.delete(queryClient)
    stopQueries()
    stopMutations()
    stopForgotten()
  }
}

/** The queries by which components show a call though the app has taken them out of the cache. */
export function queriesOutside(
  client: TaskClient,
  queryClient: ClearedQueryClient,
  callId: string,
): readonly ClearedQuery[] {
  const { queries = [] } = holdings.get(client)?.get(queryClient) ?? {}
  const cache = queryClient.getQueryCache()
  return [...queries].filter(
    (query) => cache.get(query.queryHash) !== query && callOf(client, query.queryKey)?.callId === callId,
  )
}

/** A client may outlive the query client of a request or of a test, and must not keep it in memory. */
function clearOnForget(client: TaskClient, holding: WeakRef<Holding>): () => void {
  const stop = client.onForgotten((isForgotten) => {
    const current = holding.deref()
    if (current === undefined) stop()
    else clear(client, current, isForgotten)
  })
  return stop
}

/** The call that a query or a mutation is of; undefined if it is none of this client. The id is undefined for one without a key. */
function callOf(
  client: TaskClient,
  [root, id, method, name, call]: readonly unknown[] = [],
): { readonly callId: string | undefined } | undefined {
  // Below the keys of a client, an app may keep something of its own.
  if (root !== 'taskwire' || id !== client.id || method !== 'tools/call' || !isJsonObject(call)) return undefined
  const { key } = call
  return { callId: key === undefined ? undefined : client.toolCallId(String(name), String(key)) }
}

function clear(client: TaskClient, holding: Holding, isForgotten: (callId?: string) => boolean): void {
  const { queryClient } = holding
  for (const query of [...holding.queries]) {
    const call = callOf(client, query.queryKey)
    if (call === undefined || !isForgotten(call.callId)) continue
    const { callId } = call
    const isShown = query.getObserversCount() > 0
    if (!isShown && callId !== undefined && isSuspending(query)) {
      noteForgottenEarly(client, callId)
      continue
    }
    if (isShown && callId !== undefined) noteForgotten(client, callId, query)
    query.reset()
    if (!isShown) queryClient.getQueryCache().remove(query as never)
  }
  for (const mutation of [...holding.mutations]) {
    const call = callOf(client, mutation.options.mutationKey)
    if (call !== undefined && isForgotten(call.callId)) queryClient.getMutationCache().remove(mutation as never)
  }
}
