import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { toolCallQueryOptions } from 'taskwire/query'
import { TaskClientProvider, useToolCall } from 'taskwire/react'
import { createTaskClient, TaskConfigurationError, type ToolsOf } from 'taskwire/sdk-v1'
import { createServer } from './server.js'

interface Tools {
  generate_report: { arguments: { title: string; pages: unknown }; structuredContent?: { pages: number } }
}

const sdk = new Client({ name: 'app', version: '1.0.0' })
const [here, there] = InMemoryTransport.createLinkedPair()
await Promise.all([createServer().connect(there), sdk.connect(here)])

const client = createTaskClient<Tools>({ client: sdk, storage: 'memory' })

declare module 'taskwire/sdk-v1' {
  interface Register {
    client: typeof client
  }
}

export const options = toolCallQueryOptions(client, {
  name: 'generate_report',
  arguments: { title: 'Sales', pages: 3 },
})
// @ts-expect-error there is no such tool
toolCallQueryOptions(client, { name: 'generate_raport' })
export type Names = keyof ToolsOf<Tools>

export function Report() {
  const { data, error } = useToolCall({ name: 'generate_report', arguments: { title: 'Sales', pages: 3 } })
  if (error) return <p role="alert">{error.message}</p>
  return <output>{data?.isError === true ? 'failed' : data?.structuredContent.pages.toFixed(2)}</output>
}

export function App() {
  return (
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>
  )
}

const call = client.startToolCall({ name: 'generate_report', arguments: { title: 'Sales', pages: 3 } })
const result = await call.result
const wrong = await client
  .callTool({ name: 'generate_report', arguments: { title: 'Sales', pages: 'three' } })
  .catch((error: unknown) => error)
const refused = await Promise.resolve()
  // @ts-expect-error it takes a client of SDK v1
  .then(() => createTaskClient({ url: 'https://example.com/mcp' }))
  .catch((error: unknown) => error)

console.log(
  JSON.stringify({
    connection: client.store.getState().connection.eraReason,
    task: call.getState().task?.status,
    result: result.isError === true ? 'failed' : result.structuredContent,
    wrong: wrong instanceof McpError && wrong.message,
    refused: refused instanceof TaskConfigurationError && refused.message,
  }),
)
await client.close()
await sdk.close()
