import type { UseMutationOptions, UseMutationResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { type ToolOutputOf, toolOutput } from '../query/toolOutput.js'
import { useMutation } from './reactQuery.js'
import { useTaskClient } from './TaskClientProvider.js'
import { type ToolCallControls, useToolCallControls } from './useToolCallControls.js'

/** What `mutate` takes: the arguments of the tool. */
export type ToolArguments = Record<string, unknown> | undefined

/** The tool behind a button. */
export interface ToolCallMutationParams<S extends StandardSchemaV1 | undefined = undefined> {
  /** The tool's name. */
  name: string
  /**
   * Names the button's call: while it runs, a second `mutate` joins it, and after a reload `call` shows
   * it. Without a key every `mutate` is a call of its own, and nothing is shown after a reload.
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
  params: ToolCallMutationParams<S>,
): UseToolCallMutationResult<ToolOutputOf<S>> {
  const { name, key, outputSchema, mutation } = params
  const client = useTaskClient()
  const [lastCallId, setLastCallId] = useState<string>()
  const callId = key === undefined ? lastCallId : client.toolCallId(name, key)
  useEffect(() => {
    if (key === undefined) return
    const left = client.resumeTasks({ callId: client.toolCallId(name, key) })
    return () => {
      void left.then((calls) => {
        for (const call of calls) call.detach()
      })
    }
  }, [client, name, key])
  const result = useMutation<ToolOutputOf<S>, Error, ToolArguments>({
    retry: false,
    networkMode: 'always',
    ...mutation,
    mutationFn: async (args) => {
      const call = client.startToolCall(
        { name, ...(args && { arguments: args }) },
        { fresh: 'settled', ...(key !== undefined && { key }) },
      )
      setLastCallId(call.callId)
      return toolOutput(await call.result, name, outputSchema as S)
    },
  })
  return { ...result, ...useToolCallControls(client, callId) }
}
