import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

const info = { name: 'chat-ui-mcp', version: '0.1.0' }

/**
 * Connects a client of the pool. `versionNegotiation` and `withTasks()` are
 * new.
 */
export async function connect(url: URL, requestInit: RequestInit) {
  const client = new Client(info, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(url, { requestInit })
  await client.connect(withTasks(transport, { resetTimeoutAfterMs: 30_000 }))
  return client
}
