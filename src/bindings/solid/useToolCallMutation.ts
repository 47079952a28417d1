import type { UseMutationResult } from '@tanstack/solid-query'
import { type Accessor, createMemo, createSignal } from 'solid-js'
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
import { type CallOutcome, OUTCOME_SHAPE, shownOutcome } from '../shared/otherOutcome.js'
import type { ToolCallControls } from '../shared/toolCallControls.js'
import type { ToolCallMutationRetry, UseToolCallMutationOptions } from '../shared/toolCallOptions.js'
import { createControls } from './createControls.js'
import { createOnSettled } from './createOnSettled.js'
import { createOtherOutcome } from './createOtherOutcome.js'
import { useMutation } from './solidQuery.js'
import { useClient } from './useTaskClient.js'

/** The return value of {@link useToolCallMutation}: TanStack's mutation, and the call. Read its members where you use them. */
export type UseToolCallMutationResult<TData, TVariables> = UseMutationResult<TData, Error, TVariables, unknown> &
  ToolCallControls &
  ToolCallMutationRetry

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
  given: Accessor<AnyToolCallMutationOptions & UseTaskClientOptions<AnyTools> & OnSettled>,
): object {
  const options = () => checkedOptions('useToolCallMutation', given())
  const client = useClient(options)
  const [lastCallId, setLastCallId] = createSignal<string>()
  const ids = new Set<string>()
  const keyedId = createMemo(() => keyedCallId(client(), options()))
  const { outcome, noteWanted, noteOwn, noteConflict, hide } = createOtherOutcome(client, keyedId, options)
  const result = useMutation(() =>
    toolCallMutation(client(), options(), {
      onWanted: noteWanted,
      onStart: (startedId) => {
        ids.add(startedId)
        setLastCallId(startedId)
        noteOwn(startedId)
      },
      onConflict: noteConflict,
    }),
  )
  const callId = () => keyedId() ?? (result.isIdle ? undefined : lastCallId())
  createOnSettled(client, options, callId, { ids, reset: () => result.reset() })
  const shown = extendResult(
    result,
    getters<CallOutcome>(OUTCOME_SHAPE, () => shownOutcome(result, outcome())),
  )
  return extendResult(extendResult(shown, createControls(client, callId)), {
    reset: () => {
      hide()
      result.reset()
    },
    get retry() {
      return result.isIdle ? undefined : () => result.mutate(result.variables)
    },
  })
}
