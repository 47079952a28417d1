import { createTaskClient, type ToolCallState } from 'taskwire'
import { TaskClientProvider, useToolCall } from 'taskwire/react'

const client = createTaskClient({ url: 'https://example.com/mcp' })

export default function App() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}

function Report() {
  const { data, error, call, cancel, isCancelling, retry } = useToolCall({
    name: 'generate_report',
    arguments: { quarter: 'Q3' },
  })
  if (error) {
    return (
      <p role={call?.phase === 'cancelled' ? 'status' : 'alert'}>
        {error.message}{' '}
        <button type="button" onClick={retry}>
          Try again
        </button>
      </p>
    )
  }
  if (data) {
    const text = data.content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n')
    return data.isError ? <p role="alert">{text}</p> : <pre>{text}</pre>
  }
  return (
    <p>
      {newsOf(call)}{' '}
      <button type="button" onClick={cancel} disabled={isCancelling}>
        {isCancelling ? 'Cancelling…' : 'Cancel'}
      </button>
    </p>
  )
}

function newsOf(call: ToolCallState | undefined) {
  if (call?.network === 'retrying') return 'Reconnecting…'
  if (call?.phase === 'input_required') return 'Waiting for your answer.'
  return call?.task?.statusMessage ?? 'Starting…'
}
