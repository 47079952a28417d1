import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

const client = new Client(
  { name: 'my-host', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' }, inputRequired: { maxRounds: 100 } },
)
const transport = new StreamableHTTPClientTransport(
  new URL('https://example.com/mcp'),
)
await client.connect(withTasks(transport, { resetTimeoutAfterMs: 50_000 }))

export { client }
