import type { SkipToken, UseQueryResult } from '@tanstack/react-query'
import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { AnyTools, RegisteredTools, ToolName } from '../../core/client/tools.js'
import {
  type AnyToolCallQueryOptions,
  type ToolCallQueryOptions,
  toolCallKey,
  toolCallQuery,
} from '../query/toolCallQueryOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import { extendResult } from '../shared/extendResult.js'
import type { OnSettled } from '../shared/onSettled.js'
import type { ToolCallControls } from '../shared/toolCallControls.js'
import type { ToolCallRetry } from '../shared/toolCallOptions.js'
import { useQuery } from './reactQuery.js'
import { useQueriedCall } from './useQueriedCall.js'
import { useRetryAfterReset } from './useRetryAfterReset.js'
import { useClient } from './useTaskClient.js'
import { useThrowing } from './useThrowing.js'

/** The options of {@link useToolCall}. To hold the call back, pass `query: { enabled: false }` or `arguments: skipToken`. */
export type UseToolCallOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
> = ToolCallQueryOptions<T, Name, S, TData, SkipToken> & UseTaskClientOptions<T> & OnSettled

/** The return value of {@link useToolCall}: TanStack's query result, and the call. */
export type UseToolCallResult<TData> = UseQueryResult<TData, Error> & ToolCallControls & ToolCallRetry

/**
 * Calls a tool and follows it to its final result, whether the server answers at once or makes it a task. Uses with the
 * same key, or without a key the same arguments, share one call: in StrictMode, in two components and across a reload.
 * `retry()` and `refetch()` call the tool again; while the call runs, they join it.
 *
 * @example
 * ```tsx
 * const { data, error, call, cancel } = useToolCall({ name: 'generate_report', arguments: { seconds: 30 } })
 * if (error instanceof TaskFailedError) return <p>{error.message}</p>
 * if (!data) return <p>{call?.task?.statusMessage ?? 'Working…'} <button onClick={cancel}>Cancel</button></p>
 * ```
 */
export function useToolCall<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
>(options: UseToolCallOptions<T, Name, S, TData>): UseToolCallResult<TData>
export function useToolCall(
  options: AnyToolCallQueryOptions & UseTaskClientOptions<AnyTools> & OnSettled,
): UseToolCallResult<unknown> {
  const client = useClient(checkedOptions('useToolCall', options))
  const query = useThrowing(useQuery<unknown>, toolCallQuery(client, options))
  const queried = useQueriedCall(client, options)
  useRetryAfterReset(client, options.name, toolCallKey(options), queried.retry)
  return extendResult(query, queried)
}
