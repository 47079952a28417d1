import { useEffect } from 'react'
import { keyedCallId } from '../bindings/keyedCallId.js'
import type { OnSettled } from '../bindings/onSettled.js'
import type { ToolCallControls } from '../bindings/toolCallControls.js'
import type { TaskClient } from '../client/taskClient.js'
import { clearWhenForgotten } from '../query/clearWhenForgotten.js'
import { type AnyToolCallQueryOptions, toolCallKey } from '../query/toolCallQueryOptions.js'
import { useQueryClient } from './reactQuery.js'
import { useOnSettled } from './useOnSettled.js'
import { useRetry } from './useRetry.js'
import { useToolCallControls } from './useToolCallControls.js'

/** What the hooks that make a call by a query add to TanStack's result. */
export function useQueriedCall(
  client: TaskClient,
  options: AnyToolCallQueryOptions & OnSettled,
): ToolCallControls & { retry: () => void } {
  const key = toolCallKey(options)
  const callId = keyedCallId(client, { ...options, key })
  const queryClient = useQueryClient()
  useEffect(() => clearWhenForgotten(client, queryClient), [client, queryClient])
  useOnSettled(client, options, callId)
  return { ...useToolCallControls(client, callId), retry: useRetry(client, options.name, key) }
}
