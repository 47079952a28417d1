import type { UseMutationResult } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { TaskClient } from '../client/taskClient.js'
import type { AnyTools, RegisteredTools, ToolName } from '../client/tools.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { asError } from '../protocol/asError.js'
import {
  type AnyToolCallMutationOptions,
  type ToolCallMutationOptions,
  type ToolCallVariables,
  toolCallMutation,
} from '../query/toolCallMutationOptions.js'
import { type ToolOutputOf, toolOutput } from '../query/toolOutput.js'
import { useMutation } from './reactQuery.js'
import { type OnSettled, useOnSettled } from './useOnSettled.js'
import { type UseTaskClientOptions, useTaskClient } from './useTaskClient.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'

/**
 * What {@link useToolCallMutation} takes. With a key, `call`, `data`, `error` and `status` are after a reload those of the
 * call that is known, also if it has ended; without, nothing is shown after a reload.
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
  const earlier = useEarlierOutcome(client, name, key, outputSchema)
  useOnSettled(client, options.onSettled, (settledId) => started.delete(settledId) || settledId === callId)
  const result = useMutation<unknown, Error, object | undefined>(
    toolCallMutation(client, options, (startedId) => {
      started.add(startedId)
      setLastCallId(startedId)
    }),
  )
  const { isIdle, variables, mutate } = result
  const retry = isIdle ? undefined : () => mutate(variables)
  const shown = isIdle && earlier !== undefined ? { ...result, ...earlier } : result
  return { ...shown, ...useToolCallControls(client, callId), retry }
}

type EarlierOutcome = Pick<
  UseMutationResult<unknown, Error>,
  'status' | 'data' | 'error' | 'isIdle' | 'isPending' | 'isSuccess' | 'isError'
>

/**
 * What an earlier visit has left of the call of a key, in the members of TanStack's mutation result: that one starts idle
 * with each page. Its callbacks are for what this page has started and are not called.
 */
function useEarlierOutcome(
  client: TaskClient,
  name: string,
  key: string | undefined,
  outputSchema: StandardSchemaV1 | undefined,
): EarlierOutcome | undefined {
  const [earlier, setEarlier] = useState<EarlierOutcome>()
  const schema = useRef(outputSchema)
  schema.current = outputSchema
  useEffect(() => {
    setEarlier(undefined)
    if (key === undefined) return
    let isCurrent = true
    const show = (outcome: EarlierOutcome) => {
      if (isCurrent) setEarlier(outcome)
    }
    const found = client.resumeToolCalls({ callId: client.toolCallId(name, key) })
    void found.then(async ([call]) => {
      if (call === undefined || !isCurrent) return
      show({ ...NOT_YET, status: 'pending', isPending: true })
      try {
        const data = await toolOutput(await call.result, name, schema.current)
        show({ ...NOT_YET, status: 'success', isSuccess: true, data })
      } catch (thrown) {
        show({ ...NOT_YET, status: 'error', isError: true, error: asError(thrown) })
      }
    })
    return () => {
      isCurrent = false
      void found.then((calls) => {
        for (const call of calls) call.detach()
      })
    }
  }, [client, name, key])
  return earlier
}

const NOT_YET = {
  data: undefined,
  error: null,
  isIdle: false,
  isPending: false,
  isSuccess: false,
  isError: false,
} as const
