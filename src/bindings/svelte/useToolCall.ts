import type { CreateQueryResult, SkipToken } from '@tanstack/svelte-query'
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
import { controlsOf } from './controlsOf.js'
import { listenToSettled } from './listenToSettled.js'
import { createQuery, isServer, useQueryClient } from './svelteQuery.js'
import { clientOf } from './useTaskClient.js'
import { whileMounted } from './whileMounted.js'

/** The options of {@link useToolCall}. To hold the call back, pass `query: { enabled: false }` or `arguments: skipToken`. */
export type UseToolCallOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
> = ToolCallQueryOptions<T, Name, S, TData, SkipToken> & UseTaskClientOptions<T> & OnSettled

/** The return value of {@link useToolCall}: TanStack's query, and the call. Read its members where you use them. */
export type UseToolCallResult<TData> = CreateQueryResult<TData, Error> & ToolCallControls & ToolCallRetry

/**
 * Calls a tool and follows it to its final result, whether the server answers at once or makes it a task. Uses with the
 * same key, or without a key the same arguments, share one call: in two components and across a reload. `retry()` and
 * `refetch()` call the tool again; while the call runs, they join it. During server rendering, it does not call the tool,
 * and the query is pending. Call it during the initialisation of a component.
 *
 * @example
 * ```svelte
 * <script>
 *   const { quarter } = $props()
 *   const report = useToolCall(() => ({ name: 'generate_report', arguments: { quarter } }))
 * </script>
 * {#if report.error}{report.error.message}
 * {:else if report.data}<Total report={report.data} />
 * {:else}{report.call?.task?.statusMessage ?? 'Working…'} <button onclick={report.cancel}>Cancel</button>{/if}
 * ```
 */
export function useToolCall<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(options: () => UseToolCallOptions<T, Name, S, TData>): UseToolCallResult<TData>
export function useToolCall(given: () => AnyToolCallQueryOptions & UseTaskClientOptions<AnyTools> & OnSettled): object {
  const options = () => checkedOptions('useToolCall', given())
  const client = clientOf(options)
  const { callId, query, retry, followNewer } = queriedCall(client, options, useQueryClient(), isServer)
  const result = createQuery(query)
  listenToSettled(client, options, callId)
  whileMounted(() => [client(), callId()], followNewer)
  return extendResult(extendResult(result, controlsOf(client, callId)), { retry })
}
