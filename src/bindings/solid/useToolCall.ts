import type { SkipToken, UseQueryResult } from '@tanstack/solid-query'
import { type Accessor, createEffect, createMemo, on, onCleanup } from 'solid-js'
import { isServer } from 'solid-js/web'
import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { AnyTools, RegisteredTools, ToolName } from '../../core/client/tools.js'
import type { AnyToolCallQueryOptions, ToolCallQueryOptions } from '../query/toolCallQueryOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import { extendResult } from '../shared/extendResult.js'
import type { OnSettled } from '../shared/onSettled.js'
import { queriedCall } from '../shared/queriedCall.js'
import type { ToolCallControls } from '../shared/toolCallControls.js'
import type { ToolCallRetry } from '../shared/toolCallOptions.js'
import { createControls } from './createControls.js'
import { createOnSettled } from './createOnSettled.js'
import { useQuery, useQueryClient } from './solidQuery.js'
import { useClient } from './useTaskClient.js'

/** The options of {@link useToolCall}. To hold the call back, pass `query: { enabled: false }` or `arguments: skipToken`. */
export type UseToolCallOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
> = ToolCallQueryOptions<T, Name, S, TData, SkipToken> & UseTaskClientOptions<T> & OnSettled

/** The return value of {@link useToolCall}: TanStack's query, and the call. Read its members where you use them. */
export type UseToolCallResult<TData> = UseQueryResult<TData, Error> & ToolCallControls & ToolCallRetry

/**
 * Calls a tool and follows it to its final result, whether the server answers at once or makes it a task. Uses with the
 * same key, or without a key the same arguments, share one call: in two components and across a reload. `retry()` and
 * `refetch()` call the tool again; while the call runs, they join it. During server rendering, it does not call the tool,
 * and the query is pending. As in every Solid query, reading `data` suspends until there is data; reading `isPending` or
 * `call` does not.
 *
 * @example
 * ```tsx
 * const report = useToolCall(() => ({ name: 'generate_report', arguments: { quarter: props.quarter } }))
 * return (
 *   <Show when={!report.isPending} fallback={<p>{report.call?.task?.statusMessage ?? 'Working…'}</p>}>
 *     <Total report={report.data} />
 *   </Show>
 * )
 * ```
 */
export function useToolCall<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(options: Accessor<UseToolCallOptions<T, Name, S, TData>>): UseToolCallResult<TData>
export function useToolCall(
  given: Accessor<AnyToolCallQueryOptions & UseTaskClientOptions<AnyTools> & OnSettled>,
): object {
  const options = () => checkedOptions('useToolCall', given())
  const client = useClient(options)
  const { query, retry, followNewer, ...queried } = queriedCall(client, options, useQueryClient(), isServer)
  const callId = createMemo(queried.callId)
  const result = useQuery(query)
  createOnSettled(client, options, callId)
  createEffect(on([client, callId], () => onCleanup(followNewer())))
  return extendResult(extendResult(result, createControls(client, callId)), { retry })
}
