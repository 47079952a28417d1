import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ConnectionFailedError, TaskConfigurationError, ToolCallRejectedError } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { createTaskClient, describeFull } from '../support/anyClient.js'
import { createScriptedServer, http, type Reply, result, rpcError } from '../support/scriptedServer.js'

const page = createSimulatedEnvironment()
const url = 'https://tasks.example/mcp'

/** A client of a server that answers every attempt to connect in this way. */
function clientOf(reply: Reply) {
  const server = createScriptedServer({ now: page.now })
  for (const method of ['server/discover', 'initialize']) server.on(method, reply)
  return createTaskClient({
    url,
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    retry: { connectAttempts: 1 },
  })
}

const caught = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail('Nothing was thrown.'),
    (error: unknown) => error as Error,
  )

describe('the error of a connection that failed', () => {
  it.each([
    [400, 'The header x-tenant is missing', /the option headers/],
    [401, 'No token', /asks for credentials.*authProvider, or an Authorization header in the option headers/],
    [403, 'Not from this origin', /refuses access.*credentials.*origin/],
    [404, 'No such page', /Check that the URL is that of the MCP endpoint/],
    [405, 'Only GET', /Check that the URL is that of the MCP endpoint/],
    [415, 'Only XML', /takes no JSON.*Check that the URL is that of the MCP endpoint/],
    [429, 'Easy now', /Try again later/],
    [500, 'The database is down', /fault is in the server/],
    [503, 'Back at noon', /fault is in the server/],
  ])('[EDGE-25] says what the server said with HTTP %i, and what to do', async (status, said, advice) => {
    const client = clientOf(http(status, { body: said }))
    const error = await caught(client.connect())
    expect(error).toBeInstanceOf(ConnectionFailedError)
    expect(error.message).toContain(`at ${url}: it answered HTTP ${status} and said "${said}".`)
    expect(error.message).toMatch(advice)
    const isAboutUrl = [404, 405, 415].includes(status)
    expect(/Check that the URL/.test(error.message)).toBe(isAboutUrl)
    expect(client.store.getState().connection).toMatchObject({
      status: status === 401 ? 'unauthorized' : 'failed',
      error,
    })
  })

  it('[EDGE-25] says the words of a JSON-RPC error, with its HTTP status or its code', async () => {
    const withStatus = await caught(clientOf(rpcError(-32600, 'No tenant', { status: 400 })).connect())
    expect(withStatus.message).toMatch(/it answered (HTTP 400|with the error -32600) and said "No tenant"\./)
    const alone = await caught(clientOf(rpcError(-32603, 'No database')).connect())
    expect(alone.message).toContain('it answered with the error -32603 and said "No database".')
    expect(alone.message).not.toContain('Access-Control')
  })

  it('[EDGE-25] says nothing of a response without words', async () => {
    const { message } = await caught(clientOf(http(500)).connect())
    expect(message).toMatch(/it answered HTTP 500\. The fault/)
  })

  it('[EDGE-25] has the text of a page of HTML without its tags', async () => {
    const body = '<!DOCTYPE html>\n<html><head><title>Error</title></head>\n<body><pre>Cannot POST /mcp</pre></body>'
    const { message } = await caught(clientOf(http(404, { body })).connect())
    expect(message).toContain('it answered HTTP 404 and said "Error Cannot POST /mcp".')
  })

  it('[EDGE-25] has one short line of a long answer, without control and bidi characters', async () => {
    const body = `first\nsecond\u0000\u202Ethird ${'x'.repeat(1_000_000)}`
    const { message } = await caught(clientOf(http(400, { body })).connect())
    expect(message).toContain('said "first second third xxx')
    expect(message.length).toBeLessThan(1000)
    const tags = await caught(clientOf(http(400, { body: '<'.repeat(1_000_000) })).connect())
    expect(tags.message.length).toBeLessThan(1000)
  })
})

it('[EDGE-25] a tools/call that is refused with HTTP 400 says what the server said', async () => {
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', http(400, { body: 'The header x-tenant is missing' }))
  const client = createTaskClient({ url, transportOptions: { fetch: server.fetch }, environment: page.environment })
  const error = await caught(client.callTool({ name: 'report' }))
  expect(error).toBeInstanceOf(ToolCallRejectedError)
  expect(error.message).toMatch(
    /^Failed to call "report": the server answered HTTP 400 and said "The header x-tenant is missing"\. .*the option headers/,
  )
})

describeFull('createTaskClient', () => {
  it.each([
    ['{}', {}],
    ['null', null],
    ['a string', 'client'],
    ['a server', { connect: () => {}, close: () => {} }],
    ['a transport', new StreamableHTTPClientTransport(new URL(url))],
  ])('[EDGE-25] refuses %s as client with a typed error that says what belongs there', (_, client) => {
    const create = () => createTaskClient({ client: client as never })
    expect(create).toThrow(TaskConfigurationError)
    expect(create).toThrow(/The client is not an SDK client.*@modelcontextprotocol\/client.*@modelcontextprotocol\/sdk/)
  })

  it.each([
    ['{}', {}],
    ['null', null],
    ['a string', url],
    ['what a function returns', () => ({})],
  ])('[EDGE-25] refuses %s as transport with a typed error that says what belongs there', async (_, transport) => {
    const client = new Client({ name: 'app', version: '1.0.0' })
    const connect = async () => createTaskClient({ client, transport: transport as never }).connect()
    const error = await caught(connect())
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect(error.message).toMatch(/The argument is not a transport.*StreamableHTTPClientTransport/)
  })
})

describe('a relative url', () => {
  const reply = createScriptedServer({ now: page.now })

  it('[EDGE-24] is resolved at connect() where there was no page before, as on a server', async () => {
    reply.on('tools/call', result({ content: [] }))
    const urls: string[] = []
    let base: string | undefined
    const client = createTaskClient({
      url: '/mcp',
      environment: { ...page.environment, baseUrl: () => base },
      transportOptions: {
        fetch: (to, init) => {
          urls.push(String(to))
          return reply.fetch(to, init)
        },
      },
    })
    const error = await caught(client.connect())
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect(error.message).toMatch(/the url "\/mcp" is relative, and there is no page .* on a server.*whole URL/)
    expect(urls).toEqual([])
    base = 'https://app.example/reports/'
    await client.callTool({ name: 'report' })
    expect(new Set(urls)).toEqual(new Set(['https://app.example/mcp']))
  })

  it('[EDGE-24] is resolved against the script of a worker, which has no document', () => {
    vi.stubGlobal('location', { href: 'https://app.example/scripts/worker.js' })
    expect(createTaskClient({ url: '../mcp' }).id).toBe(createTaskClient({ url: 'https://app.example/mcp' }).id)
  })

  it('[EDGE-24] creates a client on a server, which touches nothing there', () => {
    const client = createTaskClient({ url: '/mcp' })
    expect(client.store.getState()).toEqual(client.store.getInitialState())
    expect(client.id).toBe(createTaskClient({ url: '/mcp' }).id)
    expect(client.id).not.toBe(createTaskClient({ url: '/other' }).id)
  })
})
