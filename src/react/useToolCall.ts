import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { type ToolCallQueryParams, toolCallKey, toolCallOptions } from '../query/toolCallOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { useTaskClient } from './TaskClientProvider.js'
import { type ToolCallControls, toolCallControls } from './toolCallControls.js'
import { useToolCallState } from './useToolCallState.js'

/** What {@link useToolCall} returns: TanStack's query result, and the call. */
export type UseToolCallResult<TData> = UseQueryResult<TData, Error> &
  ToolCallControls & {
    /** Calls the tool again: what a button beside an error does, a `ToolCallInterruptedError` above all. */
    retry: () => void
  }

/**
 * Calls a tool and follows it to its final result, whether the server answers at once or makes it a
 * task. The same call, by its key or its arguments, is made once: in StrictMode, by two components and
 * across a reload. `refetch()` calls the tool again.
 *
 * @example
 * ```tsx
 * const { data, error, call, cancel } = useToolCall({ name: 'generate_report', arguments: { seconds: 30 } })
 * if (error instanceof TaskFailedError) return <p>{error.message}</p>
 * if (!data) return <p>{call?.task?.statusMessage ?? 'Working…'} <button onClick={cancel}>Cancel</button></p>
 * ```
 */
export function useToolCall<S extends StandardSchemaV1 | undefined = undefined>(
  params: ToolCallQueryParams<S>,
): UseToolCallResult<ToolOutputOf<S>> {
  const client = useTaskClient()
  const query = useQuery(toolCallOptions(client, params))
  const key = toolCallKey(params)
  const call = useToolCallState(key === undefined ? undefined : client.toolCallId(params.name, key))
  // A copy: TanStack's result is its own, and what is added to it would count as a change.
  return { ...query, ...toolCallControls(client, call), retry: () => void query.refetch() }
}
