import { useToolCallMutation } from 'taskwire/react'
import { newsOf, textOf } from './textOf'

/**
 * The tool runs when the user presses the button. After a reload the same
 * button shows the same call.
 */
export function ReportButton() {
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  if (report.isPending) {
    return (
      <p role="status">
        {newsOf(report.call)}{' '}
        <button
          type="button"
          onClick={report.cancel}
          disabled={report.isCancelling}
        >
          Cancel
        </button>
      </p>
    )
  }
  return (
    <>
      <button type="button" onClick={() => report.mutate({ quarter: 'Q3' })}>
        Generate the weekly report
      </button>
      {report.error && <p role="alert">{report.error.message}</p>}
      {report.data?.isError && <p role="alert">{textOf(report.data)}</p>}
      {report.data && !report.data.isError && (
        <output>{textOf(report.data)}</output>
      )}
    </>
  )
}
