import type { UseMutationOptions, UseMutationResult } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { TaskClient } from '../client/taskClient.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { asError } from '../protocol/asError.js'
import { type ToolOutputOf, toolOutput } from '../query/toolOutput.js'
import { useMutation } from './reactQuery.js'
import { useTaskClient } from './TaskClientProvider.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'

/** What `mutate` takes: the arguments of the tool. */
export type ToolArguments = Record<string, unknown> | undefined

/** The tool behind a button. */
export interface UseToolCallMutationOptions<S extends StandardSchemaV1 | undefined = undefined> {
  /** The tool's name. */
  name: string
  /**
   * Names the button's call: while it runs, a second `mutate` joins it, and after a reload `call`, `data`, `error` and
   * `status` are those of the call that is known, also if it has ended. Without a key every `mutate` is a call of its own, and nothing is shown after a reload.
   */
  key?: string | undefined
  /** Any Standard Schema: checks and types `data.structuredContent`. */
  outputSchema?: S
  /** Options of TanStack Query. */
  mutation?: Omit<UseMutationOptions<ToolOutputOf<S>, Error, ToolArguments>, 'mutationFn'> | undefined
}

/** What {@link useToolCallMutation} returns: TanStack's mutation result, and the call. */
export type UseToolCallMutationResult<TData> = UseMutationResult<TData, Error, ToolArguments> & ToolCallControls

/**
 * A tool behind a button: `mutate(arguments)` calls it.
 *
 * @example
 * ```tsx
 * const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
 * <button onClick={() => report.mutate({ seconds: 30 })}>{report.call?.phase ?? 'Start'}</button>
 * ```
 */
export function useToolCallMutation<S extends StandardSchemaV1 | undefined = undefined>(
  params: UseToolCallMutationOptions<S>,
): UseToolCallMutationResult<ToolOutputOf<S>> {
  const { name, key, outputSchema, mutation } = params
  const client = useTaskClient()
  const [lastCallId, setLastCallId] = useState<string>()
  const callId = key === undefined ? lastCallId : client.toolCallId(name, key)
  const earlier = useEarlierOutcome(client, name, key, outputSchema as S)
  const result = useMutation<ToolOutputOf<S>, Error, ToolArguments>({
    retry: false,
    networkMode: 'always',
    ...mutation,
    mutationFn: async (args) => {
      const call = client.startToolCall(
        { name, ...(args && { arguments: args }) },
        { repeat: 'settled', ...(key !== undefined && { key }) },
      )
      setLastCallId(call.callId)
      return toolOutput(await call.result, name, outputSchema as S)
    },
  })
  const shown = result.isIdle && earlier !== undefined ? { ...result, ...earlier } : result
  return { ...shown, ...useToolCallControls(client, callId) } as UseToolCallMutationResult<ToolOutputOf<S>>
}

type EarlierOutcome<TData> = Pick<
  UseMutationResult<TData, Error, ToolArguments>,
  'status' | 'data' | 'error' | 'isIdle' | 'isPending' | 'isSuccess' | 'isError'
>

/**
 * What an earlier visit has left of the call of a key, in the members of TanStack's mutation result: that one starts idle
 * with each page. Its callbacks are for what this page has started and are not called.
 */
function useEarlierOutcome<S extends StandardSchemaV1 | undefined>(
  client: TaskClient,
  name: string,
  key: string | undefined,
  outputSchema: S,
): EarlierOutcome<ToolOutputOf<S>> | undefined {
  const [earlier, setEarlier] = useState<EarlierOutcome<ToolOutputOf<S>>>()
  const schema = useRef(outputSchema)
  schema.current = outputSchema
  useEffect(() => {
    setEarlier(undefined)
    if (key === undefined) return
    let isCurrent = true
    const show = (outcome: EarlierOutcome<ToolOutputOf<S>>) => {
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
