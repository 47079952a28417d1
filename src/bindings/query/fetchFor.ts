/** The part of a TanStack query that the options read. It fits `Query` of every copy of TanStack Query. */
export interface QueryOfCall {
  readonly state: {
    readonly status: string
    readonly fetchStatus: string
    readonly dataUpdateCount: number
    readonly errorUpdateCount: number
  }
  readonly options: { readonly queryFn?: unknown }
  readonly observers: readonly { readonly options: { readonly queryFn?: unknown } }[]
}

interface FetchedQuery extends QueryOfCall {
  fetch(): Promise<unknown>
}

/** The part of a QueryClient that fetches a query of its cache. Each binding may bring a copy of its own. */
export interface QueryClientOfCalls {
  getQueryCache(): {
    find(filters: { queryKey: readonly unknown[] }): FetchedQuery | undefined
    subscribe(listener: (event: { readonly type: string; readonly query: object }) => void): () => void
  }
}

/**
 * What a query that has ended is fetched for: to make its call `again`, or for the outcome of the `newer` call that
 * something else has made meanwhile.
 */
export type FetchReason = 'again' | 'newer'

const reasons = new WeakMap<object, FetchReason>()

/**
 * Fetches a query, or joins the fetch that runs. TanStack calls the query function at once, but does not tell it why. A call that is
 * skipped has nothing to fetch: TanStack would make that an error of the query, which would never be fetched again.
 */
export function fetchFor(reason: FetchReason, query: FetchedQuery | undefined): void {
  if (typeof query?.options.queryFn !== 'function') return
  reasons.set(query, reason)
  query.fetch().catch(() => {})
  reasons.delete(query)
}

/** Why a query is being fetched, in its query function. Undefined where the outcome of its call is wanted, whichever that is. */
export function reasonOf(query: QueryOfCall): FetchReason | undefined {
  if (!hasEnded(query)) return undefined
  return reasons.get(query) ?? (isRefetched(query) ? 'again' : undefined)
}

export function hasEnded({ state }: Pick<QueryOfCall, 'state'>): boolean {
  return state.dataUpdateCount + state.errorUpdateCount > 0
}

/**
 * TanStack fetches an observed query that has ended for `refetch()`, by the options of its observer: it is static, or disabled.
 * `prefetchQuery()` and its kind fetch one that has failed by options of their own.
 */
function isRefetched({ options, observers }: QueryOfCall): boolean {
  return observers.some((observer) => observer.options.queryFn === options.queryFn)
}
