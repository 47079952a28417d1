import type { TaskClient } from '../../core/client/taskClient.js'
import { isJsonObject } from '../../core/protocol/json.js'

/** The part of a TanStack query that Taskwire needs to clear it. It fits `Query` of every copy of TanStack Query. */
export interface ClearedQuery {
  readonly queryKey: readonly unknown[]
  readonly queryHash: string
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

const known = new WeakMap<TaskClient, WeakSet<ClearedQueryClient>>()

/** Queries whose call was forgotten while components showed them, until the call is made again or the components are gone. */
const forgottenOnScreen = new WeakSet<object>()

/** What waits for queries to be wanted again. */
const waiting = new WeakMap<object, () => void>()

/** Queries that are fetched for components that suspend, which observe them once there is an outcome; and the latest fetch of each. */
const suspending = new WeakMap<object, object>()

/**
 * Takes what a query client holds of the calls of a client out of it when `forget()` is called, in this tab or in another:
 * queries that are shown are reset and fetch nothing, the others and mutations are removed. A query for which a component suspends
 * holds nothing yet, and fails with its call: if it were removed, the component would call the tool again. Once for each pair.
 */
export function clearWhenForgotten(client: TaskClient, queryClient: ClearedQueryClient): void {
  const cleared = known.get(client) ?? new WeakSet()
  if (cleared.has(queryClient)) return
  known.set(client, cleared.add(queryClient))
  // A client may outlive the query client of a request or of a test.
  const reference = new WeakRef(queryClient)
  const stop = client.onForgotten((isForgotten) => {
    const current = reference.deref()
    if (current === undefined) stop()
    else clear(client, current, isForgotten)
  })
}

/** True if components that show the query have done so when its call was forgotten: none of them asks for another call. */
export function isForgottenOnScreen(query: object): boolean {
  return forgottenOnScreen.has(query)
}

/** The query has a call again: the app has it fetched, or something else has made one of its key. */
export function noteWanted(query: object): void {
  forgottenOnScreen.delete(query)
  waiting.get(query)?.()
  waiting.delete(query)
}

/** Resolves when the app wants the query again. A component that suspends makes TanStack fetch its query also before that. */
export function untilWanted(query: object, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.set(query, resolve)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** A component suspends until this fetch of the query brings its first outcome, or does so no longer. */
export function noteSuspending(query: object, fetch: object, isSuspending: boolean): void {
  if (isSuspending) suspending.set(query, fetch)
  // One that was given up ends when another has begun.
  else if (suspending.get(query) === fetch) suspending.delete(query)
}

function clear(client: TaskClient, queryClient: ClearedQueryClient, isForgotten: (callId?: string) => boolean): void {
  const ofCalls = ['taskwire', client.id, 'tools/call']
  const isCleared = ([, , , name, call]: readonly unknown[]) => {
    // Below the keys of a client, an app may keep something of its own.
    if (!isJsonObject(call)) return false
    const { key } = call
    return isForgotten(key === undefined ? undefined : client.toolCallId(String(name), String(key)))
  }
  const queries = queryClient.getQueryCache()
  for (const query of queries.findAll({ queryKey: ofCalls })) {
    if (!isCleared(query.queryKey)) continue
    const isShown = query.getObserversCount() > 0
    if (!isShown && suspending.has(query)) continue
    if (isShown) leaveEmpty(query, queries)
    query.reset()
    if (!isShown) queries.remove(query as never)
  }
  const mutations = queryClient.getMutationCache()
  for (const mutation of mutations.findAll({ mutationKey: ofCalls })) {
    if (isCleared(mutation.options.mutationKey ?? [])) mutations.remove(mutation as never)
  }
}

/** Until no component shows the query. Where the app clears the cache meanwhile, they show another one of the same key. */
function leaveEmpty(query: ClearedQuery, queries: ReturnType<ClearedQueryClient['getQueryCache']>): void {
  forgottenOnScreen.add(query)
  const stop = queries.subscribe((event) => {
    if (event.type === 'added') {
      const isSame = event.query !== query && event.query.queryHash === query.queryHash
      if (isSame && isForgottenOnScreen(query)) leaveEmpty(event.query, queries)
    } else if (event.query === query && query.getObserversCount() === 0) {
      forgottenOnScreen.delete(query)
      stop()
    }
  })
}
