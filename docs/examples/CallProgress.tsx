import type { ToolCallState } from 'taskwire'
import { newsOf } from './progress/newsOf'

/** Shows the progress of a call: `<CallProgress call={report.call} />`. */
export function CallProgress({ call }: { call: ToolCallState | undefined }) {
  if (call === undefined || call.endedAt !== undefined) return null
  return (
    <div>
      {/* Without a value the bar moves back and forth: how long it takes is
          unknown. */}
      <progress
        aria-label={call.name}
        value={call.progress?.total && call.progress.progress}
        max={call.progress?.total}
      />
      <p role="status">{newsOf(call)}</p>
    </div>
  )
}
