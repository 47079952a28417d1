import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import type { SigningIn } from '../../core/client/setUp.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { usesFirstLoad } from '../firstLoad.js'
import { type AuthorizationContext, authorize, finishAuthorization } from './authorization.js'
import { authorizationFailed } from './authorizationFailed.js'
import { type BegunSignIn, isBrowserAuthProvider, isOAuthClientProvider } from './authProvider.js'
import type { ServerSignIn } from './signingIn.js'

usesFirstLoad()

/** What is done to sign in: loaded when somebody does. */
export interface SignInFlow extends Pick<SigningIn, 'finishAuthorization'> {
  authorize(begun: BegunSignIn | undefined): ReturnType<SigningIn['authorize']>
  /**
   * Ends a sign-in with the callback that another window has brought.
   *
   * @throws {AuthorizationFailedError} if it does not wait in this tab any longer.
   */
  receive(callback: URLSearchParams): Promise<void>
}

/** @throws {TaskConfigurationError} if there is no provider to sign in with. */
export function createSignInFlow(signIn: ServerSignIn | undefined, onEnd: (error?: Error) => void): SignInFlow {
  const { provider, inBrowser, environment, ...server } = checkSignIn(signIn)
  /** One callback is one sign-in, however often a framework mounts the page that it leads to. */
  let finishing: { readonly href: string; readonly outcome: Promise<'authorized' | 'handed-over'> } | undefined

  function context(): AuthorizationContext {
    const { url, fetch, gate, skipIssuerMetadataValidation } = server
    return { serverUrl: url(), fetch, challenge: gate?.challenge, skipIssuerMetadataValidation }
  }

  async function finish(taken: OAuthClientProvider, callback: URLSearchParams): Promise<void> {
    try {
      await finishAuthorization(taken, callback, context())
    } catch (error) {
      onEnd(asError(error))
      throw error
    }
    onEnd()
  }

  async function finishHere({ searchParams }: URL): Promise<'authorized' | 'handed-over'> {
    const ours = inBrowser()
    const taken = ours ? ours.take(searchParams.get('state')) : (provider as OAuthClientProvider)
    if (taken !== undefined) await finish(taken, searchParams)
    else await ours?.handOver(searchParams)
    return taken === undefined ? 'handed-over' : 'authorized'
  }

  return {
    authorize: async (begun) => {
      try {
        const outcome = await authorize(begun?.provider ?? (provider as OAuthClientProvider), context())
        if (outcome === 'authorized') {
          begun?.abandon()
          onEnd()
        }
        return outcome
      } catch (error) {
        begun?.abandon()
        throw error
      }
    },
    receive: async (callback) => {
      const taken = inBrowser()?.take(callback.get('state'))
      // Another client of this tab has begun a sign-in since. The window must not say that this one has ended.
      if (taken === undefined) throw authorizationFailed('foreign-state')
      await finish(taken, callback)
    },
    finishAuthorization: async (url) => {
      const callback = parseCallback(url, environment.baseUrl())
      if (finishing?.href !== callback.href) finishing = { href: callback.href, outcome: finishHere(callback) }
      return finishing.outcome
    },
  }
}

function checkSignIn(signIn: ServerSignIn | undefined): ServerSignIn {
  const { provider } = signIn ?? {}
  if (signIn !== undefined && (isBrowserAuthProvider(provider) || isOAuthClientProvider(provider))) return signIn
  throw new TaskConfigurationError(
    signIn === undefined
      ? 'The SDK client of the app signs in by its own transport. Pass { url, authProvider } instead of the client.'
      : 'The client cannot sign in. Pass an authProvider to createTaskClient: browserAuthProvider() of taskwire/auth, or an OAuthClientProvider of the SDK.',
  )
}

function parseCallback(url: string | URL, base: string | undefined): URL {
  try {
    return new URL(url, base)
  } catch {
    // Its text may hold a code.
    throw new TaskConfigurationError('finishAuthorization() got no URL. Pass location.href of the callback page.')
  }
}
