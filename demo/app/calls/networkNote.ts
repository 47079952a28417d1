import type { ToolCallState } from 'taskwire'

/** The state of the connection, if the user has to know it. */
export function networkNote({ network, failureCount, task }: ToolCallState): string | undefined {
  if (network === 'ok') return undefined
  if (network === 'retrying') return failureCount > 1 ? `Reconnecting, try ${failureCount + 1}` : 'Reconnecting'
  if (network === 'paused') return 'Paused'
  return task ? 'Offline. The work continues.' : 'Offline. The call is sent later.'
}
