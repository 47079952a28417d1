import { defineConfig } from 'vitest/config'

/** The tests of the built site, which `npm run docs:check` runs: `npm test` does not build it. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    name: 'site',
    environment: 'node',
    include: ['test/site/**/*.site.ts'],
    retry: 0,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
