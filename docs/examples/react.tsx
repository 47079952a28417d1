// #region setup
import { createTaskClient } from 'taskwire'
import { TaskClientProvider, useToolCall } from 'taskwire/react'

const client = createTaskClient({ url: 'https://example.com/mcp' })

export function App() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}
// #endregion setup

// #region hook
function Report() {
  const { data, error, call, cancel, isCancelling } = useToolCall({
    name: 'generate_report',
    arguments: { quarter: 'Q3' },
  })
  if (error) return <p role="alert">{error.message}</p>
  if (data) return <pre>{JSON.stringify(data.structuredContent, null, 2)}</pre>
  return (
    <p>
      {call?.network === 'retrying' ? 'Reconnecting…' : (call?.task?.statusMessage ?? 'Starting…')}
      <button type="button" onClick={cancel} disabled={isCancelling}>
        Cancel
      </button>
    </p>
  )
}
// #endregion hook
