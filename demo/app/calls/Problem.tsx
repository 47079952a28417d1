import type { ToolCallState } from 'taskwire'
import { callProblem } from './callProblem.js'
import { callStatus } from './callStatus.js'

/** What went wrong in words for people; what to do about it, and the code, are one click away. */
export function Problem({ call }: { call: ToolCallState }) {
  const problem = callProblem(call)
  if (problem === undefined) return null
  return (
    <details className="why problem" data-tone={callStatus(call).tone}>
      <summary>{problem.what}</summary>
      <p>{problem.advice}</p>
      <p className="muted">
        <code>{problem.code}</code>
      </p>
    </details>
  )
}
