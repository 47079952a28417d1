import { isTaskError } from '../../core/protocol/errors.js'
import { isHttpError, isScopeError, isUnauthorizedError } from '../../core/wire/wireErrors.js'
import { UnauthorizedError } from '../sdk.js'

/** With this the SDK marks what a provider, or the authorization server, has failed a request with. */
const OF_SIGN_IN = Symbol.for('mcp.authSeamEscape')

/**
 * What a request fails with for which the SDK could not sign in: the server has refused it, so it has not run. Of the error
 * only the class is kept: its message repeats what an authorization server has said, which may be a token. Another error is
 * returned as it is.
 */
export function withoutWords(error: unknown): unknown {
  const { name, [OF_SIGN_IN]: isOfSignIn } = Object(error) as { name?: unknown; [OF_SIGN_IN]?: unknown }
  if (isOfSignIn !== true && name !== 'OAuthError') return error
  if (isTaskError(error) || isUnauthorizedError(error) || isScopeError(error) || isHttpError(error)) return error
  // Whether it may pass is read from what `fetch` has thrown, whose words are those of the browser.
  const cause = error instanceof TypeError ? error : Object.assign(new Error(String(name)), { name })
  return Object.assign(new UnauthorizedError(), { cause })
}
