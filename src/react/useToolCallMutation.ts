import type { UseMutationResult } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import type { OnSettled } from '../bindings/onSettled.js'
import type { ToolCallControls } from '../bindings/toolCallControls.js'
import type { AnyTools, RegisteredTools, ToolName } from '../client/tools.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import {
  type AnyToolCallMutationOptions,
  type ToolCallMutationOptions,
  type ToolCallVariables,
  toolCallMutation,
} from '../query/toolCallMutationOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { useMutation } from './reactQuery.js'
import { useOnSettled } from './useOnSettled.js'
import { useOtherOutcome } from './useOtherOutcome.js'
import { useTaskClient } from './useTaskClient.js'
import { useToolCallControls } from './useToolCallControls.js'

/**
 * What {@link useToolCallMutation} takes. With a key, `call`, `data`, `error` and `status` are those of the newest call of
 * that key: after a reload of the one that is known, also if it has ended, and of one that another tab makes. Without a key
 * they are those of this component's calls.
 */
export type UseToolCallMutationOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
> = ToolCallMutationOptions<T, Name, S> & UseTaskClientOptions<T> & OnSettled

/** What {@link useToolCallMutation} returns: TanStack's mutation result, and the call. */
export type UseToolCallMutationResult<TData, TVariables> = UseMutationResult<TData, Error, TVariables> &
  ToolCallControls & {
    /**
     * Calls the tool again with the arguments of the last `mutate`. Undefined until this page has called it: arguments
     * are not stored, so after a reload it takes a `mutate`.
     */
    retry: (() => void) | undefined
  }

/**
 * A tool behind a button: `mutate(arguments)` calls it.
 *
 * @example
 * ```tsx
 * const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
 * return <button onClick={() => report.mutate({ seconds: 30 })}>{report.call?.phase ?? 'Start'}</button>
 * ```
 */
export function useToolCallMutation<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
>(
  options: UseToolCallMutationOptions<T, Name, S>,
): UseToolCallMutationResult<ToolOutputOf<S, T, Name>, ToolCallVariables<T, Name>>
export function useToolCallMutation(
  options: AnyToolCallMutationOptions & UseTaskClientOptions<AnyTools> & OnSettled,
): object {
  const { name, key, outputSchema } = options
  const client = useTaskClient(options)
  const [lastCallId, setLastCallId] = useState<string>()
  const started = useRef(new Set<string>()).current
  const callId = key === undefined ? lastCallId : client.toolCallId(name, key)
  const other = useOtherOutcome(client, name, key, outputSchema)
  useOnSettled(client, options.onSettled, (settledId) => started.delete(settledId) || settledId === callId)
  const result = useMutation<unknown, Error, object | undefined>(
    toolCallMutation(client, options, (startedId) => {
      started.add(startedId)
      setLastCallId(startedId)
      other.noteOwn(startedId)
    }),
  )
  const { isIdle, variables, mutate } = result
  const retry = isIdle ? undefined : () => mutate(variables)
  const shown = other.outcome === undefined ? result : { ...result, ...other.outcome }
  return { ...shown, ...useToolCallControls(client, callId), retry }
}
