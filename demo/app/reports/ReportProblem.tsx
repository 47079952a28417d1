import type { ToolCallState } from 'taskwire'
import type { ReportInput } from '../../shared/report.js'
import { callStatus } from '../callStatus.js'
import { callProblem } from './callProblem.js'
import { useStartReport } from './useStartReport.js'

interface ReportProblemProps {
  call: ToolCallState
  input: ReportInput | undefined
}

/** Why there is no report, and what to do about it. */
export function ReportProblem({ call, input }: ReportProblemProps) {
  const start = useStartReport()
  const problem = callProblem(call)
  if (problem === undefined) return null
  return (
    <div className="outcome" data-tone={callStatus(call).tone}>
      <p>{problem.what}</p>
      <p className="muted">{problem.advice}</p>
      {input && (
        <button type="button" className="button" onClick={() => start(input)}>
          {problem.again}
        </button>
      )}
    </div>
  )
}
