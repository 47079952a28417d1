import type { UseMutationReturnType } from '@tanstack/vue-query'
import { computed, type MaybeRefOrGetter, proxyRefs, shallowRef, toValue } from 'vue'
import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { AnyTools, RegisteredTools, ToolName } from '../../core/client/tools.js'
import { keyedCallId } from '../query/keyedCallId.js'
import {
  type AnyToolCallMutationOptions,
  type ToolCallVariables,
  toolCallMutation,
} from '../query/toolCallMutationOptions.js'
import type { ToolOutputOf } from '../query/toolOutput.js'
import { checkedOptions } from '../shared/checkedOptions.js'
import type { UseTaskClientOptions } from '../shared/clients.js'
import type { OnSettled } from '../shared/onSettled.js'
import { type CallOutcome, OUTCOME_SHAPE, shownOutcome } from '../shared/otherOutcome.js'
import type { ToolCallMutationRetry, UseToolCallMutationOptions } from '../shared/toolCallOptions.js'
import { type RefsOf, refsOf } from './refsOf.js'
import { useOnSettled } from './useOnSettled.js'
import { useOtherOutcome } from './useOtherOutcome.js'
import { useClient } from './useTaskClient.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'
import { useMutation } from './vueQuery.js'

/** The return value of {@link useToolCallMutation}: the refs of TanStack's mutation, and those of the call. */
export type UseToolCallMutationResult<TData, TVariables> = UseMutationReturnType<TData, Error, TVariables, unknown> &
  ToolCallControls &
  RefsOf<ToolCallMutationRetry>

/**
 * A tool behind a button: `mutate(arguments)` calls it.
 *
 * @param options a getter or a ref, if the options can change
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
  const read = () => checkedOptions('useToolCallMutation', toValue(options))
  const client = useClient(read)
  const lastCallId = shallowRef<string>()
  const ids = new Set<string>()
  const keyedId = () => keyedCallId(client(), read())
  const { outcome, noteWanted, noteOwn, noteConflict, hide } = useOtherOutcome(client, keyedId, read)
  const result = useMutation(() => ({
    ...toolCallMutation(client(), read(), {
      onWanted: noteWanted,
      onStart: (startedId) => {
        ids.add(startedId)
        lastCallId.value = startedId
        noteOwn(startedId)
      },
      onConflict: noteConflict,
    }),
    shallow: true,
  }))
  const { isIdle, variables, mutate, reset } = result
  const callId = () => keyedId() ?? (isIdle.value ? undefined : lastCallId.value)
  useOnSettled(client, read, callId, { ids, reset })
  const own = proxyRefs(result)
  return {
    ...result,
    ...refsOf<CallOutcome>(OUTCOME_SHAPE, () => shownOutcome(own, outcome.value)),
    ...useToolCallControls(client, callId),
    reset: () => {
      hide()
      reset()
    },
    retry: computed(() => (isIdle.value ? undefined : () => mutate(variables.value))),
  }
}
