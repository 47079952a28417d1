import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import {
  AppBridge,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge'
import { createTaskClient, withTasks } from 'taskwire'
import { followToolCalls } from './mcpAppsBridge'

const endpoint = 'https://example.com/mcp'
const host = { name: 'my-host', version: '1.0.0' }

const client = new Client(host, { versionNegotiation: { mode: 'auto' } })
await client.connect(
  withTasks(new StreamableHTTPClientTransport(new URL(endpoint))),
)
const tasks = createTaskClient({ client, endpoint })

/** Connects a view, which is loaded into the frame after this. */
export async function connectView(frame: Window): Promise<AppBridge> {
  const bridge = new AppBridge(client, host, {
    serverTools: {},
    serverResources: {},
  })
  await bridge.connect(new PostMessageTransport(frame, frame))
  followToolCalls(bridge, tasks)
  return bridge
}
