import type { UseMutationReturnType } from '@tanstack/vue-query'
import { type ComputedRef, computed, type MaybeRefOrGetter, shallowRef, toValue } from 'vue'
import type { UseTaskClientOptions } from '../bindings/clients.js'
import type { OnSettled } from '../bindings/onSettled.js'
import { OUTCOME } from '../bindings/otherOutcome.js'
import type { AnyTools, RegisteredTools, ToolName } from '../client/tools.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import {
  type AnyToolCallMutationOptions,
  type ToolCallMutationOptions,
  type ToolCallVariables,
  toolCallMutation,
} from '../query/toolCallMutationOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { useOnSettled } from './useOnSettled.js'
import { useOtherOutcome } from './useOtherOutcome.js'
import { useClient } from './useTaskClient.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'
import { useMutation } from './vueQuery.js'

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

/** What {@link useToolCallMutation} returns: the refs of TanStack's mutation, and those of the call. */
export type UseToolCallMutationResult<TData, TVariables> = UseMutationReturnType<TData, Error, TVariables, unknown> &
  ToolCallControls & {
    /**
     * Calls the tool again with the arguments of the last `mutate`. Undefined until this page has called it: arguments
     * are not stored, so after a reload it takes a `mutate`.
     */
    retry: ComputedRef<(() => void) | undefined>
  }

/**
 * A tool behind a button: `mutate(arguments)` calls it.
 *
 * @param options a getter or a ref where they change
 *
 * @example
 * ```ts
 * const { mutate, call, data, error } = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
 * const start = () => mutate({ quarter: 'Q1' })
 * ```
 */
export function useToolCallMutation<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
>(
  options: MaybeRefOrGetter<UseToolCallMutationOptions<T, Name, S>>,
): UseToolCallMutationResult<ToolOutputOf<S, T, Name>, ToolCallVariables<T, Name>>
export function useToolCallMutation(
  options: MaybeRefOrGetter<AnyToolCallMutationOptions & UseTaskClientOptions<AnyTools> & OnSettled>,
): object {
  const client = useClient(options)
  const lastCallId = shallowRef<string>()
  const started = new Set<string>()
  const keyedId = () => {
    const { name, key } = toValue(options)
    return key === undefined ? undefined : client().toolCallId(name, key)
  }
  const callId = () => keyedId() ?? lastCallId.value
  const { outcome, noteOwn } = useOtherOutcome(client, keyedId, () => toValue(options))
  useOnSettled(
    client,
    () => toValue(options),
    (settledId) => started.delete(settledId) || settledId === callId(),
  )
  const result = useMutation(() => ({
    ...toolCallMutation(client(), toValue(options), (startedId) => {
      started.add(startedId)
      lastCallId.value = startedId
      noteOwn(startedId)
    }),
    shallow: true,
  }))
  const { isIdle, variables, mutate } = result
  const shown = OUTCOME.map((name) => [
    name,
    computed(() => (outcome.value === undefined ? result[name].value : outcome.value[name])),
  ])
  return {
    ...result,
    ...Object.fromEntries(shown),
    ...useToolCallControls(client, callId),
    retry: computed(() => (isIdle.value ? undefined : () => mutate(variables.value))),
  }
}
