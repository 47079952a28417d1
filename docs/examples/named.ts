import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

client.startToolCall(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'report-Q3', meta: { title: 'Report of Q3' } },
)
