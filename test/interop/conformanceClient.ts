// The client that the official conformance suite watches: it uses everything that a server offers, once.
// `bare` is the SDK's client as it is, `tasks` the same one over `withTasks`.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'
import { argumentsFor } from './conformanceArguments.js'

const [, , variant, url] = process.argv
if (url === undefined || (variant !== 'bare' && variant !== 'tasks')) {
  throw new TypeError('Usage: conformanceClient.ts bare|tasks URL')
}

const client = new Client(
  { name: 'taskwire-conformance', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: { listChanged: false } },
    versionNegotiation: { mode: 'auto' },
  },
)
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirmed: true } }))
client.setRequestHandler('roots/list', () => ({ roots: [] }))
client.setRequestHandler('sampling/createMessage', () => ({
  model: 'none',
  role: 'assistant',
  content: { type: 'text', text: 'Paris' },
}))

async function callTools(): Promise<void> {
  const { tools } = await client.listTools()
  const schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]))
  const calls = tools.flatMap(({ name }) => argumentsFor(name, schemas).map((args) => ({ name, arguments: args })))
  // All at once: what belongs to one call must not get into another. Scenarios watch the requests; some answer with
  // what a client has to refuse.
  const answers = await Promise.allSettled(calls.map((call) => client.callTool(call)))
  for (const answer of answers) if (answer.status === 'rejected') console.error(`refused: ${answer.reason}`)
}

async function readResources(): Promise<void> {
  const { resources } = await client.listResources()
  for (const { uri } of resources) await client.readResource({ uri })
}

async function getPrompts(): Promise<void> {
  const { prompts } = await client.listPrompts()
  for (const { name } of prompts) await client.getPrompt({ name })
}

const transport = new StreamableHTTPClientTransport(new URL(url))
await client.connect(variant === 'tasks' ? withTasks(transport) : transport)
const offered = client.getServerCapabilities() ?? {}
if (offered.tools !== undefined) await callTools()
if (offered.resources !== undefined) await readResources()
if (offered.prompts !== undefined) await getPrompts()
await client.close()
