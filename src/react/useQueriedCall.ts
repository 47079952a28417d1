import type { OnSettled } from '../bindings/onSettled.js'
import type { ToolCallControls } from '../bindings/toolCallControls.js'
import type { TaskClient } from '../client/taskClient.js'
import { type AnyToolCallQueryOptions, toolCallKey } from '../query/toolCallQueryOptions.js'
import { useOnSettled } from './useOnSettled.js'
import { useRetry } from './useRetry.js'
import { useToolCallControls } from './useToolCallControls.js'

/** What the hooks that make a call by a query add to TanStack's result. */
export function useQueriedCall(
  client: TaskClient,
  options: AnyToolCallQueryOptions & OnSettled,
): ToolCallControls & { retry: () => void } {
  const key = toolCallKey(options)
  const callId = key === undefined ? undefined : client.toolCallId(options.name, key)
  useOnSettled(client, options.onSettled, (settledId) => settledId === callId)
  const retry = useRetry(client, options.name, key)
  return { ...useToolCallControls(client, callId), retry }
}
