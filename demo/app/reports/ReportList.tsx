import { useRef } from 'react'
import { useTaskClient, useToolCalls } from 'taskwire/react'
import { hasEnded } from '../callStatus.js'
import { EmptyReports } from './EmptyReports.js'
import { ReportItem } from './ReportItem.js'
import { deleteSavedReport } from './savedReport.js'

/** Every report that this browser knows of, those of earlier visits included, the newest first. */
export function ReportList() {
  const client = useTaskClient()
  const calls = useToolCalls({ filter: (call) => call.name === 'generate_report' })
  const ended = calls.filter(hasEnded)
  const running = calls.length - ended.length
  const heading = useRef<HTMLHeadingElement>(null)

  function dismiss(callIds: readonly string[]): void {
    for (const callId of callIds) {
      void client.forget({ callId })
      deleteSavedReport(callId)
    }
    // The button that had the focus is gone.
    heading.current?.focus()
  }

  return (
    <section className="panel reports" aria-labelledby="reports">
      <title>{running > 0 ? `(${running}) Taskwire demo` : 'Taskwire demo'}</title>
      <header className="panel-header">
        <h2 id="reports" ref={heading} tabIndex={-1}>
          Reports
        </h2>
        <p className="muted">
          {[running > 0 && `${running} running`, ended.length > 0 && `${ended.length} ended`]
            .filter(Boolean)
            .join(', ')}
        </p>
        {ended.length > 0 && (
          <button type="button" className="button quiet" onClick={() => dismiss(ended.map(({ callId }) => callId))}>
            Dismiss ended
          </button>
        )}
      </header>
      {calls.length === 0 ? (
        <EmptyReports />
      ) : (
        <>
          <p className="hint">
            Reload the page while a report runs: the same task goes on, and no second call is made.
          </p>
          <ul className="report-list">
            {calls.toReversed().map((call) => (
              <ReportItem key={call.callId} call={call} onDismiss={() => dismiss([call.callId])} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
