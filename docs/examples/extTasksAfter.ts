import type { Client } from '@modelcontextprotocol/client'
import { createTaskClient } from 'taskwire'

/** `sdk`: connected over `withTasks(transport)`. */
export async function report(sdk: Client, show: (message?: string) => void) {
  const client = createTaskClient({
    client: sdk,
    endpoint: 'https://example.com/mcp',
  })

  const call = client.startToolCall(
    { name: 'generate_report', arguments: { quarter: 'Q3' } },
    { key: 'report' },
  )
  call.subscribe(({ task }) => show(task?.statusMessage))
  return call.result
}
