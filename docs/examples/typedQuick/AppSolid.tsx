/** @jsxImportSource solid-js */
import { Show } from 'solid-js'
import { TaskClientProvider, useToolCallMutation } from 'taskwire/solid'
import { client } from './client'

export default function App() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}

function Report() {
  const report = useToolCallMutation(() => ({ name: 'generate_report', key: 'weekly' }))
  const result = () =>
    report.data && (report.data.isError ? 'The tool has failed.' : `Total: ${report.data.structuredContent.total}`)
  return (
    <Show
      when={report.isPending}
      fallback={
        <p>
          <button type="button" onClick={() => report.mutate({ quarter: 'Q3' })}>
            Generate the weekly report
          </button>{' '}
          {report.error?.message}
          {result()}
        </p>
      }
    >
      <p>
        {report.call?.phase === 'input_required'
          ? 'Waiting for your answer.'
          : (report.call?.progress?.message ?? 'Starting…')}{' '}
        <button type="button" disabled={report.isCancelling} onClick={report.cancel}>
          Cancel
        </button>
      </p>
    </Show>
  )
}
