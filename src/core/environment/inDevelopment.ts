/** What a bundler puts in its place, and Node.js has. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

const run = (check: () => void): void => check()

/**
 * Runs a check of what a developer got wrong. Undefined in a production build, so it is called as `inDevelopment?.(…)`:
 * bundlers see that, and leave out the check and all that it needs. A page without a bundler has no `process`, and is checked.
 */
export let inDevelopment: typeof run | undefined
try {
  if (process.env.NODE_ENV !== 'production') inDevelopment = run
} catch {
  inDevelopment = run
}
