import { type FetchLike, isDpopNonceChallenge, UnauthorizedError } from '@modelcontextprotocol/client'
import type { SignIn } from './signInByTransport.js'

/** A {@link SignIn} that sees every response of the server. */
export interface SignInByToken extends SignIn {
  wrap(fetch: FetchLike): FetchLike
}

/**
 * For a transport of ours: the SDK signs in once for each token that the server refuses. Polls go on with the token
 * that there is, so that a new one is noticed by itself.
 *
 * ```text
 * poll, token 1 ── 401 ── sign-in, fails ── poll, token 1 ── 401, kept from the SDK ── poll, token 2 ── 200
 * ```
 */
export function signInByToken(): SignInByToken {
  /** What was refused: an `Authorization` header, or null for none. */
  let refused: string | null | undefined
  let isHeld = false
  const pass = <T>(request: () => Promise<T>) => request()

  return {
    send: pass,
    sendForApp: pass,
    allow: () => {
      refused = undefined
      isHeld = false
    },
    hold: () => {
      isHeld = refused === undefined
    },
    wrap: (fetch) => async (url, init) => {
      const response = await fetch(url, init)
      const headers = new Headers(init?.headers)
      // The SDK talks to the authorization server by the same function.
      if (!headers.get('accept')?.includes('text/event-stream')) return response
      if (!startsSignIn(response)) {
        isHeld &&= !response.ok
        return response
      }
      const credentials = headers.get('authorization')
      const isKnown = isHeld || credentials === refused
      refused = credentials
      isHeld = false
      if (!isKnown) return response
      await response.body?.cancel()
      throw new UnauthorizedError()
    },
  }
}

/** Whether the SDK signs in because of it. A DPoP nonce is no matter of the user's. */
function startsSignIn(response: Response): boolean {
  if (response.status === 401) return !isDpopNonceChallenge(response)
  return response.status === 403 && /insufficient_scope/.test(response.headers.get('www-authenticate') ?? '')
}
