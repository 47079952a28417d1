import type { FetchLike, OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client'
import { createTaskClient, type TaskClient, type TaskClientUrlOptions, type ToolCall } from 'taskwire'
import { type BrowserAuthProviderOptions, browserAuthProvider } from 'taskwire/auth'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  result,
  type ScriptedServer,
  snapshot,
} from './support/scriptedServer.js'
import { createTokenServer, type TokenServer } from './support/tokenServer.js'

const URL_ = 'https://tasks.example/mcp'
const MINUTES = 60_000

let browser: SimulatedBrowser
let server: ScriptedServer
let tokens: TokenServer
const assign = vi.fn<(url: URL) => void>()

beforeEach(() => {
  browser = createSimulatedBrowser({ turns: 80 })
  vi.stubGlobal('location', { assign: assign.mockReset() })
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  tokens = createTokenServer(server)
})

const fetch: FetchLike = (input, init) => tokens.fetch(input, init)
const count = (path: string) => tokens.asked.filter((one) => one.path === path).length
const calls = () => server.received('tools/call').length

function open(
  page: SimulatedPage = browser.openPage(),
  options: Partial<BrowserAuthProviderOptions> = {},
  more: Partial<TaskClientUrlOptions> = {},
): TaskClient {
  const authProvider = browserAuthProvider({ redirectUrl: '/callback', ...options })
  return createTaskClient({
    url: URL_,
    authProvider,
    transportOptions: { fetch },
    environment: page.environment,
    ...more,
  })
}

const connection = (client: TaskClient) => client.store.getState().connection

/** Lets work go on that takes time of the page. */
async function within<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  await browser.settle()
  return work
}

/** Where the user was sent, and the callback that the authorization server leads back to. */
function visit(to: string | undefined = String(assign.mock.lastCall?.[0]), answer = 'code=code-secret'): string {
  const url = new URL(String(to))
  const state = url.searchParams.get('state')
  return `https://app.example/callback?${answer}&state=${state}&iss=${encodeURIComponent(url.origin)}`
}

async function signIn(client: TaskClient): Promise<void> {
  await expect(within(client.authorize())).resolves.toBe('started')
  await within(client.finishAuthorization(visit()))
}

describe('a server that asks for credentials', () => {
  it('makes the connection unauthorized, and sends the user nowhere', async () => {
    const client = open()
    const call = client.startToolCall({ name: 'report' }, { key: 'k' })
    await browser.advance(10 * MINUTES)
    expect(connection(client)).toMatchObject({ status: 'unauthorized', error: { name: 'ConnectionFailedError' } })
    await expect(call.result).rejects.toMatchObject({
      name: 'ConnectionFailedError',
      message: expect.stringContaining('authorize()'),
    })
    expect([assign.mock.calls.length, tokens.asked.length, server.requests.length]).toEqual([0, 0, 0])
  })

  it('gets the user back by a redirect: the same task goes on, and the tool is called once', async () => {
    const page = browser.openPage()
    const before = open(page)
    await signIn(before)
    const { callId } = before.startToolCall({ name: 'report' }, { key: 'k' })
    await browser.advance(1500)
    tokens.valid = new Set()
    page.environment.storage('session')?.removeItem(sessionKeys(page).find((key) => key.endsWith(':tokens')) ?? '')
    await browser.advance(MINUTES)
    expect(before.getToolCallState(callId)).toMatchObject({ phase: 'working', network: 'paused' })
    expect(connection(before)).toMatchObject({ status: 'unauthorized', era: 'modern', tasks: true })
    await within(before.authorize())

    const callbackPage = await page.reload()
    const callback = open(callbackPage)
    await expect(within(callback.finishAuthorization(visit()))).resolves.toBe('authorized')
    const client = open(await callbackPage.reload())
    server.on('tasks/get', completed())
    const [resumed] = await within(client.resumeToolCalls())
    await browser.advance(5000)
    await expect(resumed?.result).resolves.toBeDefined()
    expect([resumed?.callId, calls(), connection(client).status]).toEqual([callId, 1, 'connected'])
  })

  it('is asked again at once after a sign-in in the same page', async () => {
    const client = open()
    await signIn(client)
    const call = client.startToolCall({ name: 'report' })
    await browser.advance(1500)
    tokens.valid = new Set()
    await client.signOut()
    await browser.advance(5 * MINUTES)
    expect(call.getState().network).toBe('paused')
    await signIn(client)
    expect(connection(client).status).toBe('connected')
    await browser.advance(1500)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  })

  it.each([
    ['cancellation', 'tasks/cancel', (call: ToolCall) => call.cancel()],
    ['response', 'tasks/update', (call: ToolCall) => call.respond('size', { action: 'decline' })],
  ])('gets a %s at once after a sign-in in the same page', async (_, method, send) => {
    const requestedSchema = { type: 'object', properties: {} }
    const size = { method: 'elicitation/create', params: { mode: 'form', message: 'Which size?', requestedSchema } }
    server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { size } }))
    server.on(method, ack)
    const client = open()
    await signIn(client)
    const call = client.startToolCall({ name: 'report' })
    await browser.advance(1500)
    tokens.valid = new Set()
    await client.signOut()
    await browser.advance(5000)
    const sending = send(call)
    await browser.advance(5 * MINUTES)
    const refused = server.received(method).length
    await signIn(client)
    await browser.settle()
    expect(server.received(method)).toHaveLength(refused + 1)
    await expect(sending).resolves.toBeUndefined()
  })

  it('shows what the SDK asked for: PKCE, the scope, the app as a public client', async () => {
    const client = open(browser.openPage(), { clientMetadata: { client_name: 'Reports' } })
    await within(client.connect().catch(() => {}))
    await within(client.authorize())
    const { searchParams } = new URL(String(assign.mock.lastCall?.[0]))
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'registered',
      code_challenge_method: 'S256',
      redirect_uri: 'http://localhost/callback',
      scope: 'tasks',
      resource: URL_,
    })
    expect(JSON.parse(tokens.asked.find(({ path }) => path === '/register')?.body ?? '')).toMatchObject({
      client_name: 'Reports',
      token_endpoint_auth_method: 'none',
    })
  })

  it('takes an app that is registered: no registration', async () => {
    const client = open(browser.openPage(), { clientId: 'app' })
    await signIn(client)
    expect(count('/register')).toBe(0)
    expect(connection(client).status).toBe('connected')
  })
})

describe('a token that runs out', () => {
  it('is refreshed without the user, once for all that were refused', async () => {
    const client = open()
    await signIn(client)
    const started = ['a', 'b'].map((taskId) => {
      server.on('tools/call', created({ taskId }))
      return client.startToolCall({ name: 'report' })
    })
    server.on('tasks/get', (request) => snapshot({ taskId: request.params['taskId'] })(request))
    await browser.advance(1500)
    tokens.valid = new Set()
    await browser.advance(5000)
    expect(started.map((call) => call.getState().network)).toEqual(['ok', 'ok'])
    expect([tokens.issued, assign.mock.calls.length]).toEqual([2, 1])
  })

  it('is refreshed by a provider of the app, and all that were refused are sent again', async () => {
    tokens.valid = new Set(['old'])
    let saved: OAuthTokens = { access_token: 'old', token_type: 'Bearer', refresh_token: 'refresh-secret' }
    const authProvider: OAuthClientProvider = {
      redirectUrl: 'https://app.example/callback',
      clientMetadata: { redirect_uris: ['https://app.example/callback'] },
      clientInformation: () => ({ client_id: 'app', issuer: 'https://tasks.example' }),
      tokens: () => ({ ...saved, issuer: 'https://tasks.example' }),
      saveTokens: (fresh) => {
        saved = fresh
      },
      redirectToAuthorization: assign,
      saveCodeVerifier: () => {},
      codeVerifier: () => 'verifier',
    }
    const client = open(browser.openPage(), {}, { authProvider })
    await within(client.connect())
    tokens.valid = new Set()
    server.on('tools/call', result({ content: [] }))
    await within(Promise.all(['a', 'b', 'c'].map((name) => client.callToolRaw({ name }))))
    expect([tokens.issued, assign.mock.calls.length, connection(client).status]).toEqual([1, 0, 'connected'])
  })

  it('is refreshed once, also where a request that was sent with it is refused only afterwards', async () => {
    let refuse = () => {}
    const refused = new Promise<void>((resolve) => {
      refuse = resolve
    })
    let isLate = false
    const slow: FetchLike = async (input, init) => {
      const response = await fetch(input, init)
      if (!isLate || response.status !== 401) return response
      isLate = false
      await refused
      return response
    }
    const client = open(browser.openPage(), {}, { transportOptions: { fetch: slow } })
    await signIn(client)
    tokens.valid = new Set()
    isLate = true
    const late = client.listTools()
    await within(client.listTools())
    expect(tokens.issued).toBe(2)
    refuse()
    await expect(within(late)).resolves.toBeDefined()
    expect([tokens.issued, assign.mock.calls.length, connection(client).status]).toEqual([2, 1, 'connected'])
  })

  it('is refreshed by one of two tabs that share it', async () => {
    const [a, b] = [browser.openPage(), browser.openPage()].map((page) =>
      open(page, { storage: 'local' }, { crossTab: false }),
    )
    await signIn(a as TaskClient)
    await within((b as TaskClient).connect())
    tokens.valid = new Set()
    await within(Promise.all([a?.listTools(), b?.listTools()]))
    expect(tokens.issued).toBe(2)
  })

  it('asks for the user where the refresh token is spent, and no longer tries it', async () => {
    const page = browser.openPage()
    const client = open(page)
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    await signIn(client)
    const key = sessionKeys(page).find((one) => one.endsWith(':tokens')) ?? ''
    const session = page.environment.storage('session')
    session?.setItem(key, String(session.getItem(key)).replace('refresh-secret-1', 'spent'))
    tokens.valid = new Set()
    await within(client.listTools().catch(() => {}))
    expect(connection(client).status).toBe('unauthorized')
    const before = count('/token')
    await within(client.listTools().catch(() => {}))
    expect([count('/token'), assign.mock.calls.length]).toEqual([before, 1])
  })
})

describe('a callback', () => {
  it.each([
    ['that says access_denied', 'error=access_denied', { reason: 'denied', code: 'access_denied' }],
    [
      'that says something else',
      'error=server_error&error_description=code-secret',
      { reason: 'refused', code: 'server_error' },
    ],
    ['with an error that is no code', 'error=%3Cb%3Ecode-secret', { reason: 'refused' }],
    ['without a code', 'foo=code-secret', { reason: 'no-code' }],
  ])('%s is an error that says what to do, and the task waits', async (_, answer, fields) => {
    const client = open()
    await within(client.authorize())
    const failed = client.finishAuthorization(visit(undefined, answer))
    await expect(within(failed)).rejects.toMatchObject({ name: 'AuthorizationFailedError', ...fields })
    const error = await failed.catch((one: unknown) => one)
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('secret')
    expect(connection(client)).toMatchObject({ status: 'unauthorized', error })
  })

  it.each([
    ['of another sign-in', 'https://app.example/callback?code=code-secret&state=foreign-secret'],
    ['without a state', 'https://app.example/callback?code=code-secret'],
  ])('%s is refused, and its code is sent nowhere', async (_, url) => {
    const client = open()
    await within(client.authorize())
    const failed = client.finishAuthorization(url)
    failed.catch(() => {})
    await browser.advance(5000)
    await expect(failed).rejects.toMatchObject({ name: 'AuthorizationFailedError', reason: 'foreign-state' })
    expect(String(await failed.catch((one: unknown) => one))).not.toContain('secret')
    expect(count('/token')).toBe(0)
    await expect(within(client.finishAuthorization(visit()))).resolves.toBe('authorized')
  })

  it('counts once, however often the page that it leads to is mounted', async () => {
    const client = open()
    await within(client.authorize())
    const url = visit()
    await expect(
      within(Promise.all([client.finishAuthorization(url), client.finishAuthorization(new URL(url))])),
    ).resolves.toEqual(['authorized', 'authorized'])
    expect(count('/token')).toBe(1)
    // A reload of the callback page.
    const again = open().finishAuthorization(url)
    again.catch(() => {})
    await browser.advance(5000)
    await expect(again).rejects.toMatchObject({ reason: 'foreign-state' })
  })

  it('says so where the authorization server cannot be reached', async () => {
    const client = open()
    await within(client.authorize())
    tokens.isDown = true
    await expect(within(client.finishAuthorization(visit()))).rejects.toMatchObject({ reason: 'unreachable' })
  })
})

describe('a sign-in in another tab', () => {
  it.each([
    ['has never had a connection', async () => {}],
    ['has had one', signIn],
  ])('connects one that %s and waits for the user', async (_, before) => {
    const page = browser.openPage()
    const [here, there] = [page, browser.openPage()].map((one) => open(one, { storage: 'local' }))
    if (!here || !there) throw new Error('no client')
    await before(here)
    tokens.valid = new Set()
    await here.signOut()
    await within(here.listTools().catch(() => {}))
    expect(connection(here).status).toBe('unauthorized')
    await signIn(there)
    await browser.settle()
    expect(connection(here).status).toBe('connected')
    await here.close()
    expect(page.listeners()).toBe(0)
  })

  it('connects one that was in the back-forward cache meanwhile', async () => {
    const page = browser.openPage()
    const [here, there] = [page, browser.openPage()].map((one) => open(one, { storage: 'local' }))
    if (!here || !there) throw new Error('no client')
    await within(here.listTools().catch(() => {}))
    await page.hidePage()
    page.freeze()
    await signIn(there)
    await page.thaw()
    await page.showPage()
    expect(connection(here).status).toBe('connected')
  })

  it('has two tabs not refresh in turns what the server refuses each time', async () => {
    const [here, there] = [browser.openPage(), browser.openPage()].map((page) => open(page, { storage: 'local' }))
    if (!here || !there) throw new Error('no client')
    const grant = tokens.grant
    let granted = 0
    tokens.grant = (form) => {
      granted += 1
      const response = grant(form)
      tokens.valid = new Set()
      // Nothing ends without it: the tabs would answer each other for ever.
      return granted > 20 ? Response.json({ error: 'invalid_grant' }, { status: 400 }) : response
    }
    await within(here.listTools().catch(() => {}))
    await within(there.listTools().catch(() => {}))
    await signIn(here)
    await browser.advance(MINUTES)
    expect([here, there].map((client) => connection(client).status)).toEqual(['unauthorized', 'unauthorized'])
    expect(granted).toBeLessThan(5)
  })

  it('connects one whose tokens were refused, by those of a sign-in over them', async () => {
    const [here, there] = [browser.openPage(), browser.openPage()].map((page) => open(page, { storage: 'local' }))
    if (!here || !there) throw new Error('no client')
    const grant = tokens.grant
    tokens.grant = (form) => {
      const response = grant(form)
      tokens.valid = new Set()
      return response
    }
    await signIn(there)
    await within(here.listTools().catch(() => {}))
    expect([here, there].map((client) => connection(client).status)).toEqual(['unauthorized', 'unauthorized'])
    tokens.grant = (form) =>
      form.has('refresh_token') ? Response.json({ error: 'invalid_grant' }, { status: 400 }) : grant(form)
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    await signIn(there)
    await browser.settle()
    expect([here, there].map((client) => connection(client).status)).toEqual(['connected', 'connected'])
  })

  it('leaves one alone that has tokens of its own', async () => {
    const [here, there] = [browser.openPage(), browser.openPage()].map((one) => open(one))
    if (!here || !there) throw new Error('no client')
    await within(here.listTools().catch(() => {}))
    const { length } = tokens.refused
    await signIn(there)
    await browser.settle()
    expect([connection(here).status, tokens.refused.length]).toEqual(['unauthorized', length])
  })
})

describe('a window of its own', () => {
  const popup = () => ({ location: { href: 'about:blank' }, opener: {} as unknown, close: vi.fn() })

  it('brings the callback to the tab that has opened it, which signs in and goes on', async () => {
    const opened = popup()
    const client = open(browser.openPage(), { openPopup: () => opened })
    await expect(within(client.authorize())).resolves.toBe('started')
    expect([assign.mock.calls.length, opened.opener]).toEqual([0, null])

    const callback = open()
    await expect(within(callback.finishAuthorization(visit(opened.location.href)))).resolves.toBe('handed-over')
    expect(connection(client).status).toBe('connected')
    expect(opened.close).toHaveBeenCalled()
    expect(localValues()).not.toMatch(/(access|refresh|code)-secret/)
  })

  it('tells both why nothing came of it', async () => {
    const opened = popup()
    const client = open(browser.openPage(), { openPopup: () => opened })
    await within(client.authorize())
    const denied = visit(opened.location.href, 'error=access_denied')
    await expect(within(open().finishAuthorization(denied))).rejects.toMatchObject({ reason: 'denied' })
    expect(connection(client)).toMatchObject({ status: 'unauthorized', error: { reason: 'denied' } })
  })

  it('that is blocked is an error, and one that comes to nothing is closed', async () => {
    await expect(open(browser.openPage(), { openPopup: () => null }).authorize()).rejects.toMatchObject({
      reason: 'popup-blocked',
    })
    const opened = popup()
    tokens.isDown = true
    const client = open(browser.openPage(), { openPopup: () => opened })
    await expect(within(client.authorize())).rejects.toMatchObject({ reason: 'unreachable' })
    expect(opened.close).toHaveBeenCalled()
  })

  it('is opened in the turn of the click', () => {
    const openPopup = vi.fn(popup)
    open(browser.openPage(), { openPopup }).authorize()
    expect(openPopup).toHaveBeenCalledOnce()
  })
})

describe('where tokens are', () => {
  it('sessionStorage by default, and nothing of a sign-in is in localStorage or a record', async () => {
    const page = browser.openPage()
    const client = open(page)
    await signIn(client)
    client.startToolCall({ name: 'report' }, { key: 'k' })
    await browser.advance(1500)
    expect(sessionKeys(page).some((key) => key.endsWith(':tokens'))).toBe(true)
    expect(sessionKeys(page).some((key) => key.endsWith(':flow'))).toBe(false)
    expect(localValues()).not.toMatch(/(access|refresh|code)-secret/)
  })

  it('under a name of the server, so that no other gets them', async () => {
    const page = browser.openPage()
    await signIn(open(page))
    const sent = vi.fn(async () => new Response('', { status: 401 }))
    const other = open(page, {}, { url: 'https://other.example/mcp', transportOptions: { fetch: sent } })
    await within(other.connect().catch(() => {}))
    expect(
      JSON.stringify(sent.mock.calls.map((args: unknown[]) => [...new Headers((args[1] as RequestInit).headers)])),
    ).not.toContain('secret')
  })
})

describe('headers that an app adds', () => {
  it('of a function are asked for with every request, and go to the MCP server alone', async () => {
    let sequence = 0
    const seen: (string | null)[] = []
    const client = createTaskClient({
      url: URL_,
      headers: () => Promise.resolve({ 'x-secret': `secret-${++sequence}`, accept: 'text/html' }),
      transportOptions: {
        fetch: async (url, init) => {
          seen.push(new Headers(init?.headers).get('x-secret'))
          return server.fetch(url, init)
        },
      },
      environment: browser.openPage().environment,
      push: false,
    })
    client.startToolCall({ name: 'report' })
    await browser.advance(1500)
    expect(seen).toEqual(['secret-1', 'secret-2', 'secret-3'])

    const withOAuth = open(browser.openPage(), {}, { headers: { 'x-secret': 'secret' } })
    await signIn(withOAuth)
    expect(tokens.asked.length).toBeGreaterThan(0)
    expect(tokens.asked.filter(({ headers }) => headers.has('x-secret'))).toEqual([])
  })

  it('that cannot be had end nothing that runs, and what is not sent says so', async () => {
    let isBroken = false
    const client = createTaskClient({
      url: URL_,
      headers: async () => {
        if (isBroken) throw new Error('No session')
        return { 'x-tenant': 'a' }
      },
      transportOptions: { fetch: server.fetch },
      environment: browser.openPage().environment,
      push: false,
    })
    const call = client.startToolCall({ name: 'report' }, { key: 'k' })
    await browser.advance(1500)
    isBroken = true
    await browser.advance(MINUTES)
    expect(call.getState()).toMatchObject({
      phase: 'working',
      network: 'paused',
      lastError: { name: 'TaskRequestError', kind: 'auth' },
    })
    const other = client.startToolCall({ name: 'report' }, { key: 'other' })
    await browser.settle()
    await expect(other.result).rejects.toMatchObject({
      name: 'ConnectionFailedError',
      cause: { message: 'No session' },
    })
    isBroken = false
    server.on('tasks/get', completed())
    await browser.advance(MINUTES)
    await expect(call.result).resolves.toBeDefined()
    expect(calls()).toBe(1)
  })

  it('that cannot be had at connect time are an error that says so', async () => {
    const client = createTaskClient({
      url: URL_,
      headers: () => Promise.reject(new Error('No session')),
      transportOptions: { fetch: server.fetch },
      environment: browser.openPage().environment,
    })
    await expect(within(client.connect())).rejects.toMatchObject({
      name: 'ConnectionFailedError',
      cause: { message: 'No session' },
    })
    expect(server.requests).toEqual([])
  })
})

describe('options that contradict each other', () => {
  const provider = { token: async () => 'a' }
  it.each([
    ['authProvider', { authProvider: provider, transportOptions: { authProvider: provider } }],
    ['headers', { headers: {}, transportOptions: { requestInit: { headers: {} } } }],
  ])('%s in both places', (name, options) => {
    expect(() => createTaskClient({ url: URL_, ...options })).toThrow(`Use the option ${name} alone`)
  })

  it.each([
    ['headers', { headers: {} }],
    ['authProvider', { authProvider: provider }],
    ['era', { era: 'legacy' }],
  ])('%s with an SDK client', (name, options) => {
    const client = { getProtocolEra: () => undefined }
    expect(() => createTaskClient({ client, ...options } as never)).toThrow(`got ${name} and a client`)
  })

  it.each([
    ['no authProvider', {}],
    ['one that has nothing but a token', { authProvider: provider }],
  ])('authorize() with %s', async (_, options) => {
    const client = createTaskClient({ url: URL_, environment: browser.openPage().environment, ...options })
    await expect(client.authorize()).rejects.toThrow('browserAuthProvider()')
    await expect(client.finishAuthorization('https://app.example/callback')).rejects.toThrow('browserAuthProvider()')
  })
})

function sessionKeys(page: SimulatedPage): string[] {
  const session = page.environment.storage('session')
  return Array.from({ length: session?.length ?? 0 }, (_, index) => String(session?.key(index)))
}

function localValues(): string {
  const { local } = browser.storage
  return Array.from({ length: local.length }, (_, index) => local.getItem(String(local.key(index)))).join('\n')
}
