import type { ToolCallState } from 'taskwire'

/** How the connection fares, where that matters to the user. */
export function networkNote({ network, failureCount, task }: ToolCallState): string | undefined {
  if (network === 'ok') return undefined
  if (network === 'retrying') return failureCount > 1 ? `Reconnecting, try ${failureCount + 1}` : 'Reconnecting'
  if (network === 'paused') return 'Paused'
  return task ? 'Offline. The server keeps working.' : 'Offline. The call is sent later.'
}
