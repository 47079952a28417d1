import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createTaskServer } from '../../src/server/createTaskServer.js'
import { defineTool } from '../../src/server/tools/defineTool.js'
import { failing, greet, required, text } from './support/tools.js'

const confirmation = z.object({ sure: z.boolean() })

const deploy = defineTool({
  name: 'deploy',
  inputSchema: z.object({}),
  taskSupport: 'optional',
  prepare(_, { inputResponses }) {
    if (acceptedContent(inputResponses, 'sure', confirmation)?.sure) return undefined
    return inputRequired({
      inputRequests: { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema: confirmation }) },
    })
  },
  handler: () => text('deployed'),
})

/** The official client, which knows nothing of tasks, wired to a server without a network. */
async function connect(mode: 'auto' | 'legacy'): Promise<Client> {
  const server = createTaskServer({
    serverInfo: { name: 'test', version: '1' },
    tools: [greet, required, failing, deploy],
  })
  const client = new Client(
    { name: 'official', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  )
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { sure: true } }))
  const fetch = (url: string | URL, init?: RequestInit) => server.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch }))
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return client
}

describe.each(['auto', 'legacy'] as const)('the official client (%s)', (mode) => {
  it('lists and calls tools', async () => {
    const client = await connect(mode)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['greet', 'required', 'failing', 'deploy'])
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Luca' } })).toMatchObject(text('Hello, Luca!'))
  })

  it('is told that a tool needs tasks', async () => {
    const client = await connect(mode)
    await expect(client.callTool({ name: 'required', arguments: {} })).rejects.toMatchObject({ code: -32021 })
  })
})

describe('the official client', () => {
  it('gets the error that a tool throws', async () => {
    const client = await connect('auto')
    const call = client.callTool({ name: 'failing', arguments: { how: 'protocol' } })
    await expect(call).rejects.toMatchObject({ code: -32050, message: 'Out of paper', data: { tray: 2 } })
  })

  it('responds to the input requests before a call', async () => {
    const client = await connect('auto')
    expect(await client.callTool({ name: 'deploy', arguments: {} })).toMatchObject(text('deployed'))
  })
})
