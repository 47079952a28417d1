import type { FetchLike, OAuthClientProvider } from '@modelcontextprotocol/client'
import * as sdk from '@modelcontextprotocol/client'
import { isTaskError } from '../../core/protocol/errors.js'
import { authorizationFailed } from './authorizationFailed.js'
import type { Challenge } from './signIn.js'

/** What a sign-in needs to know of the server. */
export interface AuthorizationContext {
  readonly serverUrl: URL
  readonly fetch: FetchLike
  /** What the server said when it last refused a request. */
  readonly challenge: Challenge | undefined
  readonly skipIssuerMetadataValidation: boolean | undefined
}

/** Sends the user to the authorization server, unless a refresh token makes that needless. */
export async function authorize(
  provider: OAuthClientProvider,
  context: AuthorizationContext,
): Promise<'authorized' | 'started'> {
  try {
    const granted = (await provider.tokens())?.scope
    const missing = context.challenge?.scope
    // A server may name what is missing alone (SEP-2350): without the rest the new token could do less than the old one.
    const scope = missing === undefined ? undefined : sdk.computeScopeUnion(granted, missing)
    // A refresh cannot widen what the user has allowed.
    const forceReauthorization = sdk.isStrictScopeSuperset(scope, granted)
    const options = { ...authOptions(context), ...(scope !== undefined && { scope }), forceReauthorization }
    const result = await sdk.auth(provider, options)
    return result === 'AUTHORIZED' ? 'authorized' : 'started'
  } catch (cause) {
    throw authorizationError(cause)
  }
}

/** Exchanges the code of a callback for tokens. */
export async function finishAuthorization(
  provider: OAuthClientProvider,
  callback: URLSearchParams,
  context: AuthorizationContext,
): Promise<void> {
  const iss = callback.get('iss')
  const error = callback.get('error')
  if (error !== null) {
    // Another authorization server than that of the sign-in has nothing to say to the user (RFC 9207, section 2.4).
    const { authorizationServerMetadata: metadata } = (await provider.discoveryState?.()) ?? {}
    const isRequired = metadata?.authorization_response_iss_parameter_supported === true
    if (metadata !== undefined && (iss === null ? isRequired : iss !== metadata.issuer))
      throw authorizationFailed('refused')
    throw authorizationFailed(error === 'access_denied' ? 'denied' : 'refused', { code: codeOf(error) })
  }
  const authorizationCode = callback.get('code')
  if (authorizationCode === null) throw authorizationFailed('no-code')
  try {
    await sdk.auth(provider, { ...authOptions(context), authorizationCode, ...(iss !== null && { iss }) })
  } catch (cause) {
    throw authorizationError(cause)
  }
}

function authOptions({ serverUrl, fetch, challenge, skipIssuerMetadataValidation }: AuthorizationContext) {
  return {
    serverUrl,
    fetchFn: fetch,
    ...(challenge?.scope !== undefined && { scope: challenge.scope }),
    ...(challenge?.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    ...(skipIssuerMetadataValidation !== undefined && { skipIssuerMetadataValidation }),
  }
}

/** The messages of the SDK repeat what a server has said, which may be what it was sent: only the class and the code are kept. */
function authorizationError(cause: unknown): unknown {
  if (isTaskError(cause)) return cause
  const code = cause instanceof sdk.OAuthError ? codeOf(cause.code) : undefined
  const { name } = cause instanceof Error ? cause : new Error()
  const kept = Object.assign(new Error(code ?? name), { name })
  const isNetwork = cause instanceof TypeError
  return authorizationFailed(isNetwork ? 'unreachable' : 'refused', { code, cause: kept })
}

/** The error codes of OAuth are words; a callback may hold anything. */
function codeOf(error: string): string | undefined {
  return /^[a-z_]{1,60}$/.test(error) ? error : undefined
}
