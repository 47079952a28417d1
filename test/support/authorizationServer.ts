import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, { type AccessToken } from 'oidc-provider'
import { listen } from './listen.js'

/** A real authorization server on this machine: metadata, dynamic registration, PKCE, resource indicators. */
export interface AuthorizationServer {
  readonly url: string
  /** How long an access token is good, in seconds. */
  tokenTtlS: number
  /** Whether it gives out refresh tokens. */
  givesRefreshTokens: boolean
  /** Every request, as method and path. */
  readonly requests: readonly string[]
  isValid(token: string): Promise<boolean>
  /** Lets every access token that it has given out run out. */
  expireTokens(): Promise<void>
  close(): Promise<void>
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const requests: string[] = []
  const given: AccessToken[] = []
  const { origin: url, close } = await listen((request, response) => void handle(request, response))

  const provider = new Provider(url, {
    claims: { openid: ['sub'] },
    scopes: ['openid', 'offline_access', 'tasks'],
    clientBasedCORS: () => true,
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => server.givesRefreshTokens,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'tasks',
          accessTokenFormat: 'opaque',
          accessTokenTTL: server.tokenTtlS,
        }),
        useGrantedResource: () => true,
      },
    },
  })
  provider.on('access_token.saved', (token) => given.push(token))
  const callback = provider.callback()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(String(request.url), url)
    requests.push(`${request.method} ${pathname}`)
    // A page registers itself, which this server allows to pages of its own origin alone.
    if (pathname === '/reg') {
      response.setHeader('Access-Control-Allow-Origin', '*')
      response.setHeader('Access-Control-Allow-Headers', 'content-type')
      if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    }
    if (!pathname.startsWith('/interaction/')) return callback(request, response)
    const answer = searchParams.get('answer')
    if (answer !== null) return finish(request, response, answer === 'allow')
    response.setHeader('Content-Type', 'text/html')
    response.end(
      '<!doctype html><title>Sign in</title><a href="?answer=allow">Allow</a> <a href="?answer=deny">Deny</a>',
    )
  }

  async function finish(request: IncomingMessage, response: ServerResponse, isAllowed: boolean): Promise<void> {
    if (!isAllowed) return provider.interactionFinished(request, response, { error: 'access_denied' })
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'ann' } })
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id })
    grant.addOIDCScope('openid offline_access tasks')
    if (params.resource) grant.addResourceScope(params.resource, 'tasks')
    const consent = { grantId: await grant.save() }
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
  }

  const server: AuthorizationServer = {
    url,
    tokenTtlS: 600,
    givesRefreshTokens: false,
    requests,
    isValid: async (token) => (await provider.AccessToken.find(token))?.isValid === true,
    expireTokens: async () => {
      for (const token of given.splice(0)) await token.destroy()
    },
    close,
  }
  return server
}
