import {
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokenVerifier,
  oauthMetadataResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server'
import { createTaskServer } from 'taskwire/server'

/** Your sign-in service, and the name of this server in its tokens. */
const issuer = 'https://auth.example'
const resourceServerUrl = new URL('https://api.example/mcp')

/** Asks the sign-in service about each token (RFC 7662). */
const verifier: OAuthTokenVerifier = {
  async verifyAccessToken(token) {
    const response = await fetch(`${issuer}/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    })
    const { active, client_id, scope, sub, aud, exp } = await response.json()
    if (!active)
      throw new OAuthError(
        OAuthErrorCode.InvalidToken,
        'The token is not valid.',
      )
    const scopes = String(scope).split(' ')
    return {
      token,
      clientId: client_id,
      scopes,
      expiresAt: exp,
      resource: new URL(aud),
      extra: { userId: sub },
    }
  },
}

const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
  cors: { origin: ['https://app.example'] },
  authenticate: requireBearerAuth({
    verifier,
    expectedResource: resourceServerUrl,
    resourceMetadataUrl:
      getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
  }),
  owner(_request, authInfo) {
    const userId = authInfo?.extra?.['userId']
    return typeof userId === 'string' ? userId : undefined
  },
})

/** The metadata of the sign-in service. */
const oauthMetadata = await fetch(
  `${issuer}/.well-known/oauth-authorization-server`,
).then((found) => found.json())

/** The server, and the document that its 401 points to. */
export const mcp: typeof server = {
  ...server,
  fetch: async (request, options) =>
    oauthMetadataResponse(request, { oauthMetadata, resourceServerUrl }) ??
    server.fetch(request, options),
}
