/**
 * Sign-in with OAuth for pages: tokens are kept in the browser, and the user is sent to sign in when the app asks for
 * it.
 *
 * @packageDocumentation
 */
export type { BrowserAuthProvider } from './sdk/signIn/authProvider.js'
export {
  type BrowserAuthProviderOptions,
  browserAuthProvider,
  type SignInWindow,
} from './tools/auth/browserAuthProvider.js'
