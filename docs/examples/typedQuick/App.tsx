import { type CallToolResult, TaskCancelledError } from 'taskwire'
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
  const { data, error } = report
  if (report.isPending) {
    const { phase, network, progress } = report.call ?? {}
    return (
      <>
        <progress
          aria-label="Progress of the report"
          value={progress?.total && progress.progress}
          max={progress?.total}
        />
        <p role="status">
          {phase === 'input_required'
            ? 'Waiting for your answer.'
            : network === 'retrying'
              ? 'Reconnecting…'
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
      {error && (
        <p role={error instanceof TaskCancelledError ? 'status' : 'alert'}>
          {error.message}
        </p>
      )}
      {data?.isError && <p role="alert">{textOf(data)}</p>}
      {data && !data.isError && <p>Total: {data.structuredContent.total}</p>}
    </>
  )
}

function textOf({ content }: CallToolResult) {
  return content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
}
