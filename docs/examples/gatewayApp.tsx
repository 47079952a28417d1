import { type CallToolResult, createTaskClient } from 'taskwire'
import { TaskClientProvider, useToolCallMutation } from 'taskwire/react'

const client = createTaskClient({ url: 'http://127.0.0.1:3000/mcp' })

export default function App() {
  return (
    <TaskClientProvider client={client}>
      <Operation />
    </TaskClientProvider>
  )
}

function Operation() {
  const operation = useToolCallMutation({
    name: 'trigger-long-running-operation',
    key: 'operation',
  })
  const { call, data, error } = operation
  if (operation.isPending) {
    return (
      <p>
        <progress
          aria-label="Progress"
          value={call?.progress?.total && call.progress.progress}
          max={call?.progress?.total}
        />{' '}
        <button
          type="button"
          onClick={operation.cancel}
          disabled={operation.isCancelling}
        >
          Cancel
        </button>
      </p>
    )
  }
  return (
    <p>
      <button
        type="button"
        onClick={() => operation.mutate({ duration: 30, steps: 30 })}
      >
        Start
      </button>{' '}
      {error?.message}
      {data && textOf(data)}
    </p>
  )
}

function textOf({ content }: CallToolResult) {
  return content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
}
