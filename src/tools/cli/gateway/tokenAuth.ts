import { createHash, timingSafeEqual } from 'node:crypto'
import type { AuthInfo } from '@modelcontextprotocol/server'
import type { GatewayModules } from './loadGateway.js'

/** An `authenticate` that lets those in who send this bearer token. */
export function tokenAuth(
  token: string,
  { requireBearerAuth, OAuthError, OAuthErrorCode }: GatewayModules['server'],
): (request: Request) => Promise<AuthInfo | Response> {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(token)
  return requireBearerAuth({
    verifier: {
      async verifyAccessToken(given) {
        // Of equal length, so that how long it takes says nothing.
        if (!timingSafeEqual(digest(given), expected)) {
          throw new OAuthError(OAuthErrorCode.InvalidToken, 'This is not the token of the gateway.')
        }
        return { token: given, clientId: 'gateway', scopes: [], expiresAt: Number.MAX_SAFE_INTEGER }
      },
    },
  })
}
