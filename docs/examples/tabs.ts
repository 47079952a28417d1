import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

// In every tab: the same key is the same call.
const call = client.startToolCall(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'q3-report' },
)
call.subscribe(({ phase, task }) => console.log(phase, task?.statusMessage))
console.log(await call.result)
