import { createTaskClient, TaskConfigurationError } from 'taskwire/lite'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import {
  created,
  createScriptedServer,
  http,
  result,
  rpcError,
  speakLegacy,
} from '../../../test/support/scriptedServer.js'
import type { TaskClientLiteOptions } from './options.js'

const url = 'https://tasks.example/mcp'

function setUp(options: Partial<TaskClientLiteOptions> = {}) {
  const { environment, now } = createSimulatedEnvironment()
  const server = createScriptedServer({ now })
  const client = createTaskClient({ url, fetch: server.fetch, environment, ...options })
  return { server, client }
}

const caught = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(() => Promise.reject(new Error('It did not fail.'))).catch((error: Error) => error)

describe('what taskwire/lite has not, it says, with the line to change:', () => {
  it.each([
    ['client', {}, /takes a client/],
    ['transport', {}, /takes a client and its transport/],
    ['transportOptions', {}, /Pass headers and fetch without it/],
    ['authProvider', {}, /does not sign users in\. Pass a token, as in headers: \(\) => \(\{ Authorization: `Bearer/],
    ['era', 'legacy', /speaks MCP 2026-07-28 alone/],
    ['legacy', {}, /speaks MCP 2026-07-28 alone/],
  ])('the option %s', (name, value, says) => {
    const create = () => setUp({ [name]: value })
    expect(create).toThrow(TaskConfigurationError)
    expect(create).toThrow(says)
    expect(create).toThrow("import { createTaskClient } from 'taskwire'")
  })

  it('an option that neither has', () => {
    expect(() => setUp({ header: {} } as object)).toThrow('There is no option header. Did you mean headers?')
  })

  it.each(['authorize', 'finishAuthorization'] as const)('%s()', async (method) => {
    const error = await caught(setUp().client[method](url))
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect(error.message).toMatch(
      /does not sign users in\. Pass a token.*import \{ createTaskClient \} from 'taskwire'/,
    )
  })

  it('a server that does not know server/discover', async () => {
    const { server, client } = setUp()
    speakLegacy(server)
    const error = await caught(client.connect())
    expect(error).toMatchObject({ name: 'ConnectionFailedError' })
    expect(error.message).toContain(`an MCP server at ${url}`)
    expect(error.message).toContain("import { createTaskClient } from 'taskwire', which speaks 2025-11-25 as well.")
    expect(server.requests.map(({ method }) => method)).toEqual(['server/discover'])
  })

  it.each([
    ['names other versions', result({ supportedVersions: ['2025-11-25'], capabilities: {} })],
    ['refuses the version', rpcError(-32022, 'Unsupported', { status: 400, data: { supported: ['2025-11-25'] } })],
    ['wants a session', rpcError(-32000, 'Bad Request: no session', { status: 400 })],
  ])('a server that %s', async (_, reply) => {
    const { server, client } = setUp()
    server.on('server/discover', reply)
    expect((await caught(client.connect())).message).toContain("import { createTaskClient } from 'taskwire'")
  })

  it('but a server that refuses the version and names it all the same is asked once more', async () => {
    const { server, client } = setUp()
    const refusal = rpcError(-32022, 'Unsupported', { status: 400, data: { supported: ['2026-07-28'] } })
    server.on('server/discover', refusal, result({ supportedVersions: ['2026-07-28'], capabilities: {} }))
    await client.connect()
    server.on('server/discover', refusal)
    await expect(setUp({ fetch: server.fetch }).client.connect()).rejects.toMatchObject({
      name: 'ConnectionFailedError',
    })
    expect(server.received('server/discover')).toHaveLength(4)
  })

  it('a server that answers server/discover with a task does not speak MCP', async () => {
    const { server, client } = setUp()
    server.on('server/discover', created())
    expect((await caught(client.connect())).message).toBe(
      `Failed to connect to an MCP server at ${url}: the server there does not speak MCP. Check that the URL is that of the MCP endpoint.`,
    )
  })

  it.each([
    ['asks for credentials', http(401)],
    ['answers with a page', http(200, { body: '<h1>Hello', headers: { 'content-type': 'text/html' } })],
    ['knows nothing there', http(404, { body: 'Not found' })],
  ])('but not a server that %s', async (_, reply) => {
    const { server, client } = setUp()
    server.on('server/discover', reply)
    expect((await caught(client.connect())).message).not.toContain('2025-11-25')
  })
})

describe('a redirect', () => {
  const redirect = (status: number, location: string) => http(status, { headers: { location } })
  const visited = async (...replies: [ReturnType<typeof redirect>, ...ReturnType<typeof redirect>[]]) => {
    const urls: string[] = []
    const { server, client } = setUp({
      fetch: (to, init) => {
        urls.push(String(to))
        return server.fetch(to, init)
      },
    })
    server.on('server/discover', ...replies, result({ supportedVersions: ['2026-07-28'], capabilities: {} }))
    const error = await client.connect().then(
      () => undefined,
      (thrown: Error) => thrown.message,
    )
    return { urls, error }
  }

  it.each([307, 308])('by %d within the origin is followed', async (status) => {
    const { urls, error } = await visited(redirect(status, '/v2/mcp'))
    expect(urls).toEqual([url, 'https://tasks.example/v2/mcp'])
    expect(error).toBeUndefined()
  })

  it.each([
    ['to another origin', redirect(307, 'https://evil.example/mcp')],
    ['to plain http', redirect(307, 'http://tasks.example/mcp')],
    ['to another port', redirect(308, 'https://tasks.example:8443/mcp')],
    ['with a user of its own', redirect(307, 'https://user:secret@tasks.example/mcp')],
    ['that would make a GET of it', redirect(302, '/v2/mcp')],
    ['to nowhere', redirect(307, 'http://')],
  ])('%s is not: the request stays where it is', async (_, reply) => {
    const { urls, error } = await visited(reply)
    expect(urls).toEqual([url])
    expect(error).toMatch(/it answered HTTP 30\d\. Check that the URL is that of the MCP endpoint/)
  })

  it('in a circle is given up', async () => {
    const { urls } = await visited(...(Array.from({ length: 9 }, () => redirect(307, '/mcp')) as [never]))
    expect(urls).toHaveLength(6)
  })
})

describe('listTools()', () => {
  it('leaves out a tool that asks for a header in a way that it may not', async () => {
    const { server, client } = setUp()
    const tool = (name: string, header: string) => {
      const region = { type: 'string', 'x-mcp-header': header }
      return { name, inputSchema: { type: 'object', properties: { region } } }
    }
    server.on('tools/list', result({ tools: [tool('good', 'Region'), tool('bad', 'My Region')] }))
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['good'])
  })

  it('reads every page, and no more than 64', async () => {
    const { server, client } = setUp()
    const page = (name: string, nextCursor?: string) =>
      result({ tools: [{ name, inputSchema: { type: 'object' } }], ...(nextCursor && { nextCursor }) })
    server.on('tools/list', page('a', '2'), page('b'))
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['a', 'b'])
    const others = Array.from({ length: 64 }, (_, index) => page('a', `${index + 2}`))
    server.on('tools/list', page('a', '1'), ...others)
    await expect(client.listTools()).rejects.toMatchObject({ code: 'INVALID_RESULT' })
    expect(server.received('tools/list')).toHaveLength(2 + 64)
  })
})
