import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createScriptedServer } from '../../../test/support/scriptedServer.js'
import { createTokenServer } from '../../../test/support/tokenServer.js'
import type { BrowserSignIn } from './authProvider.js'
import type { SignInByToken } from './signIn.js'
import { createSignInFlow } from './signInFlow.js'
import type { ServerSignIn } from './signingIn.js'

const SERVER = 'https://tasks.example/mcp'
const CALLBACK = 'https://app.example/callback?code=c&state=s'
const REFRESHABLE: OAuthTokens = { access_token: 'old', refresh_token: 'again', token_type: 'Bearer' }
const { environment } = createSimulatedEnvironment()

/** A provider of the SDK that keeps its tokens in memory, and where it has sent the user. */
function providerOf(tokens?: OAuthTokens, more: Partial<OAuthClientProvider> = {}) {
  const redirects: URL[] = []
  const provider: OAuthClientProvider = {
    redirectUrl: 'https://app.example/callback',
    clientMetadata: { redirect_uris: ['https://app.example/callback'] },
    clientInformation: () => ({ client_id: 'app' }),
    tokens: () => tokens,
    saveTokens: () => {},
    redirectToAuthorization: (url) => void redirects.push(url),
    saveCodeVerifier: () => {},
    codeVerifier: () => 'verifier',
    ...more,
  }
  return { provider, redirects }
}

function flowOf(more: Partial<ServerSignIn> = {}) {
  const authorization = createTokenServer(createScriptedServer())
  const onEnd = vi.fn()
  const signIn: ServerSignIn = {
    provider: providerOf().provider,
    gate: undefined,
    url: () => new URL(SERVER),
    fetch: authorization.fetch,
    environment: { ...environment, baseUrl: () => 'https://app.example/page' },
    skipIssuerMetadataValidation: undefined,
    inBrowser: () => undefined,
    ...more,
  }
  const codes = () =>
    authorization.asked.filter(({ path }) => path === '/token').map(({ body }) => new URLSearchParams(body).get('code'))
  return { authorization, codes, onEnd, flow: createSignInFlow(signIn, onEnd) }
}

/** A provider of ours that has begun the sign-in with the state `s`. */
function browserFlow(tokens?: OAuthTokens) {
  const { provider: own, redirects } = providerOf(tokens)
  const ours = {
    transport: { token: async () => undefined },
    begin: vi.fn<BrowserSignIn['begin']>(),
    take: (state: string | null) => (state === 's' ? own : undefined),
    handOver: vi.fn(async () => {}),
    onNewTokens: () => () => {},
    signOut: vi.fn(),
  }
  return { own, redirects, ours, ...flowOf({ provider: { forServer: () => ours }, inBrowser: () => ours }) }
}

// The SDK misses what a provider may leave out.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))

describe('createSignInFlow', () => {
  it.each<[what: string, signIn: ServerSignIn | undefined, message: string]>([
    ['over an SDK client', undefined, 'Pass { url, authProvider } instead of the client.'],
    ['without a provider', { provider: undefined } as ServerSignIn, 'Pass an authProvider to createTaskClient'],
    ['with a provider of tokens alone', { provider: { token: async () => 't' } } as never, 'Pass an authProvider'],
  ])('says that nobody can sign in %s', (_, signIn, message) => {
    expect(() => createSignInFlow(signIn, () => {})).toThrow(message)
  })
})

describe('authorize', () => {
  it('has ended where a refresh token is enough', async () => {
    const { provider, redirects } = providerOf(REFRESHABLE)
    const { flow, onEnd } = flowOf({ provider })
    expect(await flow.authorize(undefined)).toBe('authorized')
    expect(onEnd.mock.calls).toEqual([[]])
    expect(redirects).toEqual([])
  })

  it('has started where the user is sent somewhere', async () => {
    const { provider, redirects } = providerOf()
    const { flow, onEnd } = flowOf({ provider })
    expect(await flow.authorize(undefined)).toBe('started')
    expect(onEnd).not.toHaveBeenCalled()
    expect(redirects.map(({ pathname }) => pathname)).toEqual(['/authorize'])
  })

  it.each([
    ['abandoned', 'authorized', REFRESHABLE, 1],
    ['kept', 'started', undefined, 0],
  ] as const)('that has begun is %s once it is %s', async (_, outcome, tokens, times) => {
    const { flow, own, redirects } = browserFlow(tokens)
    const abandon = vi.fn()
    expect(await flow.authorize({ provider: own, abandon })).toBe(outcome)
    expect(abandon).toHaveBeenCalledTimes(times)
    expect(redirects).toHaveLength(1 - times)
  })

  it('that fails is abandoned', async () => {
    const { flow, own, onEnd, authorization } = browserFlow()
    authorization.isDown = true
    const abandon = vi.fn()
    await expect(flow.authorize({ provider: own, abandon })).rejects.toThrow('could not be reached')
    await expect(flow.authorize({ provider: own, abandon })).rejects.toThrow('could not be reached')
    expect(abandon).toHaveBeenCalledTimes(2)
    expect(onEnd).not.toHaveBeenCalled()
  })

  it('that fails says so where nothing has begun', async () => {
    const { flow, authorization } = flowOf()
    authorization.isDown = true
    await expect(flow.authorize(undefined)).rejects.toThrow('could not be reached')
  })

  it('asks for what the server said when it refused a request', async () => {
    const { provider, redirects } = providerOf()
    const { flow } = flowOf({ provider, gate: { challenge: { scope: 'tasks' } } as SignInByToken })
    await flow.authorize(undefined)
    expect(redirects.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['tasks'])
  })
})

describe('finishAuthorization', () => {
  it('takes one callback once, relative to the page', async () => {
    const { flow, onEnd, codes } = flowOf()
    expect(await flow.finishAuthorization('/callback?code=c&state=s')).toBe('authorized')
    expect(await flow.finishAuthorization(CALLBACK)).toBe('authorized')
    expect(codes()).toEqual(['c'])
    expect(onEnd.mock.calls).toEqual([[]])
    await flow.finishAuthorization(CALLBACK.replace('code=c', 'code=d'))
    expect(codes()).toEqual(['c', 'd'])
  })

  it('says why it came to nothing', async () => {
    const { flow, onEnd, authorization } = flowOf()
    authorization.grant = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    const failure = await flow.finishAuthorization(CALLBACK).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'AuthorizationFailedError' })
    expect(onEnd.mock.calls).toEqual([[failure]])
  })

  it('says that it got no URL, without its text', async () => {
    const { flow } = flowOf()
    await expect(flow.finishAuthorization('https://:secret')).rejects.toThrow('finishAuthorization() got no URL.')
  })

  it('finishes the sign-in that has begun in this tab', async () => {
    const { flow, ours, codes } = browserFlow()
    expect(await flow.finishAuthorization(CALLBACK)).toBe('authorized')
    expect(codes()).toEqual(['c'])
    expect(ours.handOver).not.toHaveBeenCalled()
  })

  it('hands over the sign-in that has begun in another tab', async () => {
    const { flow, ours, onEnd, codes } = browserFlow()
    expect(await flow.finishAuthorization('/callback?state=other')).toBe('handed-over')
    expect(ours.handOver.mock.calls).toEqual([[new URLSearchParams('state=other')]])
    expect(codes()).toEqual([])
    expect(onEnd).not.toHaveBeenCalled()
  })
})

describe('receive', () => {
  it('finishes the sign-in with this state', async () => {
    const { flow, onEnd, codes } = browserFlow()
    await flow.receive(new URLSearchParams({ state: 's', code: 'c' }))
    expect(codes()).toEqual(['c'])
    expect(onEnd).toHaveBeenCalledTimes(1)
  })

  it('refuses a callback whose sign-in does not wait here', async () => {
    const { flow, onEnd, codes } = browserFlow()
    const received = flow.receive(new URLSearchParams({ state: 'other', code: 'c' }))
    await expect(received).rejects.toMatchObject({ reason: 'foreign-state' })
    expect([codes(), onEnd.mock.calls]).toEqual([[], []])
  })

  it('refuses one for a provider of the SDK', async () => {
    const { flow, codes } = flowOf()
    const received = flow.receive(new URLSearchParams({ state: 's', code: 'c' }))
    await expect(received).rejects.toMatchObject({ reason: 'foreign-state' })
    expect(codes()).toEqual([])
  })
})
