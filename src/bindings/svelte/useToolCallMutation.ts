import type { CreateMutationResult } from '@tanstack/svelte-query'
import { createSubscriber } from 'svelte/reactivity'
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
import { extendResult, getters } from '../shared/extendResult.js'
import type { OnSettled } from '../shared/onSettled.js'
import { type CallOutcome, OUTCOME_SHAPE, shownOutcome, UNUSED_MUTATION } from '../shared/otherOutcome.js'
import type { ToolCallControls } from '../shared/toolCallControls.js'
import type { ToolCallMutationRetry, UseToolCallMutationOptions } from '../shared/toolCallOptions.js'
import { controlsOf } from './controlsOf.js'
import { listenToSettled } from './listenToSettled.js'
import { otherOutcome } from './otherOutcome.js'
import { createMutation } from './svelteQuery.js'
import { clientOf } from './useTaskClient.js'

/** The return value of {@link useToolCallMutation}: TanStack's mutation, and the call. Read its members where you use them. */
export type UseToolCallMutationResult<TData, TVariables> = CreateMutationResult<TData, Error, TVariables> &
  ToolCallControls &
  ToolCallMutationRetry

/**
 * A tool behind a button: `mutate(arguments)` calls it. Call it during the initialisation of a component.
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
  given: () => AnyToolCallMutationOptions & UseTaskClientOptions<AnyTools> & OnSettled,
): object {
  const options = () => checkedOptions('useToolCallMutation', given())
  const client = clientOf(options)
  const ids = new Set<string>()
  let lastCallId: string | undefined
  let announceLast = () => {}
  const trackLast = createSubscriber((update) => {
    announceLast = update
  })
  const keyedId = () => keyedCallId(client(), options())
  const callId = () => {
    trackLast()
    return keyedId() ?? (result.isIdle ? undefined : lastCallId)
  }
  const other = otherOutcome(client, keyedId, options)
  const result = createMutation(() =>
    toolCallMutation(client(), options(), {
      onWanted: other.noteWanted,
      onStart: (startedId) => {
        ids.add(startedId)
        lastCallId = startedId
        announceLast()
        other.noteOwn(startedId)
      },
      onConflict: other.noteConflict,
    }),
  )
  listenToSettled(client, options, callId, { ids, reset: () => result.reset() })
  const controls = controlsOf(client, () => {
    // Read to follow it: that resumes a call of an earlier visit.
    void other.outcome
    return callId()
  })
  /** Whose outcome TanStack's mutation has: where the key changes, it forgets that of before later than the call is shown. */
  let ownId = keyedId()
  const isKeyNew = () => {
    const id = callId()
    if (result.isIdle || id === lastCallId) ownId = id
    return id !== ownId
  }
  const own = getters(UNUSED_MUTATION, () => (isKeyNew() ? UNUSED_MUTATION : result))
  const shown = getters<CallOutcome>(OUTCOME_SHAPE, () => shownOutcome(own, other.outcome))
  return extendResult(extendResult(extendResult(extendResult(result, own), shown), controls), {
    mutateAsync: result.mutateAsync,
    reset: () => {
      other.hide()
      result.reset()
    },
    get retry() {
      return own.isIdle ? undefined : () => result.mutate(result.variables)
    },
  })
}
