import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

/** As chat-ui connects each client of its pool, with two changes: `versionNegotiation`, and `withTasks` around the transport. */
export async function connect(url: URL, requestInit: RequestInit): Promise<Client> {
  const client = new Client({ name: 'chat-ui-mcp', version: '0.1.0' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(url, { requestInit })
  await client.connect(withTasks(transport, { resetTimeoutAfterMs: 30_000 }))
  return client
}
