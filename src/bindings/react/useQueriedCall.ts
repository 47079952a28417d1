import { useEffect } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { clearWhenForgotten } from '../query/clearWhenForgotten.js'
import { keyedCallId } from '../query/keyedCallId.js'
import { type AnyToolCallQueryOptions, toolCallKey } from '../query/toolCallQueryOptions.js'
import { followNewerCall } from '../shared/followNewerCall.js'
import type { OnSettled } from '../shared/onSettled.js'
import type { ToolCallControls } from '../shared/toolCallControls.js'
import { useQueryClient } from './reactQuery.js'
import { useOnSettled } from './useOnSettled.js'
import { useRetry } from './useRetry.js'
import { useToolCallControls } from './useToolCallControls.js'

/** What the hooks that make a call by a query add to TanStack's result. */
export function useQueriedCall(
  client: TaskClient,
  options: AnyToolCallQueryOptions & OnSettled,
): ToolCallControls & { retry: () => void } {
  const { name } = options
  const key = toolCallKey(options)
  const callId = keyedCallId(client, { name, key })
  const queryClient = useQueryClient()
  useEffect(() => clearWhenForgotten(client, queryClient), [client, queryClient])
  useEffect(() => followNewerCall(queryClient, client, name, key), [queryClient, client, name, key])
  useOnSettled(client, options, callId)
  return { ...useToolCallControls(client, callId), retry: useRetry(client, name, key) }
}
