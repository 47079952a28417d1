/** What a bundler puts in its place, and Node.js has. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

const run = (check: () => void): void => check()

/**
 * Checks what a developer got wrong, for whoever calls it by `?.`. Undefined in a production build: bundlers see that, and
 * leave out the check and all that it takes. A page without a bundler has no `process`, and is checked.
 */
export let inDevelopment: typeof run | undefined
try {
  if (process.env.NODE_ENV !== 'production') inDevelopment = run
} catch {
  inDevelopment = run
}
