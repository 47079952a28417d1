import type { TaskClient } from '../../core/client/taskClient.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { isForgottenOnScreen, noteForgotten, noteUnshown } from './forgottenCalls.js'
import type { QueryOfCall } from './queryOfCall.js'
import { isSuspending, noteForgottenEarly } from './suspendingQueries.js'

/** The part of a TanStack query that Taskwire needs to clear it. It fits `Query` of every copy of TanStack Query. */
export interface ClearedQuery extends QueryOfCall {
  readonly state: QueryOfCall['state'] & { readonly error: unknown }
  readonly queryKey: readonly unknown[]
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
    remove(query: never): void
    subscribe(listener: (event: { readonly type: string; readonly query: ClearedQuery }) => void): () => void
  }
  getMutationCache(): {
    findAll(filters: { mutationKey: readonly unknown[] }): ClearedMutation[]
    remove(mutation: never): void
  }
}

type QueryEvent = Parameters<Parameters<ReturnType<ClearedQueryClient['getQueryCache']>['subscribe']>[0]>[0]

/** The queries of a client that an app has taken out of the cache of a query client while components show them. */
const outside = new WeakMap<TaskClient, WeakMap<ClearedQueryClient, Set<ClearedQuery>>>()

/**
 * Takes what a query client holds of the calls of a client out of it when `forget()` is called, in this tab or in another:
 * queries that are shown are reset and fetch nothing, the others and mutations are removed. A query for which a component suspends
 * holds nothing yet, and fails with its call: if it were removed, the component would call the tool again. Once for each pair: of the
 * client and the query client, neither keeps the other in memory.
 */
export function clearWhenForgotten(client: TaskClient, queryClient: ClearedQueryClient): void {
  const ofClient = outside.get(client) ?? new WeakMap<ClearedQueryClient, Set<ClearedQuery>>()
  if (ofClient.has(queryClient)) return
  outside.set(client, ofClient.set(queryClient, new Set()))
  watchQueries(new WeakRef(client), queryClient)
  watchForgotten(client, new WeakRef(queryClient))
}

/** The queries by which components show a call though the app has taken them out of the cache. */
export function queriesOutside(
  client: TaskClient,
  queryClient: ClearedQueryClient,
  callId: string,
): readonly ClearedQuery[] {
  const queries = outside.get(client)?.get(queryClient) ?? []
  return [...queries].filter(({ queryKey }) => callOf(client, queryKey)?.callId === callId)
}

/** An app may have a client for each user who signs in. */
function watchQueries(client: WeakRef<TaskClient>, queryClient: ClearedQueryClient): void {
  const stop = queryClient.getQueryCache().subscribe((event) => {
    const current = client.deref()
    if (current === undefined) stop()
    else noteEvent(current, queryClient, event)
  })
}

/** An app may have a query client for each request, or for each test. */
function watchForgotten(client: TaskClient, queryClient: WeakRef<ClearedQueryClient>): void {
  const stop = client.onForgotten((isForgotten) => {
    const current = queryClient.deref()
    if (current === undefined) stop()
    else clear(client, current, isForgotten)
  })
}

function noteEvent(client: TaskClient, queryClient: ClearedQueryClient, { type, query }: QueryEvent): void {
  const isRemoved = type === 'removed'
  if (!isRemoved && type !== 'added' && type !== 'observerRemoved') return
  const queries = outside.get(client)?.get(queryClient)
  const call = callOf(client, query.queryKey)
  if (queries === undefined || call === undefined) return
  const { callId } = call
  if (type === 'added') {
    if (callId !== undefined && isForgottenOnScreen(client, callId)) noteForgotten(client, callId, query)
    return
  }
  const isShown = query.getObserversCount() > 0
  if (isRemoved && (isShown || isSuspending(query))) queries.add(query)
  if (isShown) return
  // A turn later: React may end an effect and run it again, and an app clear its cache and forget the call in one go.
  queueMicrotask(() => {
    if (query.getObserversCount() === 0) queries.delete(query)
  })
  if (callId !== undefined) noteUnshown(client, callId, query)
}

/** The call of the query or mutation with this key; undefined if it is not a call of this client. A call without a key has no id. */
function callOf(
  client: TaskClient,
  [root, id, method, name, call]: readonly unknown[] = [],
): { readonly callId: string | undefined } | undefined {
  // Below the keys of a client, an app may keep something of its own.
  if (root !== 'taskwire' || id !== client.id || method !== 'tools/call' || !isJsonObject(call)) return undefined
  const { key } = call
  return { callId: key === undefined ? undefined : client.toolCallId(String(name), String(key)) }
}

function clear(client: TaskClient, queryClient: ClearedQueryClient, isForgotten: (callId?: string) => boolean): void {
  const ofCalls = ['taskwire', client.id, 'tools/call']
  const queryCache = queryClient.getQueryCache()
  const queries = outside.get(client)?.get(queryClient) ?? []
  for (const query of [...queryCache.findAll({ queryKey: ofCalls }), ...queries]) {
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
    if (!isShown) queryCache.remove(query as never)
  }
  const mutationCache = queryClient.getMutationCache()
  for (const mutation of mutationCache.findAll({ mutationKey: ofCalls })) {
    const call = callOf(client, mutation.options.mutationKey)
    if (call !== undefined && isForgotten(call.callId)) mutationCache.remove(mutation as never)
  }
}
