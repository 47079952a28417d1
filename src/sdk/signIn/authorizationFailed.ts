import {
  AuthorizationFailedError,
  type AuthorizationFailure,
  type TaskErrorOptions,
} from '../../core/protocol/errors.js'
import { SIGNED_OUT } from './signedOut.js'

/** What happened, and what to do about it. */
const messageOf = (reason: AuthorizationFailure): string =>
  ({
    denied: 'access was not granted. Call authorize() again when the user asks for it.',
    refused: 'the authorization server answered an error. Call authorize() again; its log says more.',
    unreachable:
      'the authorization server could not be reached. Check that it runs, and that it allows the origin of this page.',
    'no-code':
      'the callback URL has neither a code nor an error. Pass the whole URL, as in finishAuthorization(location.href).',
    'foreign-state':
      'this callback belongs to no sign-in that waits in this browser: it was finished already, or its tab is gone. Call authorize() again.',
    'signed-out': SIGNED_OUT,
    insecure:
      'the authorization server named a page to sign in on that is neither https nor on this computer, so the user was not sent there. Fix authorization_endpoint in its metadata.',
    'popup-blocked':
      'the browser blocked the window. Call authorize() in the handler of a click, with nothing awaited before it.',
  })[reason]

/** A sign-in that came to nothing, with what to do about it. */
export function authorizationFailed(
  reason: AuthorizationFailure,
  options: TaskErrorOptions & { code?: string | undefined } = {},
): AuthorizationFailedError {
  const code = options.code === undefined ? '' : ` (${options.code})`
  return new AuthorizationFailedError(`Failed to sign in${code}: ${messageOf(reason)}`, { ...options, reason })
}
