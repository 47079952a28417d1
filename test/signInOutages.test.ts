import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client'
import type { TaskClient } from 'taskwire'
import { beforeEach, describe, expect, it } from 'vitest'
import { createSignInWorld, type SignInWorld } from './support/signInPage.js'

const MINUTES = 60_000

let world: SignInWorld
let errors: unknown[]

beforeEach(() => {
  world = createSignInWorld()
  errors = []
})

/** A provider of the app that has a token, and another one for a refresh. */
function providerOfApp(): OAuthClientProvider & { saved: OAuthTokens | undefined } {
  return {
    saved: { access_token: 'old', token_type: 'Bearer', refresh_token: 'refresh-secret' },
    redirectUrl: 'https://app.example/callback',
    clientMetadata: { redirect_uris: ['https://app.example/callback'] },
    clientInformation: () => ({ client_id: 'app' }),
    tokens() {
      return this.saved
    },
    saveTokens(fresh) {
      this.saved = fresh
    },
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => 'verifier',
    invalidateCredentials() {
      this.saved = undefined
    },
  }
}

/** A client that is connected and has tokens. */
async function connected(kind: 'browserAuthProvider()' | 'an OAuthClientProvider'): Promise<TaskClient> {
  world.tokens.valid = new Set(['old'])
  const onError = (error: unknown) => errors.push(error)
  const isOurs = kind === 'browserAuthProvider()'
  const client = world.open(undefined, {}, { onError, ...(!isOurs && { authProvider: providerOfApp() }) })
  if (isOurs) await world.signIn(client)
  await world.within(client.connect())
  return client
}

/** Everything that the text of an error says, and what it was caused by. */
const textOf = (error: unknown): string =>
  error instanceof Error ? `${error} ${JSON.stringify(error)} ${textOf(error.cause)}` : String(error)

const never = () => new Promise<void>(() => {})

describe.each(['browserAuthProvider()', 'an OAuthClientProvider'] as const)('a refresh that fails, with %s', (kind) => {
  it('has refused the call, and shows nothing that the authorization server says', async () => {
    const client = await connected(kind)
    const running = client.startToolCall({ name: 'report' })
    await world.browser.advance(1500)
    world.tokens.valid = new Set()
    world.tokens.grant = (form) => {
      const error_description = `Not good: ${form.get('refresh_token')}`
      return Response.json({ error: 'invalid_request', error_description }, { status: 400 })
    }
    const call = client.startToolCall({ name: 'other' })
    call.result.catch(() => {})
    await world.browser.advance(MINUTES)
    expect(call.getState().error).toMatchObject({ name: 'ToolCallRejectedError', code: 401 })
    expect(running.getState()).toMatchObject({ phase: 'working', network: 'paused', lastError: { kind: 'auth' } })
    const { status, error } = client.store.getState().connection
    expect(status).toBe('unauthorized')
    const shown = [...errors, error, call.getState().error, running.getState().lastError]
    expect(shown.map(textOf).join()).not.toContain('secret')
  })

  it('has refused the call where the authorization server is down, too, and the task continues when it is back', async () => {
    const client = await connected(kind)
    const running = client.startToolCall({ name: 'report' })
    await world.browser.advance(1500)
    world.tokens.valid = new Set()
    world.tokens.isDown = true
    await expect(world.within(client.callToolRaw({ name: 'other' }))).rejects.toMatchObject({ code: 401 })
    await world.browser.advance(MINUTES)
    expect(running.getState()).toMatchObject({ network: 'paused', lastError: { kind: 'auth' } })
    world.tokens.isDown = false
    if (kind !== 'browserAuthProvider()') await world.within(client.connect())
    await world.browser.advance(MINUTES)
    expect(running.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  })
})

describe('an authorization server that does not answer', () => {
  it('is asked again for a task, and by other tabs that share its tokens', async () => {
    const [client, other] = [1, 2].map(() => world.open(undefined, { storage: 'local' }))
    if (!client || !other) throw new Error('no client')
    await world.signIn(client)
    await world.within(other.connect())
    const running = client.startToolCall({ name: 'report' })
    await world.browser.advance(1500)
    world.tokens.valid = new Set()
    world.hold = (path) => (path === '/token' ? never() : undefined)
    await world.browser.advance(2 * MINUTES)
    expect(running.getState().network).toBe('paused')
    world.hold = () => undefined
    expect(await world.outcomeAfter(MINUTES, other.listTools())).toBe('resolved')
    expect(running.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  })

  it.each([
    ['headers', '/token'],
    ['metadata', '/.well-known/oauth-authorization-server'],
    ['registration', '/register'],
  ])('fails authorize() or finishAuthorization() after a while (%s)', async (_, held) => {
    world.hold = (path) => (path === held ? never() : undefined)
    const client = world.open()
    const begun = await world.outcomeAfter(MINUTES, client.authorize())
    const ended =
      begun === 'resolved' ? await world.outcomeAfter(MINUTES, client.finishAuthorization(world.callback())) : begun
    expect(ended).toMatchObject({ error: { name: 'AuthorizationFailedError', reason: 'unreachable' } })
  })

  it('fails finishAuthorization() where the body of the response does not come', async () => {
    world.change = (path, response) => (path === '/token' ? new Response(new ReadableStream({})) : response)
    const client = world.open()
    await world.within(client.authorize())
    const ended = await world.outcomeAfter(MINUTES, client.finishAuthorization(world.callback()))
    expect(ended).toMatchObject({ error: { reason: 'unreachable' } })
  })
})

describe('signOut() with an OAuthClientProvider', () => {
  it('drops tokens whose response had begun before it', async () => {
    let finish = () => {}
    world.change = async (path, response) => {
      if (path !== '/token') return response
      const text = await response.text()
      const body = new ReadableStream({
        start: (controller) => {
          finish = () => {
            controller.enqueue(new TextEncoder().encode(text))
            controller.close()
          }
        },
      })
      return new Response(body, { headers: response.headers })
    }
    const authProvider = providerOfApp()
    const client = world.open(undefined, {}, { authProvider })
    const listing = client.listTools()
    listing.catch(() => {})
    await world.browser.settle()
    await client.signOut()
    finish()
    await expect(world.within(listing)).rejects.toBeInstanceOf(Error)
    expect([world.tokens.issued, authProvider.saved]).toEqual([1, undefined])
  })
})

describe('a callback with an error', () => {
  it.each([
    ['of another authorization server', 'https://other.example'],
    ['without the issuer that this one promises', undefined],
  ])('%s is not shown to the user', async (_, iss) => {
    world.change = async (path, response) =>
      path.startsWith('/.well-known/oauth-authorization-server')
        ? Response.json({ ...(await response.json()), authorization_response_iss_parameter_supported: true })
        : response
    const client = world.open()
    await world.within(client.authorize())
    const url = new URL(world.callback(undefined, 'error=access_denied'))
    url.searchParams.delete('iss')
    if (iss !== undefined) url.searchParams.set('iss', iss)
    const failed = world.within(client.finishAuthorization(url))
    await expect(failed).rejects.toMatchObject({ reason: 'refused' })
    expect(String(await failed.catch((error: unknown) => error))).not.toContain('access_denied')
  })
})

describe('skipIssuerMetadataValidation', () => {
  it('holds for a refresh, too, on a page that has not signed in itself', async () => {
    const issuer = 'https://other.example'
    world.change = async (path, response) =>
      path.startsWith('/.well-known/oauth-authorization-server')
        ? Response.json({ ...(await response.json()), issuer })
        : response
    const more = { transportOptions: { fetch: world.fetch, skipIssuerMetadataValidation: true } }
    const page = world.browser.openPage()
    const before = world.open(page, {}, more)
    await world.within(before.authorize())
    const url = new URL(world.callback())
    url.searchParams.set('iss', issuer)
    await world.within(before.finishAuthorization(url))
    world.tokens.valid = new Set()
    const client = world.open(await page.reload(), {}, more)
    await expect(world.within(client.listTools())).resolves.toBeDefined()
    expect([world.tokens.issued, world.visits().length]).toEqual([2, 1])
  })
})
