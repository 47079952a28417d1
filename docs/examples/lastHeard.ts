import type { TaskClient } from 'taskwire'

/**
 * True if the server has said nothing about the task for three polls: it cannot
 * be reached. Otherwise the tool is slow.
 */
export function isSilent(client: TaskClient, callId: string): boolean {
  const call = client.getToolCall(callId)
  const { pollIntervalMs = 1000 } = call?.getState().task ?? {}
  return (
    call?.lastHeardAt !== undefined &&
    Date.now() - call.lastHeardAt > 3 * pollIntervalMs
  )
}
