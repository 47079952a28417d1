import type { ToolCallState } from 'taskwire'

/** How far a cancellation has come, whichever tab has asked for it; the server decides when it is done. */
export function cancelNote({ isCancelling, cancelStatus }: ToolCallState): string | undefined {
  if (!isCancelling) return undefined
  return cancelStatus === 'requested' ? 'The server is stopping…' : 'Cancelling…'
}
