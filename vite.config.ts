import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { runsApart } from './test/setup/apart.js'
import { components } from './test/setup/components.js'
import { svelte } from './test/setup/svelte.js'
import { PATIENCE } from './test/support/patience.js'

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

/** Slow tests, for what faster ones test, too: docs/decisions/279-slow-tests-are-weekly.md. */
const weeklyTests = 'test/**/*.weekly.test.ts'
const browserTests = 'test/browser/**/*.test.ts'
const packageTests = 'test/package/**/*.test.ts'
const bindingTests = 'test/bindings/**/*.test.ts'

/** All tests but those that have projects of their own. */
const tests: readonly string[] = ['src', 'test', 'docs/examples']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /(?<!\.weekly)\.test\.tsx?$/.test(file) && !/^test\/(?:browser|package|bindings)\//.test(file))

/** Those that open a client by test/support/anyClient.ts: they hold for both. */
const testsOfBoth = tests.filter((file) => readFileSync(file, 'utf8').includes('support/anyClient.js'))

/** Those that do not share their modules and their worker with the tests before them, which costs half as much. */
const testsApart = tests.filter(runsApart)

/** Two projects, `NAME` and `NAME-apart`, of all tests of an extension, or of those that hold for both clients. */
function sharedAndApart(
  name: string,
  options: NonNullable<TestProjectInlineConfiguration['test']> & { extension: 'ts' | 'tsx' },
): TestProjectInlineConfiguration[] {
  const { extension, setupFiles = [], include, ...rest } = options
  const isMeant = (file: string) => file.endsWith(`.test.${extension}`)
  // A pattern: a file that is added while tests are watched is found.
  const all = [`{src,test,docs/examples}/**/*.test.${extension}`]
  const others = testsApart.filter((file) => isMeant(file) && (include?.includes(file) ?? true))
  return [
    {
      extends: true,
      test: {
        ...rest,
        name,
        include: include?.filter(isMeant) ?? all,
        exclude: [bindingTests, browserTests, packageTests, weeklyTests, ...others],
        isolate: false,
        // Those of pages end what they have started themselves: test/setup/react.ts.
        ...(rest.environment === 'node'
          ? { pool: 'threads' as const, setupFiles: ['test/setup/shared.ts', ...setupFiles] }
          : { setupFiles: [...setupFiles] }),
      },
    },
    { extends: true, test: { ...rest, name: `${name}-apart`, include: others, setupFiles: [...setupFiles] } },
  ]
}

const PATIENCE_MS = 240_000

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
    // Only what hangs fails: how long the computing takes is the machine's affair.
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: PATIENCE },
    restoreMocks: true,
    unstubGlobals: true,
    projects: [
      ...sharedAndApart('unit', { extension: 'ts', environment: 'node', provide: { client: 'full' } }),
      // The same tests with `createTaskClient` of `taskwire/lite`.
      ...sharedAndApart('lite', {
        extension: 'ts',
        include: testsOfBoth,
        environment: 'node',
        provide: { client: 'lite' },
      }),
      ...sharedAndApart('react', {
        extension: 'tsx',
        environment: 'jsdom',
        setupFiles: ['test/setup/react.ts'],
        provide: { client: 'full' },
      }),
      // The same hooks with `createTaskClient` of `taskwire/lite`.
      ...sharedAndApart('react-lite', {
        extension: 'tsx',
        include: testsOfBoth,
        environment: 'jsdom',
        setupFiles: ['test/setup/react.ts'],
        provide: { client: 'lite' },
      }),
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
          exclude: [weeklyTests],
          provide: { client: 'full', engine: 'chromium' },
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
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          environment: 'node',
          include: [packageTests],
          exclude: [weeklyTests],
          globalSetup: ['test/setup/packed.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // `npm run test:weekly`; `npm test` leaves it out.
          name: 'weekly',
          environment: 'node',
          include: [weeklyTests],
          provide: { client: 'full', engine: 'chromium' },
          globalSetup: ['test/setup/packed.ts'],
        },
      },
    ],
  },
})
