// A process of a host with an SDK client that hands input requests on: `node scripts/run.mjs test/edges/withTasksProcess.ts MCP`.
// Reads the parameters of a `tools/call` from each line, and prints what came of it.
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

const [, , url = ''] = process.argv
const client = new Client(
  { name: 'host', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
  },
)
await client.connect(withTasks(new StreamableHTTPClientTransport(new URL(url))))
console.log('{}')

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    try {
      console.log(JSON.stringify(await client.callTool(JSON.parse(line), { allowInputRequired: true })))
    } catch (error) {
      const { name, message } = error as Error
      console.log(JSON.stringify({ refused: { name, message } }))
    }
  })
  // It ends with the process that started it.
  .once('close', () => process.exit())
