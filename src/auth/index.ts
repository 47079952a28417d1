export type { BrowserAuthProvider } from '../connection/authProvider.js'
export { type BrowserAuthProviderOptions, browserAuthProvider, type SignInWindow } from './browserAuthProvider.js'
