import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createTaskClient } from 'taskwire'

const url = new URL('/mcp', location.href)

// What the app had before.
export const client = new Client(
  { name: 'reports', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
)

// What Taskwire adds: it connects the client, and keeps track of its calls.
export const tasks = createTaskClient({
  client,
  transport: () => new StreamableHTTPClientTransport(url),
  endpoint: url.href,
})
