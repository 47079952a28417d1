// As much of Next.js as the examples use, in place of a dependency that nothing
// else needs.
declare module 'next/server' {
  export function after(work: () => Promise<unknown>): void
}
