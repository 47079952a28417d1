// #region existing
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

const client = new Client({ name: 'my-app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(withTasks(new StreamableHTTPClientTransport(new URL('https://example.com/mcp'))))

const result = await client.callTool({ name: 'generate_report' }, { timeout: 10 * 60_000 })

// #endregion existing

export { result }
