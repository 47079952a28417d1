import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { env } from 'node:process'
import { defineConfig } from 'vitest/config'
import { svelte } from '../setup/svelte.js'

// The contract of test/bindings with other versions of a framework and of its TanStack Query: those that are installed in the
// folder of the variable VERSIONS_FROM.

const manifest = join(resolve(env['VERSIONS_FROM'] ?? '.'), 'package.json')
const require = createRequire(manifest)

export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  plugins: [
    svelte(async () => require('svelte/compiler')),
    {
      name: 'other-versions',
      enforce: 'pre',
      resolveId(source, importer) {
        const isFramework = /^(?:vue|svelte|solid-js|@tanstack\/(?:vue|svelte|solid)-query)(?:\/|$)/.test(source)
        if (!isFramework || importer?.includes('node_modules')) return
        return this.resolve(source, manifest, { skipSelf: true })
      },
    },
  ],
  resolve: { tsconfigPaths: true, conditions: ['svelte', 'browser', 'module'] },
  test: {
    environment: 'jsdom',
    include: ['test/bindings/*.test.ts'],
    provide: { client: 'full' },
    restoreMocks: true,
    server: { deps: { inline: [/svelte/, /solid/] } },
  },
})
