import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { createTaskClient, TaskConfigurationError } from 'taskwire/sdk-v1'
import { describe, expect, it, vi } from 'vitest'
import { PATIENCE } from '../../../test/support/patience.js'
import type { TaskClientSdkV1Options } from './options.js'

async function connect(client: Client = new Client({ name: 'app', version: '1' })): Promise<Client> {
  const server = new McpServer({ name: 'server', version: '1' })
  server.registerTool('report', {}, async () => ({ content: [{ type: 'text', text: 'done' }] }))
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  return client
}

const create = async (more: object = {}) =>
  createTaskClient({ client: await connect(), storage: 'memory', ...more } as TaskClientSdkV1Options)

describe('createTaskClient() of taskwire/sdk-v1', () => {
  it('calls tools by the client of the app, which it does not close', async () => {
    const sdk = await connect()
    const client = createTaskClient({ client: sdk, storage: 'memory' })
    expect(await client.callTool({ name: 'report' })).toEqual({ content: [{ type: 'text', text: 'done' }] })
    expect(client.store.getState().connection).toMatchObject({ status: 'connected', era: 'legacy' })
    await client.close()
    expect(await sdk.ping()).toEqual({})
  })

  it('says that its client was closed, and continues once that is connected again', async () => {
    const sdk = await connect()
    const client = createTaskClient({ client: sdk, storage: 'memory' })
    await client.callTool({ name: 'report' })
    await sdk.close()
    await expect(client.callTool({ name: 'report' })).rejects.toMatchObject({
      name: 'ConnectionFailedError',
      message: expect.stringContaining('was closed. Connect the client again'),
    })
    await connect(sdk)
    await expect(client.callTool({ name: 'report' })).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it('takes an input request from the screen that the server has withdrawn, while the call goes on', async () => {
    const server = new McpServer({ name: 'server', version: '1' })
    const withdrawal = new AbortController()
    let end = () => {}
    server.registerTool('report', {}, async () => {
      // SDK v1 cancels no request with the id 0, its first one.
      await server.server.ping()
      const requestedSchema = { type: 'object' as const, properties: {} }
      const asked = server.server.elicitInput({ message: 'Sure?', requestedSchema }, { signal: withdrawal.signal })
      await asked.catch(() => {})
      await new Promise<void>((resolve) => {
        end = resolve
      })
      return { content: [{ type: 'text', text: 'done' }] }
    })
    const sdk = new Client({ name: 'app', version: '1' }, { capabilities: { elicitation: {} } })
    const [here, there] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(there), sdk.connect(here)])
    const call = createTaskClient({ client: sdk, storage: 'memory' }).startToolCall({ name: 'report' })
    await vi.waitFor(() => expect(call.getState().phase).toBe('input_required'), PATIENCE)
    const [inputKey = ''] = Object.keys(call.getState().inputRequests)
    withdrawal.abort()
    await vi.waitFor(() => expect(call.getState()).toMatchObject({ phase: 'calling', inputRequests: {} }), PATIENCE)
    await expect(call.respond(inputKey, { action: 'decline' })).rejects.toThrow('withdrawn')
    end()
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it.each([
    ['a url', { client: undefined, url: 'https://a.example/mcp' }, 'got a url and no client. Pass { client }'],
    ['nothing', { client: undefined }, 'needs { client }, a Client of @modelcontextprotocol/sdk 1.x'],
    [
      'a client of SDK v2',
      { client: { getProtocolEra: () => 'modern' } },
      "import { createTaskClient } from 'taskwire'",
    ],
    ['headers', { headers: {} }, 'got headers. Set it where you make the client and its transport'],
    ['an authProvider', { authProvider: {} }, 'got authProvider.'],
    ['an option that is misspelt', { jsonSchemaValidater: {} }, 'Did you mean jsonSchemaValidator?'],
    ['a validator that is none', { jsonSchemaValidator: {} }, 'must be an object with getValidator'],
    ['a mode that there is not', { legacy: { tasks: 'always' } }, 'legacy.tasks'],
  ])('refuses %s, with what to change', async (_, options, says) => {
    const error = await create(options).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect(String(error)).toContain(says)
  })

  it('refuses to be called without options', () => {
    expect(() => createTaskClient(undefined as never)).toThrow(TaskConfigurationError)
  })

  it('signs nobody in, and has nobody to sign out', async () => {
    const client = await create()
    await expect(client.authorize()).rejects.toThrow('Give an authProvider to the transport of the client')
    await expect(client.finishAuthorization('https://a.example/')).rejects.toBeInstanceOf(TaskConfigurationError)
    await expect(client.signOut()).resolves.toBeUndefined()
  })
})
