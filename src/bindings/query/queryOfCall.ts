/** The part of a TanStack query that the options read. It fits `Query` of every copy of TanStack Query. */
export interface QueryOfCall {
  readonly state: {
    readonly status: string
    readonly fetchStatus: string
    readonly fetchMeta: object | null
    readonly dataUpdateCount: number
    readonly dataUpdatedAt: number
    readonly errorUpdateCount: number
    readonly errorUpdatedAt: number
  }
  readonly options: { readonly queryFn?: unknown }
  readonly observers: readonly { readonly options: { readonly queryFn?: unknown; readonly enabled?: unknown } }[]
}

/** A query that can be fetched. */
export interface FetchedQuery extends QueryOfCall {
  fetch(options: object, fetchOptions: { readonly meta: object }): Promise<unknown>
}

/** The part of a QueryClient that fetches a query of its cache. Each binding may bring a copy of its own. */
export interface QueryClientOfCalls {
  getQueryCache(): {
    build(queryClient: never, options: never): FetchedQuery
    find(filters: { queryKey: readonly unknown[] }): FetchedQuery | undefined
    subscribe(listener: (event: { readonly type: string; readonly query: object }) => void): () => void
  }
}

/** What a query is fetched for: to make its call `again`, or once it has ended, for the outcome of the `newer` call that is there meanwhile. */
export type FetchReason = 'again' | 'newer'

/** False where the component skips its call. */
export function hasFunction({ options }: Pick<QueryOfCall, 'options'>): boolean {
  return typeof options.queryFn === 'function'
}

/** Why a query is being fetched, in its query function. Undefined where the outcome of its call is wanted, whichever that is. */
export function reasonOf(query: QueryOfCall): FetchReason | undefined {
  const { reason } = (query.state.fetchMeta ?? {}) as { readonly reason?: FetchReason }
  // The call may have ended before a reload, or before the app has cleared its cache: then the query knows of no end.
  if (reason === 'again') return reason
  if (!hasEnded(query)) return undefined
  return reason ?? (isRefetched(query) ? 'again' : undefined)
}

export function hasEnded({ state }: Pick<QueryOfCall, 'state'>): boolean {
  return state.dataUpdateCount + state.errorUpdateCount > 0
}

/** True while a component shows the query that has its call neither skipped nor held back. */
export function isWanted(query: QueryOfCall): boolean {
  return query.observers.filter(hasFunction).some(({ options: { enabled } }) => {
    const isEnabled: unknown = typeof enabled === 'function' ? enabled(query) : enabled
    return isEnabled !== false
  })
}

/**
 * TanStack fetches an observed query that has ended for `refetch()`, by the options of its observer: it is static, or disabled.
 * `prefetchQuery()` and its kind fetch one that has failed by options of their own.
 */
function isRefetched({ options, observers }: QueryOfCall): boolean {
  return observers.some((observer) => observer.options.queryFn === options.queryFn)
}
