import type { AuthProvider, OAuthClientMetadata, OAuthClientProvider } from '@modelcontextprotocol/client'
import * as sdk from '@modelcontextprotocol/client'
import { goTo } from '../../core/environment/goTo.js'
import { AuthorizationFailedError, TaskConfigurationError } from '../../core/protocol/errors.js'
import { hash } from '../../core/record/hash.js'
import { extractWWWAuthenticateParams, UnauthorizedError } from '../../sdk/sdk.js'
import { authorizationFailed } from '../../sdk/signIn/authorizationFailed.js'
import type { AuthServer, BrowserAuthProvider, BrowserSignIn } from '../../sdk/signIn/authProvider.js'
import { refusedWith } from '../../sdk/signIn/refusedWith.js'
import { awaitCallback, handOver } from './popup.js'
import { createProviders, type Flow } from './providers.js'
import { createEpochTokens } from './signInEpoch.js'
import { createSignInStore } from './signInStore.js'

/** The part of a `Window` that a sign-in needs. */
export interface SignInWindow {
  location: { href: string }
  opener: unknown
  close(): void
}

/** Options of {@link browserAuthProvider}. */
export interface BrowserAuthProviderOptions {
  /** The callback page of the app, which calls `client.finishAuthorization(location.href)`. A relative URL is resolved against the page. */
  redirectUrl: string | URL
  /**
   * The name, logo and contacts that the authorization server shows and registers. Taskwire adds the members that OAuth
   * needs.
   */
  clientMetadata?: Partial<OAuthClientMetadata>
  /**
   * The client id of the app, if the app is registered with the authorization server. A client secret is not possible,
   * because a page cannot keep a secret. @default the app registers itself
   */
  clientId?: string
  /** The https URL of the app's client metadata document, for authorization servers that accept such a URL as the client id. */
  clientMetadataUrl?: string
  /** The scopes to request, separated by spaces. @default the scopes that the server requires */
  scope?: string
  /**
   * The storage for tokens: `'session'` for this tab only, until it is closed, or `'local'` for all tabs and visits. Any
   * script of the origin can read both.
   * @default 'session'
   */
  storage?: 'session' | 'local'
  /**
   * Opens a window for the sign-in, so that the page stays open. It is called in the same turn as the click. Without this
   * option, the page itself goes to the authorization server and comes back.
   *
   * @example
   * ```ts
   * openPopup: () => window.open('', 'sign-in', 'popup,width=480,height=640')
   * ```
   */
  openPopup?: () => SignInWindow | null
}

/**
 * Creates an `authProvider` for `createTaskClient` in a browser. The SDK performs OAuth with PKCE, and only
 * `client.authorize()` starts a sign-in. When a token expires, the client refreshes it if the authorization server has
 * issued a refresh token; else `connection.status` becomes `unauthorized`. Tokens are kept for one MCP server. An
 * unfinished sign-in keeps its state in `sessionStorage`.
 *
 * @example
 * ```ts
 * const client = createTaskClient({
 *   url: 'https://example.com/mcp',
 *   authProvider: browserAuthProvider({ redirectUrl: '/callback', clientMetadata: { client_name: 'Reports' } }),
 * })
 * ```
 */
export function browserAuthProvider(options: BrowserAuthProviderOptions): BrowserAuthProvider {
  const { storage = 'session' } = options
  if (storage !== 'session' && storage !== 'local')
    throw new TaskConfigurationError("storage of browserAuthProvider() must be 'session' or 'local'.")
  return { forServer: (server) => createSignIn({ ...options, storage }, server) }
}

/** A request that is refused after a sign-out is refused as any other without a token. */
function unlessSignedOut(error: unknown): undefined {
  if (!(error instanceof AuthorizationFailedError)) throw error
}

function createSignIn(
  options: BrowserAuthProviderOptions & { storage: 'session' | 'local' },
  { url, environment, skipIssuerMetadataValidation }: AuthServer,
): BrowserSignIn {
  const { clientId, openPopup } = options
  const redirectUrl = new URL(options.redirectUrl, environment.baseUrl()).href
  // The query may hold a secret.
  const name = `taskwire-auth:${hash(JSON.stringify([url.href, redirectUrl, clientId]))}`
  const kept = createSignInStore(environment, options.storage, `${name}:`)
  const session = createSignInStore(environment, 'session', `${name}:`)
  const tokens = createEpochTokens(kept, environment.randomId)
  const { providerOf, forgetDiscovery } = createProviders({ ...options, redirectUrl, kept, tokens, environment })
  let stopWaiting = () => {}

  /** Tabs with the same tokens refresh them one after the other: a refresh token counts once. */
  async function alone(work: () => Promise<void>): Promise<void> {
    const { locks } = environment
    return locks === undefined ? work() : locks.request(name, {}, work)
  }

  async function refresh(refused: string | null | undefined, ask: (provider: OAuthClientProvider) => Promise<unknown>) {
    const { access_token: current, refresh_token: refreshToken } = tokens.read() ?? {}
    if (current && refused !== `Bearer ${current}`) return
    const outcome = refreshToken === undefined ? 'REDIRECT' : await ask(providerOf({}, () => {})).catch(unlessSignedOut)
    if (outcome !== 'AUTHORIZED') throw new UnauthorizedError()
  }

  const transport: AuthProvider = {
    token: async () => tokens.read()?.access_token,
    onUnauthorized: async ({ response, serverUrl, fetchFn }) => {
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(response)
      await alone(() =>
        refresh(refusedWith.get(response), (provider) =>
          sdk.auth(provider, {
            serverUrl,
            fetchFn,
            ...(resourceMetadataUrl && { resourceMetadataUrl }),
            ...(skipIssuerMetadataValidation !== undefined && { skipIssuerMetadataValidation }),
          }),
        ),
      )
    },
  }

  function openChannel() {
    const { channel } = environment
    if (channel !== undefined) return channel(name)
    throw new TaskConfigurationError('openPopup needs BroadcastChannel, which this browser does not have.')
  }

  return {
    transport,

    begin: (onCallback) => {
      stopWaiting()
      session.remove('flow')
      forgetDiscovery()
      const popup = openPopup?.()
      if (popup === null) throw authorizationFailed('popup-blocked')
      if (popup) popup.opener = null
      const send = (to: URL, flow: Flow) => {
        session.write('flow', flow)
        if (popup === undefined) return goTo(to)
        stopWaiting = awaitCallback(openChannel(), flow.state, async (callback) => {
          await onCallback(callback)
          popup.close()
        })
        popup.location.href = to.href
      }
      const provider = providerOf({}, send)
      return { provider, abandon: () => popup?.close() }
    },

    take: (state) => {
      const flow = session.read<Flow>('flow')
      if (flow === undefined || flow.state !== state) return undefined
      session.remove('flow')
      tokens.check(flow.epoch)
      return providerOf(flow, () => {})
    },

    handOver: async (callback) => {
      if (environment.channel === undefined || !callback.has('state')) throw authorizationFailed('foreign-state')
      await handOver(openChannel(), environment, callback)
    },

    onNewTokens: (listener) => {
      // Refreshed tokens do not count as new: two tabs whose tokens are refused would refresh them in turns, for ever.
      const read = () => tokens.read()?.signIn
      let known = read()
      const look = () => {
        const signIn = read()
        if (signIn !== undefined && signIn !== known) listener()
        known = signIn
      }
      // A page in the back-forward cache gets no events.
      const stops = [environment.onStorageChange?.(look), environment.onPageShow(look)]
      return () => {
        for (const stop of stops) stop?.()
      }
    },

    signOut: () => {
      stopWaiting()
      session.remove('flow')
      tokens.signOut()
    },
  }
}
