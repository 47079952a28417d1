import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client'
import type { Environment, Unsubscribe } from '../../core/environment/environment.js'

/** The server to sign in to, and the environment of the page that signs in. */
export interface AuthServer {
  /** The MCP endpoint. Tokens are kept for this endpoint only. */
  readonly url: URL
  readonly environment: Environment
  /** As `transportOptions.skipIssuerMetadataValidation`. */
  readonly skipIssuerMetadataValidation?: boolean | undefined
}

/**
 * Signs the user in when the app calls `client.authorize()`, and never before. Made by `browserAuthProvider()` of
 * `taskwire/auth`; pass it as `authProvider` to `createTaskClient`, which ties it to its server.
 */
export interface BrowserAuthProvider {
  forServer(server: AuthServer): BrowserSignIn
}

/** A sign-in to one server. */
export interface BrowserSignIn {
  /** The provider from which the SDK's transport takes tokens: it refreshes a token, and never redirects the user. */
  readonly transport: AuthProvider
  /**
   * Begins a sign-in. Call it in the same turn as the user's click, because a browser blocks a window that opens later.
   * `onCallback` is called if the callback comes from another window.
   *
   * @throws {AuthorizationFailedError} if the window is blocked.
   */
  begin(onCallback: (callback: URLSearchParams) => Promise<void>): BegunSignIn
  /**
   * Returns the sign-in with this `state`, or undefined if this tab has not begun one. A state works only once.
   *
   * @throws {AuthorizationFailedError} if the user has signed out since.
   */
  take(state: string | null): OAuthClientProvider | undefined
  /**
   * Passes a callback to the tab that waits for it. Resolves when that tab has signed in.
   *
   * @throws {AuthorizationFailedError} if no tab waits for it, or the sign-in failed there.
   */
  handOver(callback: URLSearchParams): Promise<void>
  /** Calls the listener when the user has signed in in another tab, which shares the tokens. */
  onNewTokens(listener: () => void): Unsubscribe
  /** Forgets the tokens, and drops those that a sign-in or refresh brings afterwards. */
  signOut(): void
}

/** A sign-in that the user has begun. */
export interface BegunSignIn {
  readonly provider: OAuthClientProvider
  /** Closes the window of the sign-in. */
  abandon(): void
}

/** The types that the option `authProvider` accepts: two of the SDK, and the one of Taskwire. */
export type AnyAuthProvider = AuthProvider | OAuthClientProvider | BrowserAuthProvider

export function isBrowserAuthProvider(provider: AnyAuthProvider | undefined): provider is BrowserAuthProvider {
  return typeof provider === 'object' && 'forServer' in provider
}

/** True for a provider of the SDK that can lead a user through OAuth. */
export function isOAuthClientProvider(provider: AnyAuthProvider | undefined): provider is OAuthClientProvider {
  return typeof provider === 'object' && 'redirectToAuthorization' in provider
}
