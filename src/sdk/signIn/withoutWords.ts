import { isTaskError } from '../../core/protocol/errors.js'
import { isHttpError, isScopeError, isUnauthorizedError } from '../../core/wire/wireErrors.js'
import { UnauthorizedError } from '../sdk.js'

/**
 * What a request fails with for which the SDK could not sign in: the server has refused it, so it has not run. Of the error
 * only the class is kept: its message repeats what an authorization server has said, which may be a token. Another error is
 * returned as it is. `unanswered`: what requests to the authorization server have failed with.
 */
export function withoutWords(error: unknown, unanswered: WeakSet<object>): unknown {
  const { name } = Object(error) as { name?: unknown }
  if (name !== 'OAuthError' && !unanswered.has(Object(error))) return error
  if (isTaskError(error) || isUnauthorizedError(error) || isScopeError(error) || isHttpError(error)) return error
  // Whether it may pass is read from what `fetch` has thrown, whose words are those of the browser.
  const cause = error instanceof TypeError ? error : Object.assign(new Error(String(name)), { name })
  return Object.assign(new UnauthorizedError(), { cause })
}
