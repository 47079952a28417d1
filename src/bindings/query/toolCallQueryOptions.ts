import type { DataTag, QueryObserverOptions, SkipToken } from '@tanstack/query-core'
import { checkMembers } from '../../core/client/checkNames.js'
import { mustBe } from '../../core/client/mustBe.js'
import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { TaskClient, ToolCall, ToolCallOptions } from '../../core/client/taskClient.js'
import type { ToolArguments, ToolName, WithArguments } from '../../core/client/tools.js'
import { inDevelopment } from '../../core/environment/inDevelopment.js'
import type { ToolCallMeta } from '../../core/protocol/register.js'
import { ANY_ARGUMENTS, type AnyArguments, warnOfOtherArguments } from '../../core/run/keys.js'
import { argumentsKey } from './argumentsKey.js'
import { type ClearedQuery, type ClearedQueryClient, clearWhenForgotten } from './clearWhenForgotten.js'
import { isForgottenOnScreen, noteWanted, untilWanted } from './forgottenCalls.js'
import { noteHeld } from './heldCall.js'
import { keyedCallId } from './keyedCallId.js'
import { QUERY_ADVICE, TOOL_CALL_QUERY } from './optionNames.js'
import { type QueryOfCall, reasonOf } from './queryOfCall.js'
import { failIfForgottenEarly, noteSuspending } from './suspendingQueries.js'
import { takeThrown } from './thrownErrors.js'
import { type ToolOutputOf, toolOutput } from './toolOutput.js'

/** `['taskwire', client, 'tools/call', tool, { key }]`. It holds no arguments and no task id. */
export type ToolCallQueryKey = readonly ['taskwire', string, 'tools/call', string, { readonly key: string | undefined }]

/** TanStack's own options, except those that Taskwire sets. */
export type ToolCallQueryParameter<TOutput, TData = TOutput> = Omit<
  QueryObserverOptions<TOutput, Error, TData, TOutput, ToolCallQueryKey>,
  'queryKey' | 'queryFn' | 'queryHash' | 'queryKeyHashFn' | 'suspense' | 'persister'
>

/** The call that a query stands for. `TSkip` is the type of `skipToken`: each copy of TanStack Query has its own. */
export type ToolCallQueryOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
  TSkip = SkipToken,
> = ToolCallQueryBase<T, Name, S, TData> & WithArguments<ToolArguments<T, Name>, TSkip | undefined>

/** {@link ToolCallQueryOptions} with arguments of any type. */
export interface ToolCallQueryBase<T, Name extends ToolName<T>, S extends StandardSchemaV1 | undefined, TData> {
  /** The tool's name. */
  name: Name
  /** The arguments of the tool. `skipToken` of TanStack Query holds the call back. */
  arguments?: unknown
  /**
   * Names the call, and is part of the query key. The same key with other arguments makes no new call, and warns in
   * development.
   * @default a key made of the arguments: the same arguments are the same call
   */
  key?: string | undefined
  /**
   * Any Standard Schema (zod, valibot, arktype): checks and types `data.structuredContent`. Components that share a call share
   * its checked result, so give them the same schema.
   */
  outputSchema?: S
  /** As in `ToolCallOptions`: the app's own note on the call, such as a title for a list. */
  meta?: ToolCallMeta | undefined
  /** As in `ToolCallOptions`: keeps the result for longer than the server does. */
  keepResult?: ToolCallOptions['keepResult']
  /**
   * Options of TanStack Query, such as `select`, or `enabled` to hold the call back. A function `enabled` without
   * parameters is a getter, which Vue tracks. If you set `staleTime` or `refetchInterval`, the tool is called again
   * whenever TanStack Query fetches the query again, also for `invalidateQueries()`.
   */
  query?: ToolCallQueryParameter<ToolOutputOf<S, T, Name>, TData> | undefined
}

/** The members of {@link ToolCallQueryOptions} that Taskwire reads, for any tool. */
export interface AnyToolCallQueryOptions {
  readonly name: string
  readonly arguments?: unknown
  readonly key?: string | undefined
  readonly outputSchema?: StandardSchemaV1 | undefined
  readonly meta?: ToolCallMeta | undefined
  readonly keepResult?: ToolCallOptions['keepResult']
  readonly query?: object | undefined
}

/** The part of a `QueryFunctionContext` that the query function reads. */
export interface ToolCallQueryContext {
  readonly signal: AbortSignal
  readonly client: Omit<ClearedQueryClient, 'getQueryCache'> & {
    getQueryCache(): ReturnType<ClearedQueryClient['getQueryCache']> & {
      find(filters: { queryKey: ToolCallQueryKey }): ClearedQuery | undefined
    }
  }
}

/** Whether a query is enabled. vue-query calls `enabled` without a query and uses the return value as `enabled`. */
export interface ToolCallQueryEnabled {
  (): ToolCallQueryEnabled
  (query: QueryOfCall): boolean
}

/**
 * The return value of {@link toolCallQueryOptions}: options for `useQuery`, `prefetchQuery`, `ensureQueryData` and similar
 * functions. If `arguments` may be `skipToken`, so may the query function.
 */
export interface ToolCallQuery<TOutput, TData = TOutput, TSkip extends SkipToken = never> {
  queryKey: ToolCallQueryKey & DataTag<ToolCallQueryKey, TOutput, Error>
  queryFn: ((context: ToolCallQueryContext) => Promise<TOutput>) | TSkip
  enabled: ToolCallQueryEnabled
  select?: (data: TOutput) => TData
}

/**
 * A tool call as a query, for any binding of TanStack Query.
 *
 * A tool call has side effects, so this query never calls a tool again automatically: no retry, no refetch on focus, mount
 * or reconnect, at an interval or when queries are invalidated, whatever the defaults of the QueryClient. The same call is
 * made once, no matter how many observers, mounts and reloads there are. The `refetch()` of a mounted query calls the tool
 * again, or joins the call if it is still running. `prefetchQuery`, `fetchQuery` and `ensureQueryData` return the known
 * outcome of the call, including a failure. Pass them options of their own, from another call of `toolCallQueryOptions`:
 * if they get the options object of a mounted query whose call has failed, they call the tool again.
 *
 * @example
 * ```ts
 * const report = await queryClient.fetchQuery(
 *   toolCallQueryOptions(client, { name: 'generate_report', arguments: { seconds: 30 } }),
 * )
 * ```
 */
export function toolCallQueryOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(
  client: TaskClient<T>,
  options: ToolCallQueryBase<T, Name, S, TData> & WithArguments<ToolArguments<T, Name>>,
): ToolCallQuery<ToolOutputOf<S, T, Name>, TData>
export function toolCallQueryOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(
  client: TaskClient<T>,
  options: ToolCallQueryOptions<T, Name, S, TData>,
): ToolCallQuery<ToolOutputOf<S, T, Name>, TData, SkipToken>
export function toolCallQueryOptions(client: TaskClient, options: AnyToolCallQueryOptions): unknown {
  inDevelopment?.(() => checkMembers(options, TOOL_CALL_QUERY, QUERY_ADVICE))
  return toolCallQuery(client, options)
}

const UNREPEATED = {
  retry: false,
  refetchOnMount: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchInterval: false,
  staleTime: 'static',
  // Offline, the call itself waits, and says so; a paused query would say nothing.
  networkMode: 'always',
}

/**
 * {@link toolCallQueryOptions}. `suspense`: a component suspends until the query has a result, so that TanStack fetches it
 * whenever it has none. `isReset` has a call that failed made again when its query mounts.
 */
export function toolCallQuery(
  client: TaskClient,
  options: AnyToolCallQueryOptions,
  suspense?: { readonly isReset: boolean },
): ToolCallQuery<unknown, unknown, SkipToken> {
  const { name, arguments: args, query, outputSchema, meta, keepResult } = options
  const key = toolCallKey(options)
  const queryKey = toolCallQueryKey(client, name, key)
  const callId = keyedCallId(client, { name, key })
  const isForgotten = () => callId !== undefined && isForgottenOnScreen(client, callId)
  inDevelopment?.(() => {
    checkEnabled(query)
    warnOfChange(client, options)
  })

  async function queryFn(context: ToolCallQueryContext): Promise<unknown> {
    clearWhenForgotten(client, context.client)
    const fetched = context.client.getQueryCache().find({ queryKey })
    if (suspense && callId !== undefined && fetched !== undefined) {
      failIfForgottenEarly(client, callId, suspense.isReset)
      noteSuspending(client, callId, fetched)
      if (isForgotten()) await untilWanted(client, callId, fetched, context.signal)
    }
    if (callId !== undefined) noteWanted(client, callId)
    const reason = fetched && reasonOf(fetched)
    const call = (reason === 'newer' && newestCall()) || startCall(context, reason === 'again' || isAfterReset(fetched))
    try {
      return await toolOutput(await call.result, name, outputSchema)
    } finally {
      if (fetched !== undefined) noteHeld(fetched, client, call.getState())
    }
  }

  /** TanStack may have removed the query of a failed call by then, since no component observes it: the client knows of the failure. */
  function isAfterReset(fetched: ClearedQuery | undefined): boolean {
    if (suspense?.isReset !== true || callId === undefined) return false
    return takeThrown(fetched?.state.error ?? client.getToolCallState(callId)?.error)
  }

  function newestCall(): ToolCall | undefined {
    return callId === undefined ? undefined : client.getToolCall(callId)
  }

  function startCall(context: ToolCallQueryContext, isRepeat: boolean): ToolCall {
    const callOptions: ToolCallOptions & AnyArguments = {
      // Reading the signal lets TanStack give the fetch up on unmount, and with it what the repeat brings.
      ...(isRepeat ? { repeat: 'settled' } : { signal: context.signal }),
      ...(key !== undefined && { key }),
      ...(meta && { meta }),
      ...(keepResult && { keepResult }),
      [ANY_ARGUMENTS]: true,
    }
    return client.startToolCall({ name, ...(isArguments(args) && { arguments: args }) }, callOptions)
  }

  return {
    ...UNREPEATED,
    ...query,
    // Each copy of TanStack Query has a `skipToken` of its own, and knows no other one.
    enabled: unlessHeld(isForgotten, !isSkipped(args) && (query as { enabled?: Enabled } | undefined)?.enabled),
    queryKey: queryKey as ToolCallQuery<unknown>['queryKey'],
    queryFn: isSkipped(args) ? args : queryFn,
  }
}

export function toolCallQueryKey(
  client: Pick<TaskClient, 'id'>,
  name: string,
  key: string | undefined,
): ToolCallQueryKey {
  return ['taskwire', client.id, 'tools/call', name, { key }]
}

/** The key of the call in `client.store`, undefined while the call is skipped. */
export function toolCallKey({
  arguments: args,
  key,
}: Pick<AnyToolCallQueryOptions, 'arguments' | 'key'>): string | undefined {
  if (key !== undefined) return key
  return isSkipped(args) ? undefined : argumentsKey(args as object | undefined)
}

/** Calls of which a developer has been warned, each once: options are made with each render. */
const warnedOf = new WeakMap<TaskClient, Set<string>>()

/** The key is that of the query, so other arguments do not lead to another fetch. */
function warnOfChange(client: TaskClient, { name, key, arguments: args }: AnyToolCallQueryOptions): void {
  if (key === undefined || isSkipped(args)) return
  const callId = client.toolCallId(name, key)
  const known = client.getToolCallState(callId)?.arguments
  const warned = warnedOf.get(client) ?? new Set()
  if (known === undefined || warned.has(callId) || argumentsKey(known) === argumentsKey(args as object | undefined))
    return
  warnedOf.set(client, warned.add(callId))
  warnOfOtherArguments(name, key)
}

/** What is neither would be true for TanStack, such as a ref of Vue, and the tool would be called. */
function checkEnabled(query: { readonly enabled?: unknown } | undefined): void {
  const enabled = query?.enabled
  if (enabled !== undefined && typeof enabled !== 'boolean' && typeof enabled !== 'function')
    throw mustBe('query.enabled', enabled, 'a boolean or a function that returns one')
}

type Enabled = boolean | ((query: QueryOfCall) => boolean)

/**
 * `staleTime: 'static'` holds a query that has data; one that has failed, or whose call was forgotten, is held by being
 * disabled. Without a query, vue-query asks for what its observer is to call, and tracks what a getter reads meanwhile.
 */
function unlessHeld(isForgotten: () => boolean, enabled: Enabled = true): ToolCallQueryEnabled {
  function isEnabled(): ToolCallQueryEnabled
  function isEnabled(query: QueryOfCall): boolean
  function isEnabled(query?: QueryOfCall): ToolCallQueryEnabled | boolean {
    if (query === undefined) return unlessHeld(isForgotten, isGetter(enabled) ? enabled() : enabled)
    if (query.state.status === 'error' || isForgotten()) return false
    return typeof enabled === 'function' ? enabled(query) : enabled
  }
  return isEnabled
}

function isGetter(enabled: unknown): enabled is () => boolean {
  return typeof enabled === 'function' && enabled.length === 0
}

function isSkipped(args: unknown): args is SkipToken {
  return typeof args === 'symbol'
}

function isArguments(args: unknown): args is object {
  return args !== undefined && !isSkipped(args)
}
