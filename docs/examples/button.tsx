import { useToolCallMutation } from 'taskwire/react'

// #region button
export function ReportButton() {
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  return (
    <button type="button" onClick={() => report.mutate({ quarter: 'Q3' })} disabled={report.call?.phase === 'working'}>
      {report.call?.task?.statusMessage ?? 'Generate the weekly report'}
    </button>
  )
}
// #endregion button
