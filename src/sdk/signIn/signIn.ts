import type { FetchLike } from '@modelcontextprotocol/client'
import { headersIn } from '../../core/wire/httpMessage.js'
import { NO_SIGN_IN, type SignIn } from '../../core/wire/signInByTransport.js'
import { extractWWWAuthenticateParams, isDpopNonceChallenge, UnauthorizedError } from '../sdk.js'
import { type AskingEnvironment, askAuthorizationServer } from './askAuthorizationServer.js'
import { refusedWith } from './refusedWith.js'
import { signedOutError } from './signedOut.js'
import { withoutWords } from './withoutWords.js'

/** What a server says about signing in when it refuses a request (RFC 6750, RFC 9728). */
export type Challenge = Pick<ReturnType<typeof extractWWWAuthenticateParams>, 'resourceMetadataUrl' | 'scope'>

/** A {@link SignIn} that sees every response of the server. */
export interface SignInByToken extends SignIn {
  wrap(fetch: FetchLike): FetchLike
  /** That of the last request that was refused. */
  readonly challenge: Challenge | undefined
  /** What the authorization server is still to answer is dropped. */
  signOut(): void
}

/**
 * For a transport of ours: the SDK signs in once for each token that the server refuses. Polls go on with the token
 * that there is, so that a new one is noticed automatically. What is refused while the SDK signs in waits for that.
 *
 * ```text
 * poll, token 1 ── 401 ── sign-in, fails ── poll, token 1 ── 401, kept from the SDK ── poll, token 2 ── 200
 * call, token 1 ── 401 ── refresh ─────────────── call, token 2 ── 200
 * call, token 1 ──── 401, kept from the SDK ····· call, token 2 ── 200
 * ```
 *
 * `isByUser`: the provider signs in when the user asks for it, and there is nothing to keep from the SDK.
 */
export function signInByToken(isByUser: boolean, environment: AskingEnvironment): SignInByToken {
  /** What was refused: an `Authorization` header, or null for none. */
  let refused: string | null | undefined
  let isHeld = false
  let challenge: Challenge | undefined
  let signOuts = 0
  /** Whether the sign-in that the SDK has begun because of `refused` brings other credentials. */
  let renewal: Promise<boolean> = NO_RENEWAL
  let endRenewal: (isRenewed: boolean) => void = () => {}
  /** The body of the request that the SDK signs in for, and then sends again. */
  let renewedFor: RequestInit['body']
  /** What requests to the authorization server have failed with. */
  const unanswered = new WeakSet<object>()
  /** What was kept from the SDK, with what it waits for. */
  const kept = new WeakMap<object, typeof renewal>()

  async function send<T>(request: () => Promise<T>, isRepeated = false): Promise<T> {
    try {
      return await request()
    } catch (error) {
      const waitsFor = kept.get(Object(error))
      kept.delete(Object(error))
      // The SDK does not say which request it signs in for: one that fails otherwise may be that.
      if (waitsFor === undefined) endRenewal(false)
      else if (!isRepeated && (await waitsFor)) return send(request, true)
      throw withoutWords(error, unanswered)
    }
  }

  return {
    get challenge() {
      return challenge
    },
    ...NO_SIGN_IN,
    send: (request) => send(request),
    sendForApp: (request) => send(request),
    allow: () => {
      refused = undefined
      isHeld = false
    },
    hold: () => {
      isHeld = refused === undefined
    },
    signOut: () => {
      signOuts += 1
    },
    wrap: (fetch) => async (url, init) => {
      const headers = headersIn(init)
      const credentials = headers.get('authorization')
      const isNew = credentials !== refused
      if (isForMcp(headers) && (isNew || init?.body === renewedFor)) endRenewal(isNew)
      if (!isForMcp(headers)) {
        const before = signOuts
        const response = await askAuthorizationServer(fetch, url, init, environment).catch((error: unknown) => {
          unanswered.add(Object(error))
          throw error
        })
        if (before !== signOuts) throw signedOutError()
        return response
      }
      const response = await fetch(url, init)
      if (!startsSignIn(response)) {
        isHeld &&= !response.ok
        return response
      }
      challenge = extractWWWAuthenticateParams(response)
      refusedWith.set(response, credentials)
      if (isByUser) return response
      const isKnown = isHeld || credentials === refused
      if (credentials !== refused) renewal = NO_RENEWAL
      refused = credentials
      isHeld = false
      if (isKnown) {
        await response.body?.cancel()
        const error = new UnauthorizedError()
        kept.set(error, renewal)
        throw error
      }
      endRenewal(false)
      // A request that opens a stream does not go through `send`, which would end the wait where it fails.
      if (init?.method === 'POST') {
        renewedFor = init.body
        renewal = new Promise((resolve) => {
          endRenewal = resolve
        })
      }
      return response
    },
  }
}

/** No sign-in is under way. */
const NO_RENEWAL = Promise.resolve(false)

/** The SDK talks to the authorization server by the same function. */
export function isForMcp(headers: Headers): boolean {
  return headers.get('accept')?.includes('text/event-stream') === true || headers.has('mcp-session-id')
}

/** Whether the SDK signs in because of it. A DPoP nonce is no matter of the user's. */
function startsSignIn(response: Response): boolean {
  if (response.status === 401) return !isDpopNonceChallenge(response)
  return response.status === 403 && /insufficient_scope/.test(response.headers.get('www-authenticate') ?? '')
}
