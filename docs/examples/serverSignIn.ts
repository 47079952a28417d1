import {
  getOAuthProtectedResourceMetadataUrl,
  type OAuthMetadata,
  type OAuthTokenVerifier,
  oauthMetadataResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server'
import { createTaskServer } from 'taskwire/server'

/** Of the sign-in service that gives out the tokens. */
declare const oauthMetadata: OAuthMetadata
declare const verifier: OAuthTokenVerifier

// #region server
const resourceServerUrl = new URL('https://api.example/mcp')

const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
  cors: { origin: ['https://app.example'] },
  authenticate: requireBearerAuth({
    verifier,
    expectedResource: resourceServerUrl,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
  }),
  owner(_request, authInfo) {
    const userId = authInfo?.extra?.['userId']
    return typeof userId === 'string' ? userId : undefined
  },
})

/** The server, and the document that its 401 points to. */
export const mcp: typeof server = {
  ...server,
  fetch: async (request, options) =>
    oauthMetadataResponse(request, { oauthMetadata, resourceServerUrl }) ?? server.fetch(request, options),
}
// #endregion server
