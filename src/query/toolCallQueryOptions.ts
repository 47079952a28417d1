import type { DataTag, QueryObserverOptions, SkipToken } from '@tanstack/query-core'
import type { TaskClient } from '../client/taskClient.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { argumentsKey } from './argumentsKey.js'
import { type ToolOutputOf, toolOutput } from './toolOutput.js'

/** `['taskwire', client, 'tools/call', tool, { key }]`. It holds no arguments and no task id. */
export type ToolCallQueryKey = readonly ['taskwire', string, 'tools/call', string, { readonly key: string | undefined }]

/** TanStack's own options, but for those that make a call a call. */
export type ToolCallQueryParameter<TData> = Omit<
  QueryObserverOptions<TData, Error, TData, TData, ToolCallQueryKey>,
  'queryKey' | 'queryFn' | 'queryHash' | 'queryKeyHashFn' | 'suspense' | 'select' | 'persister'
>

/** The call that a query stands for. */
export interface ToolCallQueryOptions<S extends StandardSchemaV1 | undefined = undefined> {
  /** The tool's name. */
  name: string
  /** What the tool is called with. `skipToken` of TanStack Query: not yet. */
  arguments?: Record<string, unknown> | SkipToken | undefined
  /** Names the call. @default the arguments: the same arguments are the same call */
  key?: string | undefined
  /** Any Standard Schema (zod, valibot, arktype): checks and types `data.structuredContent`. */
  outputSchema?: S
  /** Options of TanStack Query. `enabled` without parameters is a getter, which Vue tracks. */
  query?: ToolCallQueryParameter<ToolOutputOf<S>> | undefined
}

/** The part of a TanStack query that the options read: each binding may bring a copy of `Query` of its own. */
interface AnyQuery {
  readonly state: { readonly status: string; readonly dataUpdateCount: number; readonly errorUpdateCount: number }
  getObserversCount(): number
}

/** The part of a `QueryFunctionContext` that the query function reads. */
interface ToolCallQueryContext {
  readonly signal: AbortSignal
  readonly client: {
    getQueryCache(): { find(filters: { queryKey: ToolCallQueryKey }): AnyQuery | undefined }
  }
}

/** Whether a query is enabled. vue-query calls `enabled` without a query and takes what it returns for `enabled`. */
interface ToolCallQueryEnabled {
  (): ToolCallQueryEnabled
  (query: AnyQuery): boolean
}

/**
 * What {@link toolCallQueryOptions} returns: options for `useQuery`, `prefetchQuery`, `ensureQueryData` and their kin. With
 * `skipToken` among its `arguments`, the query function may be that.
 */
export interface ToolCallQuery<TData, TSkip extends SkipToken = never> {
  queryKey: ToolCallQueryKey & DataTag<ToolCallQueryKey, TData, Error>
  queryFn: ((context: ToolCallQueryContext) => Promise<TData>) | TSkip
  enabled: ToolCallQueryEnabled
}

/**
 * A tool call as a query, for any binding of TanStack Query.
 *
 * A tool call has side effects, so this query never calls a tool again by itself: no retry, no refetch
 * on focus, mount or reconnect, at an interval or when queries are invalidated, whatever the defaults of
 * the QueryClient. The same call is made once, however many observers, mounts and reloads. The
 * `refetch()` of a mounted query calls the tool again, or joins the call if it is still running. A query
 * that nobody observes brings back the outcome that the call has had, its failure included.
 *
 * @example
 * ```ts
 * const report = await queryClient.fetchQuery(
 *   toolCallQueryOptions(client, { name: 'generate_report', arguments: { seconds: 30 } }),
 * )
 * ```
 */
export function toolCallQueryOptions<S extends StandardSchemaV1 | undefined = undefined>(
  client: TaskClient,
  params: ToolCallQueryOptions<S> & { arguments?: Record<string, unknown> | undefined },
): ToolCallQuery<ToolOutputOf<S>>
export function toolCallQueryOptions<S extends StandardSchemaV1 | undefined = undefined>(
  client: TaskClient,
  params: ToolCallQueryOptions<S>,
): ToolCallQuery<ToolOutputOf<S>, SkipToken>
export function toolCallQueryOptions<S extends StandardSchemaV1 | undefined>(
  client: TaskClient,
  params: ToolCallQueryOptions<S>,
): ToolCallQuery<ToolOutputOf<S>, SkipToken> {
  return toolCallQuery(client, params, false)
}

/** {@link toolCallQueryOptions}; `isRetry` has a call that failed made again when its query mounts. */
export function toolCallQuery<S extends StandardSchemaV1 | undefined>(
  client: TaskClient,
  params: ToolCallQueryOptions<S>,
  isRetry: boolean,
): ToolCallQuery<ToolOutputOf<S>, SkipToken> {
  const { name, arguments: args, query, outputSchema } = params
  const key = toolCallKey(params)
  const queryKey = toolCallQueryKey(client, name, key)

  async function queryFn(context: ToolCallQueryContext): Promise<ToolOutputOf<S>> {
    const fetched = context.client.getQueryCache().find({ queryKey })
    const isRepeat = fetched !== undefined && hasEnded(fetched) && (isRetry || isObserved(fetched))
    const { result } = client.startToolCall(
      { name, ...(isArguments(args) && { arguments: args }) },
      {
        // Reading the signal lets TanStack give the fetch up on unmount, and with it what the repeat brings.
        ...(isRepeat ? { repeat: 'settled' } : { signal: context.signal }),
        ...(key !== undefined && { key }),
      },
    )
    return toolOutput(await result, name, outputSchema as S)
  }

  return {
    retry: false,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: false,
    staleTime: 'static',
    // Offline, the call itself waits, and says so; a paused query would say nothing.
    networkMode: 'always',
    ...query,
    enabled: unlessFailed(query?.enabled as Parameters<typeof unlessFailed>[0]),
    queryKey: queryKey as ToolCallQuery<ToolOutputOf<S>>['queryKey'],
    queryFn: isSkipped(args) ? args : queryFn,
  }
}

export function toolCallQueryKey(client: TaskClient, name: string, key: string | undefined): ToolCallQueryKey {
  return ['taskwire', client.id, 'tools/call', name, { key }]
}

/** The key of the call in `client.store`, undefined while the call is skipped. */
export function toolCallKey(
  params: Pick<ToolCallQueryOptions<StandardSchemaV1 | undefined>, 'arguments' | 'key'>,
): string | undefined {
  const { arguments: args, key } = params
  if (key !== undefined) return key
  return isSkipped(args) ? undefined : argumentsKey(args)
}

function hasEnded({ state }: AnyQuery): boolean {
  return state.dataUpdateCount + state.errorUpdateCount > 0
}

/** TanStack fetches an observed query that has ended for `refetch()` alone: it is static, or disabled. */
function isObserved(query: AnyQuery): boolean {
  return query.getObserversCount() > 0
}

/**
 * `staleTime: 'static'` holds a query that has data; one that has failed is held by being disabled. Without a query,
 * vue-query asks for what its observer is to call, and tracks what a getter reads meanwhile.
 */
function unlessFailed(enabled: boolean | ((query: AnyQuery) => boolean) = true): ToolCallQueryEnabled {
  function isEnabled(): ToolCallQueryEnabled
  function isEnabled(query: AnyQuery): boolean
  function isEnabled(query?: AnyQuery): ToolCallQueryEnabled | boolean {
    if (query === undefined) return unlessFailed(isGetter(enabled) ? enabled() : enabled)
    return query.state.status !== 'error' && (typeof enabled === 'function' ? enabled(query) : enabled)
  }
  return isEnabled
}

function isGetter(enabled: unknown): enabled is () => boolean {
  return typeof enabled === 'function' && enabled.length === 0
}

function isSkipped(args: ToolCallQueryOptions['arguments']): args is SkipToken {
  return typeof args === 'symbol'
}

function isArguments(args: ToolCallQueryOptions['arguments']): args is Record<string, unknown> {
  return typeof args === 'object'
}
