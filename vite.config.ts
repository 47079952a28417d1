import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { components } from './test/setup/components.js'
import { svelte } from './test/setup/svelte.js'

/** One module per audience, as in the `exports` and the `bin` of package.json. */
const entries: Record<string, string> = {
  ...Object.fromEntries(
    readdirSync('src')
      .filter((file) => /^[a-z].*(?<!\.test)\.ts$/.test(file))
      .map((file) => [file.slice(0, -'.ts'.length), `src/${file}`]),
  ),
  'tools/cli/main': 'src/tools/cli/main.ts',
}

/** Everything but our own files: an app brings the dependencies and must have each of them once. */
const isExternal = (id: string): boolean => !/^[./]|^[a-z]:[\\/]|^\0/i.test(id)

const browserTests = 'test/browser/**/*.test.ts'
const packageTests = 'test/package/**/*.test.ts'
const bindingTests = 'test/bindings/**/*.test.ts'

/** The tests that have this in their text, but for those in browsers. */
function testsWith(text: RegExp): string[] {
  return ['src', 'test']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith('test/browser/'))
    .filter((file) => text.test(readFileSync(file, 'utf8')))
}

/** The tests that open a client by test/support/anyClient.ts: they hold for both. */
const testsOfBoth: string[] = testsWith(/support\/anyClient\.js/)

/**
 * Tests of React that replace modules. The others share theirs, which saves a third of their time. Those of the other projects cannot:
 * sockets, databases and timers that one file leaves would fail the next.
 */
const testsThatMock: string[] = testsWith(/vi\.(?:mock|doMock|resetModules)\(/).filter((file) => file.endsWith('.tsx'))

/**
 * The projects of the tests that also run in Firefox and in WebKit, where these are installed.
 *
 * @param names of tests of test/browser that launch their browser by engines/launchEngine.ts
 */
export function inOtherEngines(names: readonly string[]): TestProjectInlineConfiguration[] {
  return (['firefox', 'webkit'] as const).map((engine) => ({
    extends: true,
    test: {
      name: `browser-${engine}`,
      environment: 'node',
      include: names.map((name) => `test/browser/${name}.test.ts`),
      globalSetup: ['test/setup/engine.ts'],
      provide: { client: 'full', engine },
      hookTimeout: 60_000,
      sequence: { groupOrder: 1 },
    },
  }))
}

export default defineConfig({
  // In tests and examples `taskwire` and `taskwire/react` are our own sources: see `paths` in tsconfig.json.
  resolve: { tsconfigPaths: true },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  publicDir: false,
  build: {
    target: 'es2022',
    minify: false,
    sourcemap: true,
    lib: { entry: entries, formats: ['es'] },
    rolldownOptions: {
      external: isExternal,
      output: {
        preserveModules: true,
        preserveModulesRoot: 'src',
        entryFileNames: '[name].js',
        // Frameworks that render on a server take modules without it for code of the server.
        banner: ({ name }) => (name === 'react' || name.startsWith('bindings/react/') ? "'use client';" : ''),
      },
    },
  },
  test: {
    // A flake is a bug: nothing is retried.
    retry: 0,
    // Many tests wait, for a second of a browser, a database or another process to pass, and leave their core to others.
    maxWorkers: 2 * availableParallelism(),
    // Nothing waits for real time; how long the computing takes is the machine's affair.
    testTimeout: 60_000,
    restoreMocks: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [bindingTests, browserTests, packageTests],
          provide: { client: 'full' },
        },
      },
      {
        extends: true,
        test: {
          // The same tests with `createTaskClient` of `taskwire/lite`.
          name: 'lite',
          environment: 'node',
          include: testsOfBoth.filter((file) => file.endsWith('.ts')),
          provide: { client: 'lite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'react',
          environment: 'jsdom',
          include: ['src/**/*.test.tsx', 'test/**/*.test.tsx', 'docs/examples/**/*.test.tsx'],
          exclude: testsThatMock,
          isolate: false,
          setupFiles: ['test/setup/react.ts'],
          provide: { client: 'full' },
        },
      },
      {
        extends: true,
        test: {
          name: 'react-mocked',
          environment: 'jsdom',
          include: testsThatMock,
          setupFiles: ['test/setup/react.ts'],
          provide: { client: 'full' },
        },
      },
      {
        extends: true,
        test: {
          // The same hooks with `createTaskClient` of `taskwire/lite`.
          name: 'react-lite',
          environment: 'jsdom',
          include: testsOfBoth.filter((file) => file.endsWith('.tsx')),
          isolate: false,
          setupFiles: ['test/setup/react.ts'],
          provide: { client: 'lite' },
        },
      },
      {
        extends: true,
        plugins: [svelte(), components()],
        resolve: { conditions: ['svelte', 'browser', 'module'] },
        test: {
          // One contract, held by every framework.
          name: 'bindings',
          environment: 'jsdom',
          include: [bindingTests],
          provide: { client: 'full' },
          // These have a build for browsers and one for servers, or are compiled here.
          server: { deps: { inline: [/svelte/, /solid/] } },
        },
      },
      {
        extends: true,
        plugins: [svelte()],
        resolve: { conditions: ['svelte', 'browser', 'module'] },
        test: {
          // The same contract for pages whose backend has the client.
          name: 'bindings-bridge',
          environment: 'jsdom',
          include: [bindingTests],
          exclude: ['test/bindings/server.test.ts', 'test/bindings/examples.test.ts'],
          provide: { client: 'bridge' },
          server: { deps: { inline: [/svelte/, /solid/] } },
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            checker: 'tsc',
            tsconfig: 'tsconfig.json',
            // Errors outside of these files are the business of `npm run typecheck`.
            ignoreSourceErrors: true,
            include: ['src/**/*.test-d.{ts,tsx}', 'test/**/*.test-d.{ts,tsx}'],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser-e2e',
          environment: 'node',
          include: [browserTests],
          provide: { client: 'full', engine: 'chromium' },
          hookTimeout: 60_000,
          // After the fast projects.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser-lite',
          environment: 'node',
          include: ['test/browser/durability.test.ts'],
          provide: { client: 'lite', engine: 'chromium' },
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      // The durability of a page depends on its engine. `npm run test:engines` has the rest that is tried in each of them.
      ...inOtherEngines(['durability', 'replay']),
      {
        extends: true,
        test: {
          name: 'package',
          environment: 'node',
          include: [packageTests],
          globalSetup: ['test/setup/packed.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
