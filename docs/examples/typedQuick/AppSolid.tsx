/** @jsxImportSource solid-js */
import { Show } from 'solid-js'
import { type CallToolResult, TaskCancelledError } from 'taskwire'
import { TaskClientProvider, useToolCallMutation } from 'taskwire/solid'
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
  const report = useToolCallMutation(() => ({
    name: 'generate_report',
    key: 'weekly',
  }))
  const result = () =>
    report.data &&
    (report.data.isError
      ? textOf(report.data)
      : `Total: ${report.data.structuredContent.total}`)
  return (
    <Show
      when={report.isPending}
      fallback={
        <>
          <button
            type="button"
            onClick={() => report.mutate({ quarter: 'Q3' })}
          >
            Generate the weekly report
          </button>
          <Show when={report.error}>
            {(error) => (
              <p
                role={
                  error() instanceof TaskCancelledError ? 'status' : 'alert'
                }
              >
                {error().message}
              </p>
            )}
          </Show>
          <p role={report.data?.isError ? 'alert' : 'status'}>{result()}</p>
        </>
      }
    >
      <Show
        when={report.call?.progress?.total}
        fallback={<progress aria-label="Progress of the report" />}
      >
        {(total) => (
          <progress
            aria-label="Progress of the report"
            value={report.call?.progress?.progress ?? 0}
            max={total()}
          />
        )}
      </Show>
      <p role="status">
        {report.call?.phase === 'input_required'
          ? 'Waiting for your answer.'
          : report.call?.network === 'retrying'
            ? 'Reconnecting…'
            : (report.call?.progress?.message ?? 'Starting…')}
      </p>
      <button
        type="button"
        disabled={report.isCancelling}
        onClick={report.cancel}
      >
        Cancel
      </button>
    </Show>
  )
}

function textOf({ content }: CallToolResult) {
  return content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
}
