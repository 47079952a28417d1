import { TaskClientProvider, useToolCallMutation } from 'taskwire/react'
import { client } from './client'

export default function App() {
  return (
    <TaskClientProvider client={client}>
      <main>
        <h1>Weekly report</h1>
        <Report />
      </main>
    </TaskClientProvider>
  )
}

function Report() {
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  if (report.isPending) {
    const { phase, progress } = report.call ?? {}
    return (
      <>
        <progress
          aria-label="Progress of the report"
          value={progress?.progress}
          max={progress?.total}
        />
        <p>
          {phase === 'input_required'
            ? 'Waiting for your answer.'
            : (progress?.message ?? 'Starting…')}
        </p>
        <button
          type="button"
          onClick={report.cancel}
          disabled={report.isCancelling}
        >
          Cancel
        </button>
      </>
    )
  }
  return (
    <>
      <button type="button" onClick={() => report.mutate({ quarter: 'Q3' })}>
        Generate the weekly report
      </button>
      {report.error && <p role="alert">{report.error.message}</p>}
      {report.data && (
        <p>
          {report.data.isError
            ? 'The tool has failed.'
            : `Total: ${report.data.structuredContent.total}`}
        </p>
      )}
    </>
  )
}
