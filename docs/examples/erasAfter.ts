import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { createTaskClient } from 'taskwire'

export async function report(sdk: Client, show: (message?: string) => void) {
  const client = createTaskClient({
    client: sdk,
    endpoint: 'https://example.com/mcp',
  })

  const call = client.startToolCall(
    { name: 'generate_report' },
    { key: 'report' },
  )
  call.subscribe(({ task }) => show(task?.statusMessage))
  return call.result
}
