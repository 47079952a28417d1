import type { SkipToken, UseQueryResult } from '@tanstack/solid-query'
import { type Accessor, createMemo } from 'solid-js'
import { isServer } from 'solid-js/web'
import { callQuery } from '../bindings/callQuery.js'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import { extendResult } from '../bindings/extendResult.js'
import type { OnSettled } from '../bindings/onSettled.js'
import { retryCall } from '../bindings/retryCall.js'
import type { ToolCallControls } from '../bindings/toolCallControls.js'
import type { ToolCallOptions } from '../bindings/toolCallOptions.js'
import type { AnyTools, RegisteredTools, ToolName } from '../client/tools.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { type AnyToolCallQueryOptions, toolCallKey } from '../query/toolCallQueryOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { createControls } from './createControls.js'
import { createOnSettled } from './createOnSettled.js'
import { useQuery, useQueryClient } from './solidQuery.js'
import { useClient } from './useTaskClient.js'

/** What {@link useToolCall} takes. To hold the call back, `query: { enabled: false }` or `arguments: skipToken`. */
export type UseToolCallOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
  TData = ToolOutputOf<S, T, Name>,
> = ToolCallOptions<T, Name, S, TData, SkipToken>

/** What {@link useToolCall} returns: TanStack's query, and the call. Read its members where they are used. */
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
 * task. The same call, by its key or its arguments, is made once: by two components and across a reload. `retry()` and
 * `refetch()` call the tool again; while the call runs, they join it. On a server nothing is called: it is pending there.
 * Like every query of Solid, `data` suspends while there is none; `isPending` and `call` do not.
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
  options: Accessor<AnyToolCallQueryOptions & UseTaskClientOptions<AnyTools> & OnSettled>,
): object {
  const client = useClient(options)
  const queryClient = useQueryClient()
  const key = createMemo(() => toolCallKey(options()))
  const callId = createMemo(() => {
    const named = key()
    return named === undefined ? undefined : client().toolCallId(options().name, named)
  })
  const result = useQuery(() => callQuery(client(), options(), isServer))
  createOnSettled(client, options, (settledId) => settledId === callId())
  const retry = () => retryCall(queryClient, client(), options().name, key())
  return extendResult(extendResult(result, createControls(client, callId)), { retry })
}
