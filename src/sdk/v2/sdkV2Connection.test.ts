import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { createScriptedServer, result } from '../../../test/support/scriptedServer.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { withTasks } from '../withTasks/withTasks.js'
import { createSdkV2Connection } from './sdkV2Connection.js'

const URL_ = 'https://tasks.example/mcp'
const TASK_ID = 'task-secret-1'
const RESULT = { content: [{ type: 'text', text: 'done' }] }

const LEGACY = { mode: 'auto' as const, ttlMs: undefined, environment: browserEnvironment(), addressesSessions: false }

const caught = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not fail.')
}

const over = (client: Client, createTransport?: () => Transport) =>
  createSdkV2Connection({
    client,
    createTransport,
    url: undefined,
    callTimeoutMs: 3_600_000,
    environment: browserEnvironment(),
    randomId: () => 'token',
    onState: () => {},
    onIssue: () => {},
    legacy: LEGACY,
  })
const newClient = () => new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })

it('output that the SDK finds invalid, is an error of the SDK', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const server = createScriptedServer({ tools: [{ name: 'report', inputSchema: { type: 'object' }, outputSchema }] })
  const transport = () => withTasks(new StreamableHTTPClientTransport(new URL(URL_), { fetch: server.fetch }))
  const connection = over(newClient(), transport)
  await connection.listTools()
  server.on('tools/call', result({ ...RESULT, structuredContent: { n: 'one' } }))
  await expect(connection.callToolRaw({ name: 'report' }, undefined)).rejects.toThrow(/output schema/)
})

describe('connecting', () => {
  it.each([
    ['is not connected', (_client: Client) => Promise.resolve(), /not connected\. Connect it over withTasks/],
    [
      'knows no tasks',
      (client: Client) =>
        client.connect(new StreamableHTTPClientTransport(new URL(URL_), { fetch: createScriptedServer().fetch })),
      /transport that knows no tasks\. Connect it over withTasks/,
    ],
  ])('with a client of one’s own that %s', async (_, prepare, says) => {
    const client = newClient()
    await prepare(client)
    const error = await caught(over(client).listTools())
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect((error as Error).message).toMatch(says)
  })
})

describe('close()', () => {
  const newTransport = () =>
    withTasks(new StreamableHTTPClientTransport(new URL(URL_), { fetch: createScriptedServer().fetch }))

  it.each([
    ['with no transport', undefined],
    ['with a transport that nobody needed', newTransport],
  ])('lets go of a client that the app has connected, and leaves it open, %s', async (_, createTransport) => {
    const client = newClient()
    const transport = newTransport()
    await client.connect(transport)
    const connection = over(client, createTransport)
    await connection.connect()
    await connection.close()
    expect(client.transport).toBe(transport)
    expect(await caught(connection.getTask(TASK_ID))).toBeInstanceOf(TaskConfigurationError)
  })

  it('closes what it has connected itself', async () => {
    const client = newClient()
    const connection = over(client, newTransport)
    await connection.connect()
    await connection.close()
    expect(client.transport).toBeUndefined()
  })

  it('leaves a client alone that nobody has connected', async () => {
    const client = newClient()
    const close = vi.spyOn(client, 'close')
    await over(client, newTransport).close()
    expect(close).not.toHaveBeenCalled()
  })

  it('closes its transport before it returns, so that no request is sent after it', async () => {
    const client = newClient()
    const connection = over(client, newTransport)
    await connection.connect()
    const closing = connection.close()
    expect(client.transport).toBeUndefined()
    await closing
  })

  it('leaves alone what the app has connected since', async () => {
    const client = newClient()
    const connection = over(client, newTransport)
    await connection.connect()
    await client.close()
    const transport = newTransport()
    await client.connect(transport)
    await connection.close()
    expect(client.transport).toBe(transport)
  })
})
