import type { FetchLike } from '@modelcontextprotocol/client'
import type { SigningIn } from '../../core/client/setUp.js'
import type { Environment } from '../../core/environment/environment.js'
import { type AnyAuthProvider, type BrowserSignIn, isOAuthClientProvider } from './authProvider.js'
import type { SignInByToken } from './signIn.js'
import type { SignInFlow } from './signInFlow.js'

/** How the user signs in to one server. */
export interface ServerSignIn {
  readonly provider: AnyAuthProvider | undefined
  /** Keeps the SDK from signing in on its own. */
  readonly gate: SignInByToken | undefined
  readonly url: () => URL
  readonly fetch: FetchLike
  readonly environment: Environment
  readonly skipIssuerMetadataValidation: boolean | undefined
  /** What a provider of ours is to this server; undefined for one of another kind. */
  readonly inBrowser: () => BrowserSignIn | undefined
}

/** `onEnd` is called when a sign-in has succeeded, or come to nothing. */
export function createSigningIn(signIn: ServerSignIn | undefined, onEnd: (error?: Error) => void): SigningIn {
  let flow: SignInFlow | undefined
  async function load(): Promise<SignInFlow> {
    const { createSignInFlow } = await import('./signInFlow.js')
    flow ??= createSignInFlow(signIn, onEnd)
    return flow
  }
  return {
    authorize: async () => {
      // In the turn of the click, or the browser blocks the window.
      const begun = signIn?.inBrowser()?.begin(async (callback) => (await load()).receive(callback))
      return (await load()).authorize(begun)
    },
    finishAuthorization: async (url) => (await load()).finishAuthorization(url),
    // Nothing to load, which might fail while the user stays signed in.
    signOut: async () => {
      const { provider, gate, inBrowser } = signIn ?? {}
      // A callback that counted before the sign-out counts no more.
      flow = undefined
      gate?.signOut()
      inBrowser?.()?.signOut()
      if (isOAuthClientProvider(provider)) await provider.invalidateCredentials?.('tokens')
    },
  }
}
