import type { SkipToken, UseQueryReturnType } from '@tanstack/vue-query'
import { type ComputedRef, type MaybeRefOrGetter, type Ref, toValue, watch } from 'vue'
import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { AnyTools, RegisteredTools, ToolName } from '../../core/client/tools.js'
import type { AnyToolCallQueryOptions, ToolCallQueryOptions } from '../query/toolCallQueryOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import type { OnSettled } from '../shared/onSettled.js'
import { queriedCall } from '../shared/queriedCall.js'
import type { ToolCallRetry } from '../shared/toolCallOptions.js'
import { useOnSettled } from './useOnSettled.js'
import { useClient } from './useTaskClient.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'
import { isServer, useQuery, useQueryClient } from './vueQuery.js'

/** The options of {@link useToolCall}. To hold the call back, pass `query: { enabled: false }` or `arguments: skipToken`. */
export type UseToolCallOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
> = ToolCallQueryOptions<T, Name, S, TData, SkipToken> & UseTaskClientOptions<T> & OnSettled

/** The return value of {@link useToolCall}: the refs of TanStack's query, and those of the call. */
export type UseToolCallResult<TData> = UseQueryReturnType<TData, Error> & ToolCallControls & ToolCallRetry

/**
 * Calls a tool and follows it to its final result, whether the server answers at once or makes it a task. Uses with the
 * same key, or without a key the same arguments, share one call: in two components and across a reload. `retry()` and
 * `refetch()` call the tool again; while the call runs, they join it. During server rendering, it does not call the tool,
 * and the query is pending.
 *
 * @param options a getter or a ref, if the options can change
 *
 * @example
 * ```ts
 * const props = defineProps<{ quarter: string }>()
 * const { data, error, call, cancel } = useToolCall(() => ({
 *   name: 'generate_report',
 *   arguments: { quarter: props.quarter },
 * }))
 * ```
 */
export function useToolCall<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(options: () => UseToolCallOptions<T, Name, S, TData>): UseToolCallResult<TData>
export function useToolCall<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(
  options: Ref<UseToolCallOptions<T, Name, S, TData>> | ComputedRef<UseToolCallOptions<T, Name, S, TData>>,
): UseToolCallResult<TData>
export function useToolCall<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(
  // A function has a `name`, too, and no getter is meant by it.
  options: UseToolCallOptions<T, Name, S, TData> & { readonly length?: never },
): UseToolCallResult<TData>
export function useToolCall(
  options: MaybeRefOrGetter<AnyToolCallQueryOptions & UseTaskClientOptions<AnyTools> & OnSettled>,
): object {
  const read = () => checkedOptions('useToolCall', toValue(options))
  const client = useClient(read)
  const { callId, query, retry, followNewer } = queriedCall(client, read, useQueryClient(), isServer)
  // `shallow`: results and errors are shown as what they are, no proxies of them.
  const result = useQuery(() => ({ ...query(), shallow: true }))
  useOnSettled(client, read, callId)
  if (!isServer) watch([client, callId], (_now, _before, onCleanup) => onCleanup(followNewer()), { immediate: true })
  return { ...result, ...useToolCallControls(client, callId), retry }
}
