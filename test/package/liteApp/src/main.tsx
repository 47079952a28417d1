import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient, type ToolsOf } from 'taskwire/lite'
import { toolCallQueryOptions } from 'taskwire/query'
import { TaskClientProvider, useToolCall } from 'taskwire/react'

interface Tools {
  generate_report: { arguments: { title: string }; structuredContent?: { total: number } }
}

const client = createTaskClient<Tools>({
  url: '/mcp',
  headers: () => ({ Authorization: 'Bearer token' }),
})

declare module 'taskwire/lite' {
  interface Register {
    client: typeof client
  }
}

/** What the options of a query are typed by. */
export const options = toolCallQueryOptions(client, { name: 'generate_report', arguments: { title: 'Sales' } })
// @ts-expect-error there is no such tool
toolCallQueryOptions(client, { name: 'generate_raport' })
export type Names = keyof ToolsOf<Tools>

function Report() {
  const { data, error } = useToolCall({ name: 'generate_report', arguments: { title: 'Sales' } })
  if (error) return <p role="alert">{error.message}</p>
  return <output>{data?.isError === true ? 'failed' : data?.structuredContent.total.toFixed(2)}</output>
}

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <TaskClientProvider client={client}>
        <Report />
      </TaskClientProvider>
    </StrictMode>,
  )
}
