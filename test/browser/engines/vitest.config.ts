// The tests of the demo in Firefox and WebKit, which `npm test` runs in Chromium alone: they take minutes, and what depends on
// the engine is in those of durability.
import { defineConfig } from 'vitest/config'
import config, { inOtherEngines } from '../../../vite.config.js'

export default defineConfig({
  ...config,
  test: { ...config.test, projects: inOtherEngines(['demo', 'magic', 'questions']) },
})
