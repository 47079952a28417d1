import type { ToolCallState } from 'taskwire'
import { useNow } from '../useNow.js'

interface ReportProgressProps {
  call: ToolCallState
  /** How long the report was asked to take. */
  seconds: number | undefined
}

/** The words of the server, and how the connection fares where that matters. */
export function ReportProgress({ call, seconds }: ReportProgressProps) {
  const now = useNow(1000, true)
  const share = seconds === undefined ? 0 : (now - call.startedAt) / (seconds * 1000)
  return (
    <div className="progress">
      <p className="message">
        {call.task?.statusMessage ?? (call.task ? 'Accepted by the server' : 'Waiting for the server')}
      </p>
      {call.network !== 'ok' && <p className="network">{networkNote(call)}</p>}
      <div className="bar" aria-hidden="true">
        <div style={{ width: `${Math.min(Math.max(share, 0), 1) * 100}%` }} />
      </div>
    </div>
  )
}

function networkNote({ network, failureCount, task }: ToolCallState): string {
  if (network === 'retrying') return failureCount > 1 ? `Reconnecting, try ${failureCount + 1}` : 'Reconnecting'
  if (network === 'paused') return 'Paused'
  return task
    ? 'Offline. The server works on; this page catches up by itself.'
    : 'Offline. Sent as soon as you are back.'
}
