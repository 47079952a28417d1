import type { ToolCallState } from 'taskwire'
import { useTaskClient, useToolCallState } from 'taskwire/react'
import { callStatus, hasEnded } from '../callStatus.js'
import { StatusIcon } from '../StatusIcon.js'
import { Elapsed } from './Elapsed.js'
import { ReportProblem } from './ReportProblem.js'
import { ReportProgress } from './ReportProgress.js'
import { ReportResult } from './ReportResult.js'
import { reportInputOf } from './savedReport.js'

interface ReportItemProps {
  call: ToolCallState
  onDismiss: () => void
}

/** One report: what it is at, and what came of it. */
export function ReportItem({ call: listed, onDismiss }: ReportItemProps) {
  const client = useTaskClient()
  // What ended in an earlier visit is listed without its outcome; showing it by its id fetches that.
  const call = useToolCallState({ callId: listed.callId }) ?? listed
  const input = reportInputOf(call)
  const title = input?.title ?? call.name
  const { label, tone } = callStatus(call)
  const isOver = hasEnded(call)

  return (
    <li className="report" data-phase={call.phase} data-testid="report">
      <div className="report-line">
        <span className="status" data-tone={tone}>
          <StatusIcon tone={tone} />
          {label}
        </span>
        <h3>{title}</h3>
        <Elapsed call={call} seconds={input?.seconds} />
        {isOver ? (
          <button type="button" className="button quiet" aria-label={`Dismiss ${title}`} onClick={onDismiss}>
            Dismiss
          </button>
        ) : (
          <button
            type="button"
            className="button quiet"
            aria-label={`Cancel ${title}`}
            disabled={call.isCancelling}
            // A cancellation that does not get through is `lastError` of the call.
            onClick={() =>
              void client
                .getToolCall(call.callId)
                ?.cancel()
                .catch(() => {})
            }
          >
            Cancel
          </button>
        )}
      </div>
      {!isOver && <ReportProgress call={call} />}
      {call.phase === 'completed' && call.result?.isError !== true && <ReportResult call={call} />}
      <ReportProblem call={call} input={input} />
    </li>
  )
}
