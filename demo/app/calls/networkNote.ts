import type { ToolCallState } from 'taskwire'

/** The state of the connection, if the user has to know it. */
export function networkNote({ network, failureCount, phase }: ToolCallState): string | undefined {
  if (network === 'ok') return undefined
  if (network === 'retrying') return failureCount > 1 ? `Reconnecting, try ${failureCount + 1}` : 'Reconnecting'
  if (network === 'paused') return 'Paused'
  if (phase === 'working') return 'Offline. The work continues.'
  return phase === 'calling' ? 'Offline. The call is sent later.' : 'Offline. Answers are sent later.'
}
