import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { lastingWorker } from './lastingWorker.js'
import { testsOf } from './rooms.js'

/** Tests of the lower layers first, small ones first: most mutants are killed by a test that takes no time. */
const layers = ['core/protocol', 'core/time', 'core/record', 'core', 'sdk'].map((layer) => `src/${layer}/`)

function rank({ moduleId }: TestSpecification): number {
  const path = relative('', moduleId).replaceAll('\\', '/')
  const layer = layers.findIndex((folder) => path.startsWith(folder))
  return (layer < 0 ? layers.length : layer) * 1e6 + statSync(moduleId).size
}

class CheapFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rank(one) - rank(other))
  }
}

const keepThread: Plugin = {
  name: 'keep-thread',
  configureVitest({ project }) {
    project.config.pool = lastingWorker.name
    project.config.poolRunner = lastingWorker
  },
}

const fewRuns: Plugin = {
  name: 'few-runs',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === 'fast-check' && importer?.endsWith('.test.ts') === true
      ? resolve('test/mutation/fewRuns.ts')
      : undefined,
}

/** All unit tests that are fast and need no browser, no process and no socket would take too long for each mutant. */
const room = process.env['MUTATION_ROOM'] ?? 'all'

export default defineConfig({
  plugins: [keepThread, fewRuns],
  resolve: { tsconfigPaths: true },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  test: {
    environment: 'node',
    // One module graph for all files: loading the SDK anew for each file costs more than its tests.
    isolate: false,
    setupFiles: ['test/mutation/setup.ts'],
    sequence: { sequencer: CheapFirst },
    restoreMocks: true,
    unstubGlobals: true,
    // A mutant that leaves a promise pending is found by this.
    testTimeout: 8000,
    provide: { client: 'full' },
    include: testsOf(room),
    exclude: ['**/node_modules/**', '**/*.property.test.ts', 'test/spec/{requirements,server}.test.ts'],
  },
})
