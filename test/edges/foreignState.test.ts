import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { created, createScriptedServer, result, snapshot } from '../support/scriptedServer.js'

const CALL = { name: 'transfer', arguments: { amount: 900 } }
const QUESTION = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}

/** One process of a bridge: an SDK client that hands input requests on to its own caller. */
async function startProcess(server: ReturnType<typeof createScriptedServer>) {
  const page = createSimulatedEnvironment()
  const capabilities = { elicitation: { form: {} } }
  const options = { capabilities, versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false } } as const
  const client = new Client({ name: 'bridge', version: '1' }, options)
  const transport = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), { fetch: server.fetch })
  await client.connect(withTasks(transport, { environment: page.environment }))
  return { page, client }
}

it('[EDGE-32] a response to what another withTasks() has handed on calls no tool, and says where it belongs', async () => {
  const server = createScriptedServer()
  server.on('tools/call', created())
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { a: QUESTION } }))
  const [first, second] = [await startProcess(server), await startProcess(server)]
  const asking = first.client.callTool(CALL, { allowInputRequired: true })
  await first.page.advance(2000)
  const { requestState } = (await asking) as unknown as { requestState: string }
  expect(requestState).toEqual(expect.any(String))
  const responses = { inputResponses: { a: { action: 'accept', content: {} } }, requestState }
  const responded = second.client.callTool({ ...CALL, ...responses }, { allowInputRequired: true })
  await expect(responded).rejects.toMatchObject({
    name: 'TaskConfigurationError',
    message: expect.stringMatching(/another withTasks\(\).*not called again/),
  })
  expect(server.received('tools/call')).toHaveLength(1)
})

it('[EDGE-32] the requestState of a server goes back to it as it came', async () => {
  const server = createScriptedServer()
  server.on('tools/call', result({ content: [] }))
  const { client } = await startProcess(server)
  await client.callTool({ ...CALL, requestState: 'sealed.by.the.server' } as never, { allowInputRequired: true })
  expect(server.received('tools/call')[0]?.params['requestState']).toBe('sealed.by.the.server')
})
