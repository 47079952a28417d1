import { createTaskClient } from 'taskwire/bridge'
import {
  TaskClientProvider,
  useTaskConnection,
  useToolCallMutation,
} from 'taskwire/react'

const client = createTaskClient({ url: '/api/calls' })

function Report() {
  const { status } = useTaskConnection()
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  if (status === 'unauthorized') return <a href="/sign-in">Sign in</a>
  return (
    <button
      type="button"
      disabled={report.isPending}
      onClick={() => report.mutate({ quarter: 'Q3' })}
    >
      {report.call?.task?.statusMessage ??
        report.call?.phase ??
        'Generate the report'}
    </button>
  )
}

export function App() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}
