import { AuthorizationFailedError } from '../../core/protocol/errors.js'

/** What an error says if the user has signed out before a sign-in ended. */
export const SIGNED_OUT =
  'the user signed out in the meantime, so its tokens were dropped. Call authorize() again when the user asks for it.'

/** The user has signed out while the authorization server answered. The words for other reasons are loaded with a sign-in. */
export function signedOutError(): AuthorizationFailedError {
  return new AuthorizationFailedError(`Failed to sign in: ${SIGNED_OUT}`, { reason: 'signed-out' })
}
