import { useTaskClient, useToolCallGroup } from 'taskwire/react'

/** Four reports as one batch: one bar and one button, also after a reload. */
export function ReportGroup() {
  const client = useTaskClient()
  const { calls, running, failed, progress, cancelAll } = useToolCallGroup({
    filter: ({ meta }) => meta?.['batch'] === 'year',
  })
  const start = () => {
    for (const quarter of ['Q1', 'Q2', 'Q3', 'Q4']) {
      client.startToolCall(
        { name: 'generate_report', arguments: { quarter } },
        {
          key: `year-${quarter}`,
          repeat: 'settled',
          meta: { batch: 'year', title: `Report of ${quarter}` },
        },
      )
    }
  }
  return (
    <>
      <button type="button" onClick={start} disabled={running > 0}>
        Generate all four
      </button>{' '}
      <button type="button" onClick={cancelAll} disabled={running === 0}>
        Cancel all
      </button>
      {calls.length > 0 && (
        <p role="status">
          <progress
            aria-label="The reports of the year"
            value={progress.progress}
            max={progress.total}
          />{' '}
          {running} of {calls.length} run
          {failed > 0 && `, ${failed} have failed`}
        </p>
      )}
    </>
  )
}
