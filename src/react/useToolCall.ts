import type { UseQueryResult } from '@tanstack/react-query'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { type ToolCallQueryOptions, toolCallKey, toolCallQueryOptions } from '../query/toolCallQueryOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { extendResult } from './extendResult.js'
import { useQuery } from './reactQuery.js'
import { useTaskClient } from './TaskClientProvider.js'
import { useRetry } from './useRetry.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'

/** What {@link useToolCall} returns: TanStack's query result, and the call. */
export type UseToolCallResult<TData> = UseQueryResult<TData, Error> &
  ToolCallControls & {
    /**
     * Calls the tool again: what a button beside an error does, a `ToolCallInterruptedError` above all. Pressed
     * while a call runs, it changes nothing.
     */
    retry: () => void
  }

/**
 * Calls a tool and follows it to its final result, whether the server answers at once or makes it a
 * task. The same call, by its key or its arguments, is made once: in StrictMode, by two components and
 * across a reload. `retry()` and `refetch()` call the tool again; while the call runs, they join it.
 *
 * @example
 * ```tsx
 * const { data, error, call, cancel } = useToolCall({ name: 'generate_report', arguments: { seconds: 30 } })
 * if (error instanceof TaskFailedError) return <p>{error.message}</p>
 * if (!data) return <p>{call?.task?.statusMessage ?? 'Working…'} <button onClick={cancel}>Cancel</button></p>
 * ```
 */
export function useToolCall<S extends StandardSchemaV1 | undefined = undefined>(
  params: ToolCallQueryOptions<S>,
): UseToolCallResult<ToolOutputOf<S>> {
  const client = useTaskClient()
  const query = useQuery(toolCallQueryOptions(client, params))
  const key = toolCallKey(params)
  const callId = key === undefined ? undefined : client.toolCallId(params.name, key)
  return extendResult(query, { ...useToolCallControls(client, callId), retry: useRetry(client, params.name, key) })
}
