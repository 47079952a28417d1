import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

const call = client.startToolCall(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'q3-report' },
)

export const stopTheWork = () => call.cancel() // asks the server to stop
// Only this page stops waiting: the task keeps running.
export const stopWaiting = () => call.detach()
