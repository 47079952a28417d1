import { useTaskClient, useToolCallState } from 'taskwire/react'

/** Cancels a call, whichever component, tab or visit has started it. */
export function CancelButton({ callId }: { callId: string }) {
  const client = useTaskClient()
  const call = useToolCallState({ callId })
  if (call === undefined || call.endedAt !== undefined) return null
  return (
    <button
      type="button"
      disabled={call.isCancelling}
      onClick={() => client.getToolCall(callId)?.cancel()}
    >
      {call.cancelStatus === 'requested'
        ? 'The server is stopping…'
        : call.isCancelling
          ? 'Cancelling…'
          : 'Cancel'}
    </button>
  )
}
