import { useStartReport } from './useStartReport.js'

export function EmptyReports() {
  const start = useStartReport()
  return (
    <div className="empty">
      <h3>No reports yet</h3>
      <p>
        A report takes the server up to a minute. This page only watches: reload it in the middle, go offline, close the
        tab and come back. The same report is still there.
      </p>
      <button
        type="button"
        className="button"
        onClick={() => start({ title: 'Quarterly revenue', seconds: 20, outcome: 'success' })}
      >
        Start a 20 second report
      </button>
    </div>
  )
}
