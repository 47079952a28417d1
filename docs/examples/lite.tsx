import { useState } from 'react'
import { createTaskClient } from 'taskwire/lite'
import { TaskClientProvider, useToolCall } from 'taskwire/react'
import { z } from 'zod'

declare const session: { token(): Promise<string> }

// #region client
const client = createTaskClient({
  url: 'https://example.com/mcp',
  headers: async () => ({ Authorization: `Bearer ${await session.token()}` }),
})

export function Widget() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}
// #endregion client

// #region schema
const ReportOutput = z.object({ total: z.number() })

function Report() {
  const [quarter] = useState('Q3')
  const { data } = useToolCall({ client, name: 'generate_report', arguments: { quarter }, outputSchema: ReportOutput })
  return data && !data.isError ? <b>{data.structuredContent.total.toFixed(2)}</b> : null
}
// #endregion schema
