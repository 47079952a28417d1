// The tests that depend on the engine, in Firefox and in WebKit, where these are installed: `npm test` has them in Chromium.
import { defineConfig } from 'vitest/config'
import config from '../../../vite.config.js'

const TESTS = ['durability', 'replay', 'demo', 'magic.weekly', 'questions']

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    projects: (['firefox', 'webkit'] as const).map((engine) => ({
      extends: true,
      test: {
        name: `browser-${engine}`,
        environment: 'node',
        include: TESTS.map((name) => `test/browser/${name}.test.ts`),
        globalSetup: ['test/setup/engine.ts'],
        provide: { client: 'full', engine },
      },
    })),
  },
})
