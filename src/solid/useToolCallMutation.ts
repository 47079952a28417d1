import type { UseMutationResult } from '@tanstack/solid-query'
import { type Accessor, createMemo, createSignal } from 'solid-js'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import { extendResult, getters } from '../bindings/extendResult.js'
import type { OnSettled } from '../bindings/onSettled.js'
import { OUTCOME } from '../bindings/otherOutcome.js'
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
import { createControls } from './createControls.js'
import { createOnSettled } from './createOnSettled.js'
import { createOtherOutcome } from './createOtherOutcome.js'
import { useMutation } from './solidQuery.js'
import { useClient } from './useTaskClient.js'

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

/** What {@link useToolCallMutation} returns: TanStack's mutation, and the call. Read its members where they are used. */
export type UseToolCallMutationResult<TData, TVariables> = UseMutationResult<TData, Error, TVariables, unknown> &
  ToolCallControls & {
    /**
     * Calls the tool again with the arguments of the last `mutate`. Undefined until this page has called it: arguments
     * are not stored, so after a reload it takes a `mutate`.
     */
    readonly retry: (() => void) | undefined
  }

/**
 * A tool behind a button: `mutate(arguments)` calls it.
 *
 * @example
 * ```tsx
 * const report = useToolCallMutation(() => ({ name: 'generate_report', key: 'weekly' }))
 * return <button onClick={() => report.mutate({ quarter: 'Q1' })}>{report.call?.phase ?? 'Start'}</button>
 * ```
 */
export function useToolCallMutation<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
>(
  options: Accessor<UseToolCallMutationOptions<T, Name, S>>,
): UseToolCallMutationResult<ToolOutputOf<S, T, Name>, ToolCallVariables<T, Name>>
export function useToolCallMutation(
  options: Accessor<AnyToolCallMutationOptions & UseTaskClientOptions<AnyTools> & OnSettled>,
): object {
  const client = useClient(options)
  const [lastCallId, setLastCallId] = createSignal<string>()
  const started = new Set<string>()
  const keyedId = createMemo(() => {
    const { name, key } = options()
    return key === undefined ? undefined : client().toolCallId(name, key)
  })
  const callId = () => keyedId() ?? lastCallId()
  const { outcome, noteOwn } = createOtherOutcome(client, keyedId, options)
  createOnSettled(client, options, (settledId) => started.delete(settledId) || settledId === callId())
  const result = useMutation(() =>
    toolCallMutation(client(), options(), (startedId) => {
      started.add(startedId)
      setLastCallId(startedId)
      noteOwn(startedId)
    }),
  )
  const shown = extendResult(
    result,
    getters(OUTCOME, () => outcome() ?? result),
  )
  return extendResult(extendResult(shown, createControls(client, callId)), {
    get retry() {
      return result.isIdle ? undefined : () => result.mutate(result.variables)
    },
  })
}
