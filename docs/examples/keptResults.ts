import { createTaskClient } from 'taskwire'
import { keptResults } from 'taskwire/results'

const client = createTaskClient({
  url: 'https://example.com/mcp',
  results: keptResults(),
})

await client.callTool(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'report-Q3', keepResult: true },
)
