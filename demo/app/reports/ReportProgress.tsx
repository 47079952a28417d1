import type { ToolCallState } from 'taskwire'

/** How far the work has come, in the words and numbers of the server, and how the connection fares where that matters. */
export function ReportProgress({ call }: { call: ToolCallState }) {
  const message = call.task?.statusMessage ?? (call.task ? 'Accepted by the server' : 'Waiting for the server')
  const { progress = 0, total } = call.progress ?? {}
  return (
    <div className="progress">
      <p className="message">{message}</p>
      {call.network !== 'ok' && <p className="network">{networkNote(call)}</p>}
      <div
        className="bar"
        role="progressbar"
        aria-label={message}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={total && progress}
      >
        <div style={{ width: `${total === undefined ? 0 : Math.min(progress / total, 1) * 100}%` }} />
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
