import type { UseMutationResult } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { TaskClient, ToolCall } from '../client/taskClient.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import { asError } from '../protocol/asError.js'
import { toolOutput } from '../query/toolOutput.js'

/** The members of TanStack's mutation result that say what became of a call. */
export type CallOutcome = Pick<
  UseMutationResult<unknown, Error>,
  'status' | 'data' | 'error' | 'isIdle' | 'isPending' | 'isSuccess' | 'isError'
>

export interface OtherOutcome {
  /** Undefined where the mutation has made the newest call of the key itself, or where no call of the key was ever made. */
  readonly outcome: CallOutcome | undefined
  /** The mutation has made this call: what it knows of it is newer than any other outcome. */
  noteOwn(callId: string): void
}

/**
 * What became of the newest call of a key that the mutation has not made itself: an earlier visit, another tab or another
 * component has. TanStack's mutation knows its own calls alone; its callbacks are for those and are not called.
 */
export function useOtherOutcome(
  client: TaskClient,
  name: string,
  key: string | undefined,
  outputSchema: StandardSchemaV1 | undefined,
): OtherOutcome {
  const [outcome, setOutcome] = useState<CallOutcome>()
  /** When the call was started that is on show: `startedAt` tells calls of one key apart. */
  const shown = useRef<number>(undefined)
  const schema = useRef(outputSchema)
  schema.current = outputSchema
  useEffect(() => {
    setOutcome(undefined)
    if (key === undefined) return
    const callId = client.toolCallId(name, key)
    const handles = new Set<ToolCall>()

    async function show(call: ToolCall): Promise<void> {
      const { startedAt } = call.getState()
      handles.add(call)
      shown.current = startedAt
      const set = (next: CallOutcome) => {
        if (handles.has(call) && shown.current === startedAt) setOutcome(next)
      }
      set({ ...NOT_YET, status: 'pending', isPending: true })
      try {
        const data = await toolOutput(await call.result, name, schema.current)
        set({ ...NOT_YET, status: 'success', isSuccess: true, data })
      } catch (thrown) {
        set({ ...NOT_YET, status: 'error', isError: true, error: asError(thrown) })
      }
    }

    let isCurrent = true
    let isLooking = false
    /** Looks by `resumeToolCalls`, whose handles have a call followed, also where the client is lazy. */
    async function look(): Promise<void> {
      isLooking = true
      const [call] = await client.resumeToolCalls({ callId })
      isLooking = false
      if (call === undefined) return
      if (isCurrent && shown.current !== call.getState().startedAt) void show(call)
      else call.detach()
    }
    void look()
    const unsubscribe = client.subscribeToolCall(callId, () => {
      // A turn later: a mutation that starts a call notes it as its own as soon as it has it.
      void Promise.resolve().then(() => {
        const startedAt = client.getToolCallState(callId)?.startedAt
        if (isCurrent && !isLooking && startedAt !== undefined && startedAt !== shown.current) void look()
      })
    })
    return () => {
      isCurrent = false
      shown.current = undefined
      unsubscribe()
      const left = [...handles]
      handles.clear()
      for (const call of left) call.detach()
    }
  }, [client, name, key])

  const noteOwn = useCallback(
    (callId: string) => {
      shown.current = client.getToolCallState(callId)?.startedAt
      setOutcome(undefined)
    },
    [client],
  )
  return { outcome, noteOwn }
}

const NOT_YET = {
  data: undefined,
  error: null,
  isIdle: false,
  isPending: false,
  isSuccess: false,
  isError: false,
} as const
