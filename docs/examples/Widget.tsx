import { createTaskClient } from 'taskwire/lite'
import { TaskClientProvider, useToolCall } from 'taskwire/react'
import { z } from 'zod'

const client = createTaskClient({
  url: 'https://example.com/mcp',
  headers: () => ({
    Authorization: `Bearer ${sessionStorage.getItem('token')}`,
  }), // called for each request
})

const ReportOutput = z.object({ total: z.number() })

function Report() {
  const { data, error } = useToolCall({
    name: 'generate_report',
    arguments: { quarter: 'Q3' },
    outputSchema: ReportOutput,
  })
  if (error) return <p role="alert">{error.message}</p>
  if (!data) return <p>Adding up…</p>
  if (data.isError)
    return (
      <p role="alert">The tool has refused: {JSON.stringify(data.content)}</p>
    )
  return <b>{data.structuredContent.total.toFixed(2)}</b>
}

export function Widget() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}
