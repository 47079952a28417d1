import type { ToolCallState } from 'taskwire'

/** How far a call has come: `<CallProgress call={report.call} />`. */
export function CallProgress({ call }: { call: ToolCallState | undefined }) {
  if (call === undefined || call.endedAt !== undefined) return null
  const { progress, task, network } = call
  return (
    <div>
      {/* Without a value the bar says that nobody knows how long it takes. */}
      <progress aria-label={call.name} value={progress?.progress} max={progress?.total} />
      <p role="status">
        {network === 'offline' && 'You are offline. The work goes on.'}
        {network === 'retrying' && 'The server cannot be reached, trying again…'}
        {network === 'paused' && 'Waiting.'}
        {network === 'ok' && (progress?.message ?? task?.statusMessage ?? 'Starting…')}
      </p>
    </div>
  )
}
