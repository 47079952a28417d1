import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createTaskClient, withTasks } from 'taskwire'

const endpoint = 'https://example.com/mcp'
const client = new Client(
  { name: 'my-app', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
)
await client.connect(
  withTasks(new StreamableHTTPClientTransport(new URL(endpoint))),
)

export const tasks = createTaskClient({ client, endpoint })
