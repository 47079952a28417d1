import { Client, type FetchLike, type OAuthClientProvider, type OAuthTokens } from '@modelcontextprotocol/client'
import { createTaskClient, type TaskClient } from 'taskwire'
import { type BrowserAuthProviderOptions, browserAuthProvider } from 'taskwire/auth'
import { createTaskClient as createLiteClient } from 'taskwire/lite'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createScriptedServer, type ScriptedServer } from '../support/scriptedServer.js'
import { createTokenServer, type TokenServer } from '../support/tokenServer.js'

const URL_ = 'https://tasks.example/mcp'

let browser: SimulatedBrowser
let server: ScriptedServer
let tokens: TokenServer
/** Lets the authorization server answer the requests that it holds back. */
let answer: () => void
let isHeld = false
/** The metadata of the authorization server. */
let authorizationEndpoint: string | undefined
const assign = vi.fn<(url: URL) => void>()

beforeEach(() => {
  browser = createSimulatedBrowser({ turns: 80 })
  vi.stubGlobal('location', { assign: assign.mockReset() })
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  server = createScriptedServer({ now: browser.now })
  tokens = createTokenServer(server)
  isHeld = false
  authorizationEndpoint = undefined
})

const fetch: FetchLike = async (input, init) => {
  if (isHeld && new URL(String(input)).pathname === '/token') {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
  }
  const response = await tokens.fetch(input, init)
  if (authorizationEndpoint === undefined || !String(input).includes('oauth-authorization-server')) return response
  return Response.json({ ...(await response.json()), authorization_endpoint: authorizationEndpoint })
}

function open(page: SimulatedPage, options: Partial<BrowserAuthProviderOptions> = {}): TaskClient {
  const authProvider = browserAuthProvider({ redirectUrl: '/callback', ...options })
  const { environment } = page
  return createTaskClient({ url: URL_, authProvider, transportOptions: { fetch }, environment, crossTab: false })
}

/** Waits for work that takes time of the page. */
async function within<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  await browser.settle()
  return work
}

/** The callback that the authorization server leads back to. */
function callback(to = String(assign.mock.lastCall?.[0])): string {
  const { origin, searchParams } = new URL(to)
  return `https://app.example/callback?code=code-secret&state=${searchParams.get('state')}&iss=${encodeURIComponent(origin)}`
}

async function signIn(client: TaskClient): Promise<void> {
  await within(client.authorize())
  await within(client.finishAuthorization(callback()))
}

/** Begins what asks for tokens, whose answer the authorization server holds back. */
async function begin<T>(work: () => Promise<T>): Promise<{ readonly outcome: Promise<T> }> {
  isHeld = true
  const outcome = work()
  outcome.catch(() => {})
  await browser.settle()
  isHeld = false
  return { outcome }
}

function keptOf(page: SimulatedPage): string {
  const kinds = ['session', 'local'] as const
  return kinds
    .map((kind) => page.environment.storage(kind))
    .flatMap((storage) =>
      Array.from({ length: storage?.length ?? 0 }, (_, at) => storage?.getItem(String(storage.key(at)))),
    )
    .join('\n')
}

/** The next user of the computer, on a page that this one has left open or opens. */
async function expectSignedOut(...pages: SimulatedPage[]): Promise<void> {
  for (const page of pages) {
    await expect(within(open(page, { storage: 'local' }).listTools())).rejects.toMatchObject({
      name: 'ConnectionFailedError',
    })
    await expect(within(open(page).listTools())).rejects.toMatchObject({ name: 'ConnectionFailedError' })
    expect(keptOf(page)).not.toMatch(/(access|refresh)-secret/)
  }
}

describe.each(['session', 'local'] as const)('signOut() with tokens in the %s storage', (storage) => {
  it('[EDGE-27] drops the tokens of a refresh that is under way', async () => {
    const page = browser.openPage()
    const client = open(page, { storage })
    await signIn(client)
    tokens.valid = new Set()
    const { outcome } = await begin(() => client.listTools())
    await client.signOut()
    answer()
    await expect(within(outcome)).rejects.toBeInstanceOf(Error)
    expect(tokens.issued).toBe(2)
    expect(client.store.getState().connection.status).toBe('unauthorized')
    await expectSignedOut(page)
    expect(assign).toHaveBeenCalledTimes(1)
  })

  it('[EDGE-27] drops the tokens of a code that is being exchanged', async () => {
    const page = browser.openPage()
    const client = open(page, { storage })
    await within(client.authorize())
    const { outcome } = await begin(() => client.finishAuthorization(callback()))
    await client.signOut()
    answer()
    await expect(within(outcome)).rejects.toMatchObject({ name: 'AuthorizationFailedError', reason: 'signed-out' })
    await expectSignedOut(page)
  })

  it('[EDGE-27] drops the tokens that authorize() gets by a refresh token', async () => {
    const page = browser.openPage()
    const client = open(page, { storage })
    await signIn(client)
    const { outcome } = await begin(() => client.authorize())
    await client.signOut()
    answer()
    await expect(within(outcome)).rejects.toMatchObject({ reason: 'signed-out' })
    await expectSignedOut(page)
  })

  it('[EDGE-27] leads nobody to the authorization server where that refresh fails afterwards', async () => {
    const page = browser.openPage()
    const client = open(page, { storage })
    await signIn(client)
    const { outcome } = await begin(() => client.authorize())
    await client.signOut()
    tokens.isDown = true
    answer()
    await expect(within(outcome)).rejects.toMatchObject({ name: 'AuthorizationFailedError' })
    expect(assign).toHaveBeenCalledTimes(1)
  })

  it('[EDGE-27] leaves the tokens of the next user alone where that refresh is refused afterwards', async () => {
    const page = browser.openPage()
    const client = open(page, { storage })
    await signIn(client)
    tokens.valid = new Set()
    const { outcome } = await begin(() => client.listTools())
    const refuse = answer
    await client.signOut()
    await signIn(client)
    tokens.grant = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    refuse()
    await within(outcome).catch(() => {})
    expect(keptOf(page)).toContain('access-secret-2')
  })
})

describe("signOut() of another tab with storage: 'local'", () => {
  it('[EDGE-27] drops the tokens of a refresh that is under way', async () => {
    const [page, other] = [browser.openPage(), browser.openPage()]
    const client = open(page, { storage: 'local' })
    await signIn(client)
    tokens.valid = new Set()
    const { outcome } = await begin(() => client.listTools())
    await open(other, { storage: 'local' }).signOut()
    answer()
    await expect(within(outcome)).rejects.toBeInstanceOf(Error)
    await expectSignedOut(page, other, browser.openPage())
  })

  it('[EDGE-27] drops the tokens of a code that is being exchanged', async () => {
    const [page, other] = [browser.openPage(), browser.openPage()]
    const client = open(page, { storage: 'local' })
    await within(client.authorize())
    const { outcome } = await begin(() => client.finishAuthorization(callback()))
    await open(other, { storage: 'local' }).signOut()
    answer()
    await expect(within(outcome)).rejects.toMatchObject({ reason: 'signed-out' })
    await expectSignedOut(page, other)
  })

  it('[EDGE-27] ends a sign-in whose callback comes afterwards', async () => {
    const [page, other] = [browser.openPage(), browser.openPage()]
    const client = open(page, { storage: 'local' })
    await within(client.authorize())
    await open(other, { storage: 'local' }).signOut()
    await expect(within(client.finishAuthorization(callback()))).rejects.toMatchObject({ reason: 'signed-out' })
    expect(tokens.issued).toBe(0)
  })

  it('[EDGE-27] ends a sign-in in a window of its own, which is told', async () => {
    const [page, other, window] = [browser.openPage(), browser.openPage(), browser.openPage()]
    const popup = { location: { href: 'about:blank' }, opener: {}, close: vi.fn() }
    const client = open(page, { storage: 'local', openPopup: () => popup })
    await within(client.authorize())
    await open(other, { storage: 'local' }).signOut()
    const handedOver = open(window, { storage: 'local' }).finishAuthorization(callback(popup.location.href))
    await expect(within(handedOver)).rejects.toMatchObject({ reason: 'signed-out' })
    expect(tokens.issued).toBe(0)
  })
})

describe('signOut() with an OAuthClientProvider of the app', () => {
  it('[EDGE-27] drops the tokens of a refresh that is under way', async () => {
    let saved: OAuthTokens | undefined = { access_token: 'old', token_type: 'Bearer', refresh_token: 'refresh-secret' }
    const authProvider: OAuthClientProvider = {
      redirectUrl: 'https://app.example/callback',
      clientMetadata: { redirect_uris: ['https://app.example/callback'] },
      clientInformation: () => ({ client_id: 'app' }),
      tokens: () => saved,
      saveTokens: (fresh) => {
        saved = fresh
      },
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => 'verifier',
      invalidateCredentials: () => {
        saved = undefined
      },
    }
    const { environment } = browser.openPage()
    const client = createTaskClient({ url: URL_, authProvider, transportOptions: { fetch }, environment })
    const { outcome } = await begin(() => client.listTools())
    await client.signOut()
    answer()
    await expect(within(outcome)).rejects.toBeInstanceOf(Error)
    expect([tokens.issued, saved]).toEqual([1, undefined])
  })
})

describe('signOut() of a client that signs nobody in', () => {
  it.each([
    ['without an authProvider', () => createTaskClient({ url: URL_ })],
    ['of a token', () => createTaskClient({ url: URL_, authProvider: { token: async () => 'token' } })],
    ['over an SDK client', () => createTaskClient({ client: new Client({ name: 'app', version: '1' }) })],
    ['of taskwire/lite', () => createLiteClient({ url: URL_ })],
  ])('[EDGE-28] resolves: there is nothing to forget (%s)', async (_, create) => {
    await expect(create().signOut()).resolves.toBeUndefined()
  })
})

describe('the address of the page to sign in on', () => {
  it.each([
    'file:///etc/passwd',
    'blob:https://app.example/2b1c',
    'view-source:https://tasks.example/authorize',
    'http://tasks.example/authorize',
    'http://localhost.example/authorize',
  ])('[EDGE-46] is not followed where it is %s', async (endpoint) => {
    authorizationEndpoint = endpoint
    const client = open(browser.openPage())
    const failed = within(client.authorize())
    await expect(failed).rejects.toMatchObject({ name: 'AuthorizationFailedError' })
    expect(assign).not.toHaveBeenCalled()
  })

  it.each(['http://localhost:9000/authorize', 'http://127.0.0.1/authorize', 'http://[::1]:9000/authorize'])(
    '[EDGE-46] is followed on this computer: %s',
    async (endpoint) => {
      authorizationEndpoint = endpoint
      await expect(within(open(browser.openPage()).authorize())).resolves.toBe('started')
      expect(String(assign.mock.lastCall?.[0])).toContain(endpoint)
    },
  )

  it('[EDGE-46] closes the window that was opened for it where it is neither https nor loopback', async () => {
    authorizationEndpoint = 'http://tasks.example/authorize'
    const popup = { location: { href: 'about:blank' }, opener: {}, close: vi.fn() }
    const client = open(browser.openPage(), { openPopup: () => popup })
    await expect(within(client.authorize())).rejects.toMatchObject({ reason: 'insecure' })
    expect([popup.location.href, popup.close.mock.calls.length]).toEqual(['about:blank', 1])
  })
})
