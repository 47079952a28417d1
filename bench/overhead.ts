// What `withTasks` costs a tool call that never becomes a task: the same SDK client, server and calls, with and without it.
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'
import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'
import { median, ratio } from './measure.js'

const CALLS = 200
const ROUNDS = 15

const server = createTaskServer({
  serverInfo: { name: 'bench', version: '1.0.0' },
  tools: [
    defineTool({
      name: 'echo',
      taskSupport: 'forbidden',
      inputSchema: z.object({ text: z.string() }),
      handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
    }),
  ],
})

async function connect(wrap: (transport: Transport) => Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const fetch = (url: string | URL, init?: RequestInit) => server.fetch(new Request(url, init))
  await client.connect(wrap(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch })))
  return client
}

async function time(client: Client): Promise<number> {
  const start = performance.now()
  for (let call = 0; call < CALLS; call++) await client.callTool({ name: 'echo', arguments: { text: 'hi' } })
  return (performance.now() - start) / CALLS
}

const plain = await connect((transport) => transport)
const wrapped = await connect((transport) => withTasks(transport))
await time(plain)
await time(wrapped)
const times = { plain: [] as number[], wrapped: [] as number[] }
// In turns, so that whatever else the machine does meets both.
for (let round = 0; round < ROUNDS; round++) {
  times.plain.push(await time(plain))
  times.wrapped.push(await time(wrapped))
}
console.log(`A call in memory, median of ${ROUNDS} rounds of ${CALLS}:`)
console.log(`  SDK client alone      ${median(times.plain).toFixed(3)} ms`)
console.log(
  `  over withTasks        ${median(times.wrapped).toFixed(3)} ms   ratio ${ratio(times.wrapped, times.plain)}`,
)
process.exit(0)
