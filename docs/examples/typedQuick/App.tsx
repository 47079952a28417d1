import { TaskClientProvider, useToolCallMutation } from 'taskwire/react'
import { client } from './client'

export default function App() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}

function Report() {
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  if (report.isPending) {
    return (
      <p>
        {report.call?.phase === 'input_required'
          ? 'Waiting for your answer.'
          : (report.call?.progress?.message ?? 'Starting…')}{' '}
        <button type="button" onClick={report.cancel} disabled={report.isCancelling}>
          Cancel
        </button>
      </p>
    )
  }
  return (
    <p>
      <button type="button" onClick={() => report.mutate({ quarter: 'Q3' })}>
        Generate the weekly report
      </button>{' '}
      {report.error?.message}
      {report.data && (report.data.isError ? 'The tool has failed.' : `Total: ${report.data.structuredContent.total}`)}
    </p>
  )
}
