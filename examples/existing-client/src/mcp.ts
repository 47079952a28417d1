import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createTaskClient } from 'taskwire'

const url = new URL('/mcp', location.href)

// The app had this before.
export const client = new Client(
  { name: 'reports', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
)

// Taskwire adds this. It connects the client, and keeps track of its calls.
export const tasks = createTaskClient({
  client,
  transport: () => new StreamableHTTPClientTransport(url),
  endpoint: url.href,
})

// Every call, poll and message, in a panel at the edge of the page. A production
// build leaves it out.
if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(tasks),
  )
}
