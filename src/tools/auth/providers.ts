import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { Environment } from '../../core/environment/environment.js'
import { authorizationFailed } from '../../sdk/signIn/authorizationFailed.js'
import type { Epoch, EpochTokens, SignInTokens } from './signInEpoch.js'
import type { SignInStore } from './signInStore.js'

/** A sign-in that has not finished. */
export interface Flow {
  readonly state: string
  readonly verifier: string
  readonly discovery?: OAuthDiscoveryState | undefined
  /** What the user was asked to allow. */
  readonly scope?: string | undefined
  /** The registration that the code is for: another tab may have made another one since. */
  readonly client?: StoredOAuthClientInformation | undefined
  /** The epoch in which it has begun. */
  readonly epoch?: Epoch
}

export interface ProvidersOptions {
  readonly redirectUrl: string
  readonly clientMetadata?: Partial<OAuthClientMetadata>
  readonly clientId?: string
  readonly clientMetadataUrl?: string
  readonly scope?: string
  readonly kept: SignInStore
  readonly tokens: EpochTokens
  readonly environment: Pick<Environment, 'randomId'>
}

/** Makes what the SDK's OAuth drives. */
export interface Providers {
  /**
   * A provider that belongs to the current epoch: what it brings after a sign-out is dropped. `redirect` gets the address to
   * send the user to; what it does not take, comes to nothing.
   */
  providerOf(flow: Partial<Flow>, redirect: (url: URL, flow: Flow) => void): OAuthClientProvider
  /** What was found out about the authorization server is looked up anew. */
  forgetDiscovery(): void
}

/** The address is what the metadata of an authorization server says; `file:`, `blob:` and the like show something else. */
function isSecure({ protocol, hostname }: URL): boolean {
  const isLoopback = /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

export function createProviders(options: ProvidersOptions): Providers {
  const { redirectUrl, clientMetadata, clientId, clientMetadataUrl, scope, kept, tokens, environment } = options
  let discovery: OAuthDiscoveryState | undefined

  function providerOf(flow: Partial<Flow>, redirect: (url: URL, flow: Flow) => void): OAuthClientProvider {
    let { state = environment.randomId(), verifier = '', client } = flow
    const epoch = tokens.current()
    /** The tokens that this sign-in has read. It replaces and removes no others: they are those of a later one. */
    let seen: SignInTokens | undefined
    const isSeen = (now = tokens.read()) => now?.access_token === seen?.access_token

    function readTokens(): SignInTokens | undefined {
      seen = tokens.current() === epoch ? tokens.read() : undefined
      return seen
    }

    function saveTokens(saved: SignInTokens): void {
      tokens.check(epoch)
      const now = tokens.read()
      if (seen !== undefined && now !== undefined && !isSeen(now)) return
      // Who leaves it out has granted what was asked for (RFC 6749, sections 5.1 and 6).
      const scope = saved.scope ?? flow.scope ?? seen?.scope
      const signIn = seen?.signIn ?? environment.randomId()
      tokens.write({ ...saved, ...(scope !== undefined && { scope }), signIn }, epoch)
      // With which they are refreshed.
      if (flow.client !== undefined) kept.write('client', flow.client)
    }

    /** Not the token with which the registration can be changed. */
    function saveClient(saved: StoredOAuthClientInformation): void {
      const { client_id, client_secret, issuer } = saved
      const method = 'token_endpoint_auth_method' in saved ? saved.token_endpoint_auth_method : undefined
      client = { client_id, client_secret, issuer, ...(method && { token_endpoint_auth_method: method }) }
      kept.write('client', client)
    }

    function readClient(): StoredOAuthClientInformation | undefined {
      if (clientId !== undefined) return { client_id: clientId }
      client ??= kept.read<StoredOAuthClientInformation>('client')
      return client
    }

    return {
      redirectUrl,
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      clientMetadata: {
        redirect_uris: [redirectUrl],
        response_types: ['code'],
        // Some authorization servers give no refresh token to who does not say so.
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        ...(scope !== undefined && { scope }),
        ...clientMetadata,
      },
      state: () => {
        state = environment.randomId()
        return state
      },
      clientInformation: readClient,
      ...(clientId === undefined && { saveClientInformation: saveClient }),
      tokens: readTokens,
      saveTokens,
      saveCodeVerifier: (saved) => {
        verifier = saved
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: (saved) => {
        discovery = saved
      },
      discoveryState: () => discovery ?? flow.discovery,
      invalidateCredentials: (what) => {
        if ((what === 'all' || what === 'tokens') && tokens.current() === epoch && isSeen()) tokens.remove()
        if (what === 'all' || what === 'client') {
          client = undefined
          kept.remove('client')
        }
        if (what === 'all' || what === 'discovery') discovery = undefined
      },
      redirectToAuthorization: (to) => {
        tokens.check(epoch)
        if (!isSecure(to)) throw authorizationFailed('insecure')
        redirect(to, { state, verifier, discovery, epoch, client, scope: to.searchParams.get('scope') ?? undefined })
      },
    }
  }

  return {
    providerOf,
    forgetDiscovery: () => {
      discovery = undefined
    },
  }
}
