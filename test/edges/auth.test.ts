import {
  Client,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createTaskClient, type TaskClient, type ToolCall, withTasks } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  result,
  rpcError,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'
import { createTokenServer, type TokenServer } from '../support/tokenServer.js'

const URL_ = 'https://tasks.example/mcp'
const MINUTES = 60_000
const question = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
}

let browser: SimulatedBrowser
let server: ScriptedServer
let tokens: TokenServer

beforeEach(() => {
  browser = createSimulatedBrowser({ turns: 60 })
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  tokens = createTokenServer(server)
  tokens.valid = new Set(['first'])
  tokens.refusal = () => new Response('Token expired', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
  tokens.grant = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
})

afterEach(() => {
  vi.restoreAllMocks()
})

const fetch: FetchLike = (url, init) => tokens.fetch(url, init)

interface SignIns extends OAuthClientProvider {
  token: OAuthTokens | undefined
  readonly redirects: number
  readonly verifiers: number
}

/** What an app passes as `authProvider`, and how often it was asked to sign the user in. */
function signIns(changes: Partial<OAuthClientProvider> = {}): SignIns {
  const redirect = vi.fn()
  const verifier = vi.fn()
  return {
    token: { access_token: 'first', token_type: 'Bearer' },
    get redirects() {
      return redirect.mock.calls.length
    },
    get verifiers() {
      return verifier.mock.calls.length
    },
    redirectUrl: 'https://app.example/callback',
    clientMetadata: { redirect_uris: ['https://app.example/callback'] },
    clientInformation: () => ({ client_id: 'app' }),
    tokens() {
      return this.token
    },
    saveTokens(tokens) {
      this.token = tokens
    },
    redirectToAuthorization: redirect,
    saveCodeVerifier: verifier,
    codeVerifier: () => 'verifier',
    ...changes,
  }
}

const overUrl = (authProvider: OAuthClientProvider, page: SimulatedPage = browser.openPage()): TaskClient =>
  createTaskClient({ url: URL_, transportOptions: { fetch, authProvider }, environment: page.environment })

const sdkClient = () =>
  new Client({ name: 'app', version: '1' }, { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } })

const overClient = (authProvider: OAuthClientProvider, page: SimulatedPage = browser.openPage()): TaskClient =>
  createTaskClient({
    client: sdkClient(),
    transport: () => new StreamableHTTPClientTransport(new URL(URL_), { fetch, authProvider }),
    environment: page.environment,
    endpoint: URL_,
  })

async function overSdkV1(authProvider: OAuthClientProvider): Promise<TaskClient> {
  const legacy = { taskId: 'old', createdAt: '', lastUpdatedAt: '', ttl: null, pollInterval: 1000 }
  server.on('server/discover', rpcError(-32601, 'Method not found'))
  server.on(
    'initialize',
    result({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } },
      serverInfo: { name: 'old', version: '1' },
    }),
  )
  server.on(
    'tools/list',
    result({ tools: [{ name: 'report', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] }),
  )
  server.on('tools/call', result({ task: { ...legacy, status: 'working' } }))
  server.on('tasks/get', result({ ...legacy, status: 'working' }))
  const client = new ClientV1({ name: 'app', version: '1' })
  await client.connect(new TransportV1(new URL(URL_), { fetch, authProvider: authProvider as never }) as never)
  const taskClient = createTaskClient({ client, environment: browser.openPage().environment, endpoint: URL_ })
  // What an old server takes is loaded when one is met, in the time of this machine.
  await taskClient.connect()
  return taskClient
}

const report = { name: 'report' }
/** How many requests of a method came, refused ones among them. */
const count = (method: string) =>
  server.received(method).length + tokens.refused.filter((refused) => refused === method).length

/** Calls the tool, and lets its token run out while the task is at work. */
async function expire(client: TaskClient): Promise<ToolCall> {
  const call = client.startToolCall(report, { key: 'k' })
  await browser.advance(1500)
  expect(call.getState().phase).toBe('working')
  tokens.valid = new Set(['second'])
  return call
}

/** The same, and lets the sign-in come to nothing that the next poll starts. */
async function failToSignIn(client: TaskClient): Promise<ToolCall> {
  const call = await expire(client)
  await browser.advance(1000)
  expect(call.getState().network).toBe('paused')
  return call
}

describe('polls that the server refuses with 401 for ten minutes', () => {
  describe.each([
    ['{ url, transportOptions: { authProvider } }', (provider: SignIns) => Promise.resolve(overUrl(provider)), false],
    ['{ client, transport }', (provider: SignIns) => Promise.resolve(overClient(provider)), true],
    ['{ client } of SDK v1', overSdkV1, true],
  ])('with %s', (_, open, needsWord) => {
    it('[EDGE-02] start the sign-in once, and the call goes on with a new token', async () => {
      const provider = signIns()
      const client = await open(provider)
      const call = await failToSignIn(client)
      await browser.advance(10 * MINUTES)
      expect([provider.redirects, provider.verifiers]).toEqual([1, 1])
      expect(call.getState()).toMatchObject({ phase: 'working', network: 'paused', lastError: { kind: 'auth' } })

      provider.token = { access_token: 'second', token_type: 'Bearer' }
      if (needsWord) await Promise.all([client.connect(), browser.settle()])
      const seen = count('tasks/get')
      await browser.advance(MINUTES)
      expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
      expect(count('tasks/get')).toBeGreaterThan(seen + 20)
      expect([provider.redirects, count('tools/call')]).toEqual([1, 1])
    })

    it('[EDGE-02] start it once more when the app says so by connect(), and not again after that', async () => {
      const provider = signIns()
      const client = await open(provider)
      await failToSignIn(client)
      await browser.advance(10 * MINUTES)
      await Promise.all([client.connect(), browser.settle()])
      await browser.advance(10 * MINUTES)
      expect([provider.redirects, provider.verifiers]).toEqual([2, 2])
    })

    it('[EDGE-02] start it anew where the new token runs out, too', async () => {
      const provider = signIns()
      const client = await open(provider)
      await failToSignIn(client)
      await browser.advance(MINUTES)
      provider.token = { access_token: 'second', token_type: 'Bearer' }
      if (needsWord) await Promise.all([client.connect(), browser.settle()])
      await browser.advance(MINUTES)
      tokens.valid = new Set(['third'])
      await browser.advance(10 * MINUTES)
      expect(provider.redirects).toBe(2)
    })
  })

  it('[EDGE-02] start the sign-in once for a client over withTasks alone, which goes on when a request of the app passes', async () => {
    const provider = signIns()
    const { environment } = browser.openPage()
    const client = sdkClient()
    const http = new StreamableHTTPClientTransport(new URL(URL_), { fetch, authProvider: provider })
    await client.connect(withTasks(http, { environment }))
    const outcome = client.callTool(report, { timeout: 2 ** 30 })
    await browser.advance(1500)
    tokens.valid = new Set(['second'])
    await browser.advance(10 * MINUTES)
    expect([provider.redirects, provider.verifiers]).toEqual([1, 1])

    provider.token = { access_token: 'second', token_type: 'Bearer' }
    await client.listTools()
    server.on('tasks/get', completed())
    await browser.advance(MINUTES)
    await expect(outcome).resolves.toMatchObject({ content: [{ text: 'done' }] })
    expect([provider.redirects, count('tools/call')]).toEqual([1, 1])
  })

  it('[EDGE-02] goes on when a call of the app is taken, for a client of the app', async () => {
    const provider = signIns()
    const client = overClient(provider)
    const call = await expire(client)
    await browser.advance(MINUTES)
    provider.token = { access_token: 'second', token_type: 'Bearer' }
    server.on('tools/call', created({ taskId: 'other' }))
    server.on('tasks/get', ({ params, ...request }) =>
      completed({ taskId: String(params['taskId']) })({ params, ...request }),
    )
    const other = client.startToolCall(report)
    await browser.advance(MINUTES)
    await expect(Promise.all([call.result, other.result])).resolves.toHaveLength(2)
    expect(provider.redirects).toBe(1)
  })

  it('[EDGE-02] start the sign-in once for several tasks that are due at the same time', async () => {
    const provider = signIns()
    const client = overUrl(provider)
    for (const taskId of ['a', 'b', 'c']) {
      server.on('tools/call', created({ taskId }))
      client.startToolCall(report)
      await browser.settle()
    }
    await browser.advance(500)
    tokens.valid = new Set(['second'])
    await browser.advance(10 * MINUTES)
    expect([provider.redirects, provider.verifiers]).toEqual([1, 1])
  })

  it('[EDGE-02] start it once where it cannot even begin: the browser blocks the window', async () => {
    const redirectToAuthorization = vi.fn(() => Promise.reject(new Error('The window was blocked.')))
    const client = overUrl(signIns({ redirectToAuthorization }))
    await expire(client)
    await browser.advance(10 * MINUTES)
    expect(redirectToAuthorization).toHaveBeenCalledTimes(1)
  })

  it('[EDGE-02] start it once while it waits for the user in a window of its own', async () => {
    let close = () => {}
    const redirectToAuthorization = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          close = resolve
        }),
    )
    const provider = signIns({ redirectToAuthorization })
    const call = await expire(overUrl(provider))
    await browser.advance(10 * MINUTES)
    expect(redirectToAuthorization).toHaveBeenCalledTimes(1)
    provider.token = { access_token: 'second', token_type: 'Bearer' }
    server.on('tasks/get', completed())
    close()
    await browser.advance(MINUTES)
    await expect(call.result).resolves.toBeDefined()
  })

  it.each([
    ['{ url }', overUrl],
    ['{ client, transport }', overClient],
  ])('[EDGE-02] start it once where the server asks for a wider scope by 403 (%s)', async (_, open) => {
    const provider = signIns()
    const challenge = 'Bearer error="insufficient_scope", scope="tasks"'
    tokens.refusal = () => new Response('', { status: 403, headers: { 'www-authenticate': challenge } })
    const client = open(provider)
    await expire(client)
    await browser.advance(10 * MINUTES)
    expect([provider.redirects, provider.verifiers]).toEqual([1, 1])
  })

  it('[EDGE-02] take a token from a refresh token as often as it runs out, without the user', async () => {
    let issued = 0
    tokens.grant = () => {
      issued += 1
      tokens.valid = new Set([`refreshed ${issued}`])
      return Response.json({
        access_token: `refreshed ${issued}`,
        token_type: 'Bearer',
        refresh_token: 'r',
        expires_in: 60,
      })
    }
    const provider = signIns()
    provider.token = { access_token: 'first', token_type: 'Bearer', refresh_token: 'r' }
    const call = await expire(overUrl(provider))
    for (let time = 1; time <= 3; time++) {
      await browser.advance(MINUTES)
      expect(issued).toBe(time)
      tokens.valid = new Set(['none'])
    }
    expect(call.getState().phase).toBe('working')
    expect(provider.redirects).toBe(0)
  })

  it('[EDGE-02] start it in one tab, although the polling passes to the others when that one navigates away', async () => {
    const tabs = [signIns(), signIns(), signIns()].map((provider) => {
      const page = browser.openPage()
      return { provider, page, client: overUrl(provider, page) }
    })
    await Promise.all([...tabs.map(({ client }) => client.connect()), browser.settle()])
    const call = tabs[0]?.client.startToolCall(report, { key: 'k' })
    await browser.advance(1500)
    tokens.valid = new Set(['second'])
    for (const { page } of tabs.slice(0, 2)) {
      await browser.advance(5 * MINUTES)
      await page.close()
    }
    await browser.advance(5 * MINUTES)
    expect(tabs.map(({ provider }) => provider.redirects)).toEqual([1, 0, 0])
    // The sign-in in the first tab came to a token, and tabs share it.
    const last = tabs[2]
    if (last) last.provider.token = { access_token: 'second', token_type: 'Bearer' }
    server.on('tasks/get', completed())
    await browser.advance(MINUTES)
    expect(last?.client.getToolCall(call?.callId ?? '')?.getState().phase).toBe('completed')
  })

  it('[EDGE-02] go on as they did where no provider is there that could be asked', async () => {
    let token = 'first'
    const withToken: FetchLike = (url, init) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(url, { ...init, headers })
    }
    const { environment } = browser.openPage()
    const client = createTaskClient({ url: URL_, transportOptions: { fetch: withToken }, environment })
    const call = await expire(client)
    await browser.advance(10 * MINUTES)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'paused' })
    token = 'second'
    await browser.advance(MINUTES)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  })
})

describe('what else the server refuses with 401', () => {
  it('[EDGE-02] at connect time is tried again where no provider is there that could be asked', async () => {
    const before = browser.openPage()
    await expire(overUrl(signIns(), before))
    await before.close()
    const headers = new Headers({ authorization: 'Bearer first' })
    const client = createTaskClient({
      client: sdkClient(),
      transport: () => new StreamableHTTPClientTransport(new URL(URL_), { fetch, requestInit: { headers } }),
      environment: browser.openPage().environment,
      endpoint: URL_,
    })
    const [[call]] = await Promise.all([client.resumeToolCalls(), browser.settle()])
    await browser.advance(MINUTES)
    expect(call?.getState()).toMatchObject({ phase: 'working', network: 'paused' })
    headers.set('authorization', 'Bearer second')
    server.on('tasks/get', completed())
    await browser.advance(MINUTES)
    await expect(call?.result).resolves.toBeDefined()
  })

  it.each([
    ['{ url }', overUrl, false],
    ['{ client, transport }', overClient, true],
  ] as const)(
    '[EDGE-02] at connect time starts the sign-in once, though a task waits to be resumed (%s)',
    async (_, open, needsWord) => {
      const before = browser.openPage()
      await expire(open(signIns(), before))
      await before.close()
      const provider = signIns()
      const client = open(provider)
      const [[call]] = await Promise.all([client.resumeToolCalls(), browser.settle()])
      await browser.advance(10 * MINUTES)
      expect([provider.redirects, provider.verifiers]).toEqual([1, 1])
      expect(call?.getState()).toMatchObject({ phase: 'working', network: 'paused' })

      provider.token = { access_token: 'second', token_type: 'Bearer' }
      server.on('tasks/get', completed())
      if (needsWord) await Promise.all([client.connect(), browser.settle()])
      await browser.advance(MINUTES)
      await expect(call?.result).resolves.toBeDefined()
    },
  )

  it.each([
    ['{ url }', overUrl],
    ['{ client, transport }', overClient],
  ] as const)('[EDGE-02] as a push stream starts it once (%s)', async (_, openClient) => {
    tokens.open = ['tasks/get']
    const provider = signIns()
    const client = openClient(provider)
    await Promise.all([client.connect(), browser.settle()])
    const call = client.startToolCall(report)
    await browser.settle()
    tokens.valid = new Set(['second'])
    await browser.advance(10 * MINUTES)
    expect([provider.redirects, provider.verifiers]).toEqual([1, 1])
    expect(call.getState().phase).toBe('working')
  })

  it.each([
    ['{ url }', overUrl],
    ['{ client, transport }', overClient],
  ] as const)(
    '[EDGE-02] as a response to an input request starts it once, and the response arrives in the end (%s)',
    async (_, openClient) => {
      server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { name: question } }))
      server.on('tasks/update', ack)
      const provider = signIns()
      const client = openClient(provider)
      const call = client.startToolCall(report)
      await browser.advance(1500)
      tokens.valid = new Set(['second'])
      tokens.open = ['tasks/get']
      const answered = call.respond('name', { action: 'decline' })
      await browser.advance(10 * MINUTES)
      expect([provider.redirects, provider.verifiers]).toEqual([1, 1])
      provider.token = { access_token: 'second', token_type: 'Bearer' }
      await Promise.all([client.connect(), browser.advance(MINUTES)])
      await expect(answered).resolves.toBeUndefined()
    },
  )

  it.each([
    ['{ url }', overUrl],
    ['{ client, transport }', overClient],
  ] as const)('[EDGE-02] as a cancellation starts it once, however often the app asks (%s)', async (_, openClient) => {
    server.on('tasks/cancel', ack)
    const provider = signIns()
    const client = openClient(provider)
    const call = await failToSignIn(client)
    const cancelled = Promise.all([call.cancel(), call.cancel()])
    await browser.advance(5 * MINUTES)
    expect(call.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'retrying' })
    expect([provider.redirects, provider.verifiers]).toEqual([1, 1])
    tokens.valid = new Set(['second'])
    provider.token = { access_token: 'second', token_type: 'Bearer' }
    await Promise.all([client.connect(), browser.advance(MINUTES)])
    await expect(cancelled).resolves.toBeDefined()
    expect(call.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'requested' })
  })

  it('[EDGE-02] as a call says how a sign-in that came to nothing is started again', async () => {
    const provider = signIns()
    const client = overUrl(provider)
    await expire(client)
    await browser.advance(MINUTES)
    const call = client.startToolCall(report)
    await browser.settle()
    await expect(call.result).rejects.toThrow('connect()')
    expect(provider.redirects).toBe(1)
  })
})
