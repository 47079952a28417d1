import { defineConfig } from 'vitest/config'

/** The tests of the built site, which `npm run docs:check` runs: `npm test` does not build it. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    name: 'site',
    environment: 'node',
    include: ['test/site/**/*.site.ts'],
    // Both files at once, also on two cores.
    maxWorkers: 2,
    retry: 0,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
