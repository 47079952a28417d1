/**
 * Sign-in with OAuth for pages: the browser keeps the tokens, and the user is sent to sign in only when the app asks for
 * that.
 *
 * @packageDocumentation
 */
export type { BrowserAuthProvider } from './sdk/signIn/authProvider.js'
export {
  type BrowserAuthProviderOptions,
  browserAuthProvider,
  type SignInWindow,
} from './tools/auth/browserAuthProvider.js'
