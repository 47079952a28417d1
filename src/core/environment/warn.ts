/** What a bundler puts in its place, and Node.js has. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/**
 * Warns a developer of what is probably a mistake. Silent in a production build, and where there is no way to tell.
 */
export function warnInDevelopment(message: string): void {
  // biome-ignore lint/suspicious/noConsole: what a developer is to see, and no user.
  if (isDevelopment()) console.warn(message)
}

/** True where a bundler, or Node.js, says that this is no production build. */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production'
  } catch {
    // A page without a bundler has no `process`.
    return false
  }
}
