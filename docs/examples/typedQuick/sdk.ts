import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createTaskClient, withTasks } from 'taskwire'
import type { Tools } from './taskwire.gen'

const endpoint = new URL('/mcp', location.href)

// The client that your app has already. Changed: `versionNegotiation`, and
// `withTasks()` around the transport.
const sdk = new Client(
  { name: 'my-app', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
)
await sdk.connect(withTasks(new StreamableHTTPClientTransport(endpoint)))

// Added: calls that survive a reload, and the store and the hooks.
const client = createTaskClient<Tools>({ client: sdk, endpoint: endpoint.href })
const call = client.startToolCall(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'weekly' },
)
call.subscribe(({ progress, phase }) => console.log(progress?.message ?? phase))

const result = await call.result
console.log(result.isError ? result.content : result.structuredContent.total)
