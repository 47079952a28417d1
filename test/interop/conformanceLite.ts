// The client of `taskwire/lite` as the official conformance suite watches it: it calls every tool that a server offers, once.
import { createTaskClient } from 'taskwire/lite'
import { argumentsFor } from './conformanceArguments.js'

const [, , , url] = process.argv
if (url === undefined) throw new TypeError('Usage: conformanceLite.ts lite URL')

const client = createTaskClient({
  url,
  clientInfo: { name: 'taskwire-conformance', version: '1.0.0' },
  storage: 'memory',
  input: {
    handlers: {
      elicitation: () => ({ action: 'accept', content: { confirmed: true } }),
      roots: () => ({ roots: [] }),
      sampling: () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'Paris' } }),
    },
  },
})
const tools = await client.listTools()
const schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]))
const calls = tools.flatMap(({ name }) => argumentsFor(name, schemas).map((args) => ({ name, arguments: args })))
// Scenarios watch the requests; some answer with what a client has to refuse.
const answers = await Promise.allSettled(calls.map((call) => client.callTool(call)))
for (const answer of answers) if (answer.status === 'rejected') console.error(`refused: ${answer.reason}`)
await client.close()
