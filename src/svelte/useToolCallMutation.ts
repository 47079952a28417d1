import type { CreateMutationResult } from '@tanstack/svelte-query'
import { createSubscriber } from 'svelte/reactivity'
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
import { controlsOf } from './controlsOf.js'
import { listenToSettled } from './listenToSettled.js'
import { otherOutcome } from './otherOutcome.js'
import { createMutation } from './svelteQuery.js'
import { clientOf } from './useTaskClient.js'

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
export type UseToolCallMutationResult<TData, TVariables> = CreateMutationResult<TData, Error, TVariables> &
  ToolCallControls & {
    /**
     * Calls the tool again with the arguments of the last `mutate`. Undefined until this page has called it: arguments
     * are not stored, so after a reload it takes a `mutate`.
     */
    readonly retry: (() => void) | undefined
  }

/**
 * A tool behind a button: `mutate(arguments)` calls it. It is called while a component is initialised.
 *
 * @example
 * ```svelte
 * <script>
 *   const report = useToolCallMutation(() => ({ name: 'generate_report', key: 'weekly' }))
 * </script>
 * <button onclick={() => report.mutate({ quarter: 'Q1' })}>{report.call?.phase ?? 'Start'}</button>
 * ```
 */
export function useToolCallMutation<
  T = RegisteredTools,
  Name extends ToolName<T> = ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
>(
  options: () => UseToolCallMutationOptions<T, Name, S>,
): UseToolCallMutationResult<ToolOutputOf<S, T, Name>, ToolCallVariables<T, Name>>
export function useToolCallMutation(
  options: () => AnyToolCallMutationOptions & UseTaskClientOptions<AnyTools> & OnSettled,
): object {
  const client = clientOf(options)
  const started = new Set<string>()
  let lastCallId: string | undefined
  let announceLast = () => {}
  const trackLast = createSubscriber((update) => {
    announceLast = update
  })
  const keyedId = () => {
    const { name, key } = options()
    return key === undefined ? undefined : client().toolCallId(name, key)
  }
  const callId = () => {
    trackLast()
    return keyedId() ?? lastCallId
  }
  const other = otherOutcome(client, keyedId, options)
  listenToSettled(client, options, (settledId) => started.delete(settledId) || settledId === callId())
  const result = createMutation(() =>
    toolCallMutation(client(), options(), (startedId) => {
      started.add(startedId)
      lastCallId = startedId
      announceLast()
      other.noteOwn(startedId)
    }),
  )
  const controls = controlsOf(client, () => {
    // Read to follow it: a call of an earlier visit is taken up by that.
    void other.outcome
    return callId()
  })
  const shown = getters(OUTCOME, () => other.outcome ?? result)
  return extendResult(extendResult(extendResult(result, shown), controls), {
    mutateAsync: result.mutateAsync,
    get retry() {
      return result.isIdle ? undefined : () => result.mutate(result.variables)
    },
  })
}
