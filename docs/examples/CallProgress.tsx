import type { ToolCallState } from 'taskwire'

/** How far a call has come: `<CallProgress call={report.call} />`. */
export function CallProgress({ call }: { call: ToolCallState | undefined }) {
  if (call === undefined || call.endedAt !== undefined) return null
  const { phase, progress, task, network } = call
  const news = progress?.message ?? task?.statusMessage ?? (phase === 'calling' ? 'Starting…' : 'Working…')
  return (
    <div>
      {/* Without a value the bar moves back and forth: how long it takes is unknown. */}
      <progress aria-label={call.name} value={progress?.progress} max={progress?.total} />
      <p role="status">
        {network === 'offline' && 'You are offline. The task keeps running.'}
        {network === 'retrying' && 'The server cannot be reached, trying again…'}
        {network === 'paused' && 'Waiting.'}
        {network === 'ok' && (phase === 'input_required' ? 'Waiting for your answer.' : news)}
      </p>
    </div>
  )
}
