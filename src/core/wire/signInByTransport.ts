import { credentialsError, isSignInFailure } from './signInErrors.js'

/**
 * Keeps one sign-in that came to nothing from being followed by others. The SDK starts one for every request that
 * the server refuses with 401, and a task is polled on: the page would navigate away again and again.
 */
export interface SignIn {
  /** Whether a sign-in has failed, so that only requests of the app are sent. */
  isHeld(): boolean
  /** Sends a request that the app has not asked for, unless that is so: it rejects with a `TaskRequestError` of kind `auth` then. */
  send<T>(request: () => Promise<T>): Promise<T>
  /** Sends a request of the app. Where it passes, there are credentials. */
  sendForApp<T>(request: () => Promise<T>): Promise<T>
  /** The app wants a sign-in that failed to be tried again. */
  allow(): void
  /** A sign-in has failed in another tab. */
  hold(): void
}

const pass = <T>(request: () => Promise<T>): Promise<T> => request()

/** Where nothing signs in. */
export const NO_SIGN_IN: SignIn = {
  isHeld: () => false,
  send: pass,
  sendForApp: pass,
  allow: () => {},
  hold: () => {},
}

/**
 * For a transport of the app, which does not say whether it has a new token: nothing is sent until a request
 * of the app passes, or the app says so.
 *
 * ```text
 * poll ── 401 ── sign-in, fails ── polls wait ········ allow() ── poll
 * call of the app ······························ 200 ── poll
 * ```
 */
export function signInByTransport(): SignIn {
  let failure: unknown

  async function send<T>(request: () => Promise<T>): Promise<T> {
    const before = failure
    try {
      const result = await request()
      // Not what was sent before it failed.
      if (failure === before) failure = undefined
      return result
    } catch (error) {
      if (isSignInFailure(error)) failure = error
      throw error
    }
  }

  return {
    isHeld: () => failure !== undefined,
    send: (request) => (failure === undefined ? send(request) : Promise.reject(credentialsError(failure))),
    sendForApp: send,
    allow: () => {
      failure = undefined
    },
    hold: () => {},
  }
}
