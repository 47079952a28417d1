import { type ReactElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient, isTaskError } from 'taskwire'
import { TaskClientProvider, useToolCall } from 'taskwire/react'

const client = createTaskClient({ url: '/mcp' })

function Report(): ReactElement {
  const { data, error, task, refetch } = useToolCall({
    name: 'generate_report',
    arguments: { title: 'Sales' },
    key: 'sales',
  })
  if (error) return <p role="alert">{isTaskError(error) ? error.name : error.message}</p>
  if (data === undefined) return <p role="status">{task?.statusMessage ?? 'Starting'}</p>
  return (
    <>
      <button type="button" onClick={() => refetch()}>
        Again
      </button>
      <output>{data.content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ')}</output>
    </>
  )
}

createRoot(document.getElementById('root') ?? document.body).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  </StrictMode>,
)
