import { useTaskClient, useToolCallState } from 'taskwire/react'

/** One call, wherever it was started: by its name and its key. */
export function OneCall() {
  const client = useTaskClient()
  const call = useToolCallState({
    callId: client.toolCallId('generate_report', 'weekly'),
  })
  const start = () =>
    client.startToolCall(
      { name: 'generate_report', arguments: { quarter: 'Q3' } },
      { key: 'weekly', repeat: 'settled' },
    )
  return (
    <p role="status">
      {call
        ? `${call.phase}: ${call.progress?.message ?? 'waiting for the server'}`
        : 'Not started.'}{' '}
      <button
        type="button"
        onClick={start}
        disabled={call !== undefined && call.endedAt === undefined}
      >
        Start it
      </button>
    </p>
  )
}
