import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthorizationFailedError, TaskConfigurationError } from '../../core/protocol/errors.js'
import { type AuthorizationContext, authorize, finishAuthorization } from './authorization.js'

const SERVER = 'https://tasks.example/mcp'
const AUTH = 'https://auth.example'
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** An authorization server in memory, and an app that remembers. `token` answers the token endpoint. */
function setUp({
  tokens,
  token = () => json({ access_token: 'new', token_type: 'Bearer' }),
  fail,
  issuer = AUTH,
  namesIssuer = true,
}: Options = {}) {
  const asked: URL[] = []
  const forms: Record<string, string>[] = []
  const redirects: URL[] = []
  const saved: OAuthTokens[] = []
  const fetch: AuthorizationContext['fetch'] = async (input, init) => {
    const url = new URL(String(input))
    asked.push(url)
    if (fail !== undefined) throw fail
    if (url.pathname.includes('oauth-protected-resource')) {
      return json({ resource: SERVER, authorization_servers: [AUTH] })
    }
    if (url.pathname.includes('.well-known')) {
      return json({
        issuer,
        authorization_endpoint: `${AUTH}/authorize`,
        token_endpoint: `${AUTH}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: namesIssuer,
      })
    }
    forms.push(Object.fromEntries(new URLSearchParams(String(init?.body))))
    return token()
  }
  const provider: OAuthClientProvider = {
    redirectUrl: 'https://app.example/callback',
    clientMetadata: { redirect_uris: ['https://app.example/callback'] },
    clientInformation: () => ({ client_id: 'app' }),
    tokens: () => tokens,
    saveTokens: (given) => void saved.push(given),
    redirectToAuthorization: (url) => void redirects.push(url),
    saveCodeVerifier: () => {},
    codeVerifier: () => 'verifier',
  }
  const context: AuthorizationContext = {
    serverUrl: new URL(SERVER),
    fetch,
    challenge: undefined,
    skipIssuerMetadataValidation: undefined,
  }
  return { asked, forms, redirects, saved, provider, context }
}

interface Options {
  tokens?: OAuthTokens
  token?: () => Response
  fail?: unknown
  issuer?: string
  /** Whether its callbacks name it. */
  namesIssuer?: boolean
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

const REFRESHABLE: OAuthTokens = { access_token: 'old', refresh_token: 'again', token_type: 'Bearer', scope: 'read' }

// The SDK misses what a provider may leave out.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))

describe('authorize()', () => {
  it('sends the user to the authorization server, with the scope that the server wants', async () => {
    const { provider, context, redirects } = setUp()
    expect(await authorize(provider, { ...context, challenge: { scope: 'write' } })).toBe('started')
    expect(redirects.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['write'])
  })

  it('looks where the server says that its metadata is', async () => {
    const { provider, context, asked } = setUp()
    const resourceMetadataUrl = new URL('https://tasks.example/elsewhere/oauth-protected-resource')
    await authorize(provider, { ...context, challenge: { resourceMetadataUrl } })
    expect(asked[0]?.href).toBe(resourceMetadataUrl.href)
  })

  it.each([
    ['nothing', undefined, 'authorized'],
    ['the scope that there is', 'read', 'authorized'],
    ['a wider scope', 'read write', 'started'],
  ])('makes use of a refresh token where the server wants %s', async (_, scope, expected) => {
    const { provider, context, saved } = setUp({ tokens: REFRESHABLE })
    expect(await authorize(provider, { ...context, challenge: scope === undefined ? {} : { scope } })).toBe(expected)
    expect(saved.some(({ access_token }) => access_token === 'new')).toBe(expected === 'authorized')
  })

  it('[EDGE-50] asks for a scope that is missing beside those that were granted, also where there is a refresh token', async () => {
    const { provider, context, redirects } = setUp({ tokens: REFRESHABLE })
    expect(await authorize(provider, { ...context, challenge: { scope: 'write' } })).toBe('started')
    expect(redirects.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['read write'])
  })

  it.each([
    [undefined, 'refused'],
    [true, undefined],
  ])('with skipIssuerMetadataValidation %s, where another issuer answers, fails with %s', async (skip, reason) => {
    const { provider, context } = setUp({ issuer: 'https://other.example' })
    const error = await failureOf(authorize(provider, { ...context, skipIssuerMetadataValidation: skip }))
    expect((error as { reason?: string } | undefined)?.reason).toBe(reason)
  })

  it('leaves an error of ours alone that the provider throws', async () => {
    const own = new TaskConfigurationError('No window.')
    const { provider, context } = setUp()
    const redirectToAuthorization = () => Promise.reject(own)
    expect(await failureOf(authorize({ ...provider, redirectToAuthorization }, context))).toBe(own)
  })

  it.each([
    ['the network breaks', new TypeError('fetch failed'), 'unreachable', 'TypeError'],
    ['something else is thrown', new RangeError('of secret'), 'refused', 'RangeError'],
    ['something is thrown that is no error', 'secret', 'refused', 'Error'],
  ])('says without the words that it failed where %s', async (_, fail, reason, name) => {
    const { provider, context } = setUp({ fail })
    const error = await failureOf(authorize(provider, context))
    expect(error).toBeInstanceOf(AuthorizationFailedError)
    expect(error).toMatchObject({ reason, cause: { name, message: name } })
    expect(JSON.stringify(error)).not.toContain('secret')
  })
})

describe('finishAuthorization()', () => {
  const finish = (query: string, options?: Options) => {
    const opened = setUp(options)
    const done = finishAuthorization(opened.provider, new URLSearchParams(query), opened.context)
    return done.then(
      () => opened,
      (error: unknown) => ({ ...opened, error }),
    )
  }

  it('exchanges the code for tokens', async () => {
    const { forms, saved } = await finish(`code=c&iss=${AUTH}`)
    expect(forms).toMatchObject([{ grant_type: 'authorization_code', code: 'c' }])
    expect(saved).toMatchObject([{ access_token: 'new' }])
  })

  it('takes a callback without an issuer from a server that names none', async () => {
    const { saved } = await finish('code=c', { namesIssuer: false })
    expect(saved).toMatchObject([{ access_token: 'new' }])
  })

  it.each([
    ['error=access_denied', 'denied', ' (access_denied)'],
    ['error=server_error&code=c', 'refused', ' (server_error)'],
    ['error=', 'refused', ''],
    ['error=See%20https://evil.example', 'refused', ''],
    ['error=server_error%20secret', 'refused', ''],
    [`error=${'a'.repeat(61)}`, 'refused', ''],
    ['state=s', 'no-code', ''],
    ['code=c&iss=https://other.example', 'refused', ''],
    ['code=c', 'refused', ''],
  ])('of %s fails', async (query, reason, code) => {
    const { error, saved } = (await finish(query)) as Awaited<ReturnType<typeof finish>> & { error: Error }
    expect(error).toBeInstanceOf(AuthorizationFailedError)
    expect(error).toMatchObject({ reason })
    expect(error.message.startsWith(`Failed to sign in${code}: `)).toBe(true)
    expect(saved).toEqual([])
  })

  it('keeps the code of an OAuth error, and none of its words', async () => {
    const token = () => json({ error: 'invalid_grant', error_description: 'secret' }, 400)
    const { error } = (await finish(`code=c&iss=${AUTH}`, { token })) as { error?: unknown }
    expect(error).toMatchObject({ reason: 'refused', cause: { message: 'invalid_grant' } })
    expect((error as Error).message).toContain(' (invalid_grant)')
    expect(JSON.stringify(error)).not.toContain('secret')
  })
})
