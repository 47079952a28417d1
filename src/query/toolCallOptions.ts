import type { DataTag, QueryFunctionContext, QueryObserverOptions, SkipToken } from '@tanstack/query-core'
import type { TaskClient } from '../client/taskClient.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { argumentsKey } from './argumentsKey.js'
import { type ToolOutputOf, toolOutput } from './toolOutput.js'

/** `['taskwire', client, 'tools/call', tool, { key }]`. It holds no arguments and no task id. */
export type ToolCallQueryKey = readonly ['taskwire', string, 'tools/call', string, { readonly key: string | undefined }]

/** TanStack's own options, but for those that make a call a call. */
export type ToolCallQueryOptions<TData> = Omit<
  QueryObserverOptions<TData, Error, TData, TData, ToolCallQueryKey>,
  'queryKey' | 'queryFn' | 'queryHash' | 'queryKeyHashFn' | 'suspense' | 'select' | 'persister'
>

/** The call that a query stands for. */
export interface ToolCallQueryParams<S extends StandardSchemaV1 | undefined = undefined> {
  /** The tool's name. */
  name: string
  /** What the tool is called with. `skipToken` of TanStack Query: not yet. */
  arguments?: Record<string, unknown> | SkipToken | undefined
  /** Names the call. @default the arguments: the same arguments are the same call */
  key?: string | undefined
  /** Any Standard Schema (zod, valibot, arktype): checks and types `data.structuredContent`. */
  outputSchema?: S
  /** Options of TanStack Query. */
  query?: ToolCallQueryOptions<ToolOutputOf<S>> | undefined
}

/** What {@link toolCallOptions} returns: options for `useQuery`, `prefetchQuery`, `ensureQueryData` and their kin. */
export type ToolCallQuery<TData> = ToolCallQueryOptions<TData> & {
  queryKey: ToolCallQueryKey & DataTag<ToolCallQueryKey, TData, Error>
  queryFn: ((context: QueryFunctionContext<ToolCallQueryKey>) => Promise<TData>) | SkipToken
}

/**
 * A tool call as a query, for any binding of TanStack Query.
 *
 * A tool call has side effects, so this query never calls a tool again by itself: no retry, no refetch
 * on focus, mount or reconnect, never stale. The same call is made once, however many observers, mounts
 * and reloads; `refetch()` calls the tool again.
 *
 * @example
 * ```ts
 * const report = await queryClient.fetchQuery(
 *   toolCallOptions(client, { name: 'generate_report', arguments: { seconds: 30 } }),
 * )
 * ```
 */
export function toolCallOptions<S extends StandardSchemaV1 | undefined = undefined>(
  client: TaskClient,
  params: ToolCallQueryParams<S>,
): ToolCallQuery<ToolOutputOf<S>> {
  const { name, arguments: args, query, outputSchema } = params
  const key = toolCallKey(params)
  const queryKey = ['taskwire', client.id, 'tools/call', name, { key }] as const

  async function queryFn(context: QueryFunctionContext<ToolCallQueryKey>): Promise<ToolOutputOf<S>> {
    const { result } = client.startToolCall(
      { name, ...(isArguments(args) && { arguments: args }) },
      { signal: context.signal, fresh: hasEnded(context), ...(key !== undefined && { key }) },
    )
    return toolOutput(await result, name, outputSchema as S)
  }

  return {
    retry: false,
    retryOnMount: false,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    // Offline, the call itself waits, and says so; a paused query would say nothing.
    networkMode: 'always',
    ...query,
    queryKey: queryKey as ToolCallQuery<ToolOutputOf<S>>['queryKey'],
    queryFn: isSkipped(args) ? args : queryFn,
  }
}

/** The key of the call in `client.store`, undefined while the call is skipped. */
export function toolCallKey(
  params: Pick<ToolCallQueryParams<StandardSchemaV1 | undefined>, 'arguments' | 'key'>,
): string | undefined {
  const { arguments: args, key } = params
  if (key !== undefined) return key
  return isSkipped(args) ? undefined : argumentsKey(args)
}

/** A fetch of a query that has an outcome is a `refetch()`: the app wants the tool called again. */
function hasEnded({ client, queryKey }: QueryFunctionContext<ToolCallQueryKey>): boolean {
  const state = client.getQueryState(queryKey)
  return state !== undefined && (state.dataUpdateCount > 0 || state.errorUpdateCount > 0)
}

function isSkipped(args: ToolCallQueryParams['arguments']): args is SkipToken {
  return typeof args === 'symbol'
}

function isArguments(args: ToolCallQueryParams['arguments']): args is Record<string, unknown> {
  return typeof args === 'object'
}
