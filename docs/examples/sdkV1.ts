import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createTaskClient } from 'taskwire/sdk-v1'

const url = 'https://example.com/mcp'

const sdk = new Client({ name: 'app', version: '1.0.0' })
await sdk.connect(new StreamableHTTPClientTransport(new URL(url)))

export const client = createTaskClient({ client: sdk, endpoint: url })

const result = await client.callTool(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'report-Q3' },
)
console.log(result.isError === true ? result.content : result.structuredContent)
