import type { UseMutationResult } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
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
import { shownOutcome, UNUSED_MUTATION } from '../shared/otherOutcome.js'
import type { ToolCallControls } from '../shared/toolCallControls.js'
import type { ToolCallMutationRetry, UseToolCallMutationOptions } from '../shared/toolCallOptions.js'
import { useMutation } from './reactQuery.js'
import { useOnSettled } from './useOnSettled.js'
import { useOtherOutcome } from './useOtherOutcome.js'
import { useClient } from './useTaskClient.js'
import { useToolCallControls } from './useToolCallControls.js'

/** The return value of {@link useToolCallMutation}: TanStack's mutation result, and the call. */
export type UseToolCallMutationResult<TData, TVariables> = UseMutationResult<TData, Error, TVariables> &
  ToolCallControls &
  ToolCallMutationRetry

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
  const client = useClient(checkedOptions('useToolCallMutation', options))
  const [lastCallId, setLastCallId] = useState<string>()
  const ids = useRef(new Set<string>()).current
  const { outcome, isKeyNew, noteWanted, noteOwn, noteConflict, hide } = useOtherOutcome(client, options)
  const result = useMutation<unknown, Error, object | undefined>(
    toolCallMutation(client, options, {
      onWanted: noteWanted,
      onStart: (startedId) => {
        ids.add(startedId)
        setLastCallId(startedId)
        noteOwn(startedId)
      },
      onConflict: noteConflict,
    }),
  )
  const { mutate, reset } = result
  const own = isKeyNew ? { ...result, ...UNUSED_MUTATION } : result
  const { isIdle, variables } = own
  const callId = keyedCallId(client, options) ?? (isIdle ? undefined : lastCallId)
  useOnSettled(
    client,
    options,
    callId,
    useMemo(() => ({ ids, reset }), [ids, reset]),
  )
  const resetAll = useCallback(() => {
    hide()
    reset()
  }, [hide, reset])
  const retry = isIdle ? undefined : () => mutate(variables)
  return { ...own, ...shownOutcome(own, outcome), ...useToolCallControls(client, callId), reset: resetAll, retry }
}
