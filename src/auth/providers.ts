import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { Environment } from '../environment/environment.js'
import type { SignInStore } from './signInStore.js'

/** A sign-in under way. */
export interface Flow {
  readonly state: string
  readonly verifier: string
  readonly discovery?: OAuthDiscoveryState | undefined
}

export interface ProvidersOptions {
  readonly redirectUrl: string
  readonly clientMetadata?: Partial<OAuthClientMetadata>
  readonly clientId?: string
  readonly clientMetadataUrl?: string
  readonly scope?: string
  readonly kept: SignInStore
  readonly environment: Pick<Environment, 'randomId'>
}

/** Makes what the SDK's OAuth drives. */
export interface Providers {
  /** `redirect` gets the address to send the user to; what it does not take, comes to nothing. */
  providerOf(flow: Partial<Flow>, redirect: (url: URL, flow: Flow) => void): OAuthClientProvider
  /** What was found out about the authorization server is looked up anew. */
  forgetDiscovery(): void
}

export function createProviders(options: ProvidersOptions): Providers {
  const { redirectUrl, clientMetadata, clientId, clientMetadataUrl, scope, kept, environment } = options
  let discovery: OAuthDiscoveryState | undefined

  /** Not the token with which the registration can be changed. */
  function saveClient({ client_id, client_secret, issuer }: StoredOAuthClientInformation): void {
    kept.write('client', { client_id, client_secret, issuer })
  }

  function providerOf(flow: Partial<Flow>, redirect: (url: URL, flow: Flow) => void): OAuthClientProvider {
    let { state = environment.randomId(), verifier = '' } = flow
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
      clientInformation: () =>
        clientId === undefined ? kept.read<StoredOAuthClientInformation>('client') : { client_id: clientId },
      ...(clientId === undefined && { saveClientInformation: saveClient }),
      tokens: () => kept.read<StoredOAuthTokens>('tokens'),
      saveTokens: (saved) => kept.write('tokens', saved),
      saveCodeVerifier: (saved) => {
        verifier = saved
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: (saved) => {
        discovery = saved
      },
      discoveryState: () => discovery ?? flow.discovery,
      invalidateCredentials: (what) => {
        if (what === 'all' || what === 'tokens') kept.remove('tokens')
        if (what === 'all' || what === 'client') kept.remove('client')
        if (what === 'all' || what === 'discovery') discovery = undefined
      },
      redirectToAuthorization: (to) => redirect(to, { state, verifier, discovery }),
    }
  }

  return {
    providerOf,
    forgetDiscovery: () => {
      discovery = undefined
    },
  }
}
