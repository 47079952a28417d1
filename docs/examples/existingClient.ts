import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

// Without `versionNegotiation` the SDK speaks 2025-11-25 only, and no call
// becomes a task.
const client = new Client(
  { name: 'my-app', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
)
await client.connect(
  withTasks(
    new StreamableHTTPClientTransport(new URL('https://example.com/mcp')),
  ),
)

const result = await client.callTool(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  // In ms. Otherwise the SDK gives up a request after one minute.
  { timeout: 10 * 60_000 },
)
console.log(result.content)
