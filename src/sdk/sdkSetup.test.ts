import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  completed,
  created,
  createScriptedServer,
  http,
  legacyResult,
  speakLegacy,
} from '../../test/support/scriptedServer.js'
import { DEFAULT_POLL_POLICY } from '../core/time/policy.js'
import type { WirePiece } from '../core/wire/wireTap.js'
import { setUpSdk } from './sdkSetup.js'

const { environment } = createSimulatedEnvironment()
const url = 'https://mcp.example/mcp'
const setUp = (options: unknown) => setUpSdk(options as Parameters<typeof setUpSdk>[0], environment, () => {})

const v2 = { getProtocolEra: () => undefined }
const v1 = { request: () => {}, listTools: () => {}, getServerCapabilities: () => {}, close: () => {} }

describe('the target of a client', () => {
  it.each([[undefined], [null], ['text'], [{}], [{ url: '' }], [{ client: undefined }]])(
    'is missing in %o',
    (options) => {
      expect(() => setUp(options)).toThrow('createTaskClient needs a server')
    },
  )

  it.each([[null], ['text'], [5], [{}], [{ close: () => {} }]])('is not an SDK client where it is %o', (client) => {
    expect(() => setUp({ client })).toThrow('The client is not an SDK client.')
  })

  it('is the URL where a client is named and undefined', () => {
    expect(setUp({ client: undefined, url }).endpoint).toBe(url)
  })

  it.each([
    [{ url, era: 'new' }, 'era'],
    [{ url, era: undefined, legacy: { tasks: 'some' } }, 'legacy.tasks'],
    [{ url, urll: 'x' }, 'urll'],
    [
      { url, headers: { a: 'b' }, transportOptions: { requestInit: { headers: { a: 'c' } } } },
      'the option headers alone',
    ],
    [{ client: v2, headers: { a: 'b' } }, 'headers and a client'],
  ])('is refused with %o', (options, message) => {
    vi.spyOn(console, 'warn').mockImplementation((text) => {
      throw new Error(String(text))
    })
    expect(() => setUp(options)).toThrow(message)
  })

  it.each([
    ...[{ era: 'auto' }, { era: 'modern' }, { era: 'legacy' }, {}, { headers: { a: 'b' } }],
    ...[{ headers: { a: 'b' }, transportOptions: {} }, { transportOptions: { requestInit: { headers: { a: 'b' } } } }],
  ])('is taken with %o', (options) => {
    expect(setUp({ url, ...options }).endpoint).toBe(url)
  })
})

/** A page, and a server of which `ask` reads the tools by a connection over what the options say. */
function connect(target: (fetch: FetchLike) => object) {
  const page = createSimulatedEnvironment({ turns: 60 })
  const tools = [{ name: 'report', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }]
  const server = createScriptedServer({ now: page.now, tools })
  const pieces: WirePiece[] = []
  const issues: string[] = []
  const { environment } = page
  const options = target(server.fetch) as Parameters<typeof setUpSdk>[0]
  const connection = setUpSdk(options, environment, ({ violation }) => issues.push(violation)).createConnection({
    environment,
    randomId: () => 'id',
    onState: () => {},
    onIssue: () => {},
    onError: () => {},
    callTimeoutMs: 60_000,
    tap: { onWire: (piece) => pieces.push(piece) },
    retry: { attempts: 3, policy: DEFAULT_POLL_POLICY, environment },
  })
  const ask = async () => {
    const answer = connection.listTools().then(
      ([tool]) => tool?.name,
      (error: Error) => error.name,
    )
    await page.advance(60_000)
    return answer
  }
  return { page, server, connection, pieces, issues, ask }
}

const sdk = () => new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
const over = (fetch: FetchLike) => new StreamableHTTPClientTransport(new URL(url), { fetch })

describe('a connection over an SDK client', () => {
  // Loaded where a server turns out to be one of 2025-11-25, which takes real time the first time.
  beforeAll(() => import('./legacy/tasksOverTransport.js'))

  it('of v1 asks by the methods of that client', async () => {
    const listTools = async () => ({ tools: [{ name: 'count', inputSchema: {} }] })
    const client = { ...v1, transport: {}, getServerVersion: () => undefined, listTools }
    await expect(connect(() => ({ client })).ask()).resolves.toBe('count')
  })

  it('is made over a transport that is given as it is, once', async () => {
    const { server, ask } = connect((fetch) => ({ client: sdk(), transport: over(fetch) }))
    server.on('server/discover', http(503))
    await expect(ask()).resolves.toBe('ConnectionFailedError')
    expect(server.times('server/discover', 0)).toHaveLength(1)
  })

  it('is made anew where a function makes the transports', async () => {
    const { server, ask } = connect((fetch) => ({ client: sdk(), transport: () => over(fetch) }))
    server.on('server/discover', http(503))
    await expect(ask()).resolves.toBe('ConnectionFailedError')
    expect(server.times('server/discover', 0)).toHaveLength(3)
  })

  it('shows its messages on the wire', async () => {
    const { pieces, ask } = connect((fetch) => ({ client: sdk(), transport: over(fetch) }))
    await expect(ask()).resolves.toBe('report')
    expect(pieces).toMatchObject([
      { at: expect.any(Number), message: { method: 'tools/list' }, isSent: true },
      { at: expect.any(Number), message: { result: expect.anything() }, isSent: false },
    ])
  })

  it('follows the tasks of calls that the app makes by its client, and says what the server gets wrong', async () => {
    const client = sdk()
    const { page, server, issues, ask } = connect((fetch) => ({ client, transport: over(fetch) }))
    await ask()
    server.on('tools/call', created({ ttlMs: 'soon' }))
    server.on('tasks/get', completed())
    const call = client.callTool({ name: 'report' })
    await page.advance(1000)
    await expect(call).resolves.toMatchObject({ content: [{ text: 'done' }] })
    expect(issues).toEqual(['ttlMs is "soon"; taken as unlimited'])
  })

  it('names a task of 2025-11-25 as the server does, also in a session', async () => {
    const { page, server, connection, ask } = connect((fetch) => ({ client: sdk(), transport: over(fetch) }))
    const tasks = { cancel: {}, requests: { tools: { call: {} } } }
    speakLegacy(server, { tools: {}, tasks }, () => ({ 'mcp-session-id': 's1' }))
    const at = '2025-11-25T00:00:00Z'
    const task = { taskId: 't1', status: 'working', createdAt: at, lastUpdatedAt: at, ttl: null, pollInterval: 1000 }
    server.on('tools/call', legacyResult({ task }))
    await ask()
    const answer = connection.callToolRaw({ name: 'report' }, undefined)
    await page.advance(1000)
    await expect(answer).resolves.toMatchObject({ type: 'task', task: { taskId: 't1' } })
  })

  it.each([
    ['v1', v1],
    ['v2', v2],
  ])('of %s has nobody to sign in with', async (_, client) => {
    const signingIn = setUp({ client }).createSigningIn(() => {})
    await expect(signingIn.authorize()).rejects.toThrow('The SDK client of the app signs in by its own transport.')
  })
})

describe('a connection to a URL', () => {
  it('is made anew, and not before the server wants to be asked', async () => {
    const { server, ask } = connect((fetch) => ({ url, transportOptions: { fetch } }))
    server.on('server/discover', http(429, { headers: { 'Retry-After': '20' } }))
    await expect(ask()).resolves.toBe('ConnectionFailedError')
    const [first = 0, ...later] = server.times('server/discover', 0)
    expect(later.map((at) => at - first)).toEqual([20_000, 40_000])
  })

  it('has no token where the provider has nothing for transports', async () => {
    const authProvider = { forServer: () => undefined }
    const { server, ask } = connect((fetch) => ({ url, authProvider, transportOptions: { fetch } }))
    await expect(ask()).resolves.toBe('report')
    expect(server.requests.map(({ headers }) => headers.get('authorization'))).toEqual([null, null])
  })
})
