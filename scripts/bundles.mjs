// What the library costs an app, in bytes: for the budgets (scripts/size.mjs) and for the benchmarks (bench/bytes.ts).
// Everything is bundled and minified by the Vite that is here anyway, and counted as gzip -9, chunk by chunk.
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** @typedef {{ fileName: string, code: string, isEntry: boolean, exports: string[], imports: string[], dynamicImports: string[], facadeModuleId: string | null, moduleIds: string[] }} Chunk */

const isPackage = (/** @type {string} */ id) => !/^[./]|^[a-z]:[\\/]|^\0/i.test(id)

/**
 * An entry of the package by itself: its own code, without its dependencies.
 *
 * @param {string} name
 * @param {Set<string>} [already] files that the app has already
 */
export async function measureEntry(name, already = new Set()) {
  const chunks = await bundleEntry(fileOf(name), already)
  return { ...measure(chunks), files: new Set(chunks.flatMap(({ moduleIds }) => moduleIds)) }
}

/**
 * What an app takes of an entry that imports everything but one export.
 *
 * @param {string} name
 * @param {string} leftOut
 * @param {Set<string>} already
 */
export async function measureWithout(name, leftOut, already) {
  const file = fileOf(name)
  const names = (await bundleEntry(file, already)).flatMap(({ exports }) => exports)
  if (!names.includes(leftOut)) throw new Error(`${name} has no ${leftOut}.`)
  const rest = names.filter((each) => each !== leftOut)
  const part = resolve('part.js')
  return measure(await bundleEntry(part, already, { [part]: `export { ${rest.join()} } from '${resolve(file)}'` }))
}

/** @param {string} name of an entry: `taskwire/server/redis` is src/server-redis.ts. */
const fileOf = (name) => `src/${name.replace(/^taskwire\/?/, '').replaceAll('/', '-') || 'index'}.ts`

/** @param {Chunk[]} chunks */
function measure(chunks) {
  const first = gzipped(reachable(chunks, () => false))
  return { first, later: gzipped(chunks) - first }
}

/** Which bundlers have to see to leave out the checks that it guards. */
const checksOfDevelopment = /inDevelopment\.ts$/

/**
 * @param {string} entry
 * @param {Set<string>} already
 * @param {Record<string, string>} [modules] those that are no files
 */
function bundleEntry(entry, already, modules = {}) {
  return bundle({
    oxc: { jsx: { runtime: 'automatic', development: false } },
    // As the build of an app does: what a library checks in development is left out.
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'entry',
        resolveId: (/** @type {string} */ id) => (id in modules ? id : undefined),
        load: (/** @type {string} */ id) => modules[id],
      },
    ],
    build: {
      target: 'es2022',
      lib: { entry, formats: ['es'], fileName: 'bundle' },
      rolldownOptions: {
        external: (/** @type {string} */ id) => isPackage(id) || (already.has(id) && !checksOfDevelopment.test(id)),
        // Not `build.minify`, which spares the white space of a library.
        output: { minify: true },
      },
    },
  })
}

/** An app that calls a tool and shows what becomes of it, by itself: everything that such a page ships. */
const PAGES = {
  taskwire: "import { createTaskClient } from 'taskwire'",
  'taskwire/lite': "import { createTaskClient } from 'taskwire/lite'",
  'taskwire/bridge': "import { createTaskClient } from 'taskwire/bridge'",
  'taskwire/core': "import { createClient as createTaskClient } from 'taskwire/core'",
}

/**
 * What a page ships with a client, dependencies included, and what the bundle is made of.
 *
 * @param {keyof typeof PAGES} name
 */
export async function measurePage(name) {
  const chunks = await bundleApp({
    'app/main': `${PAGES[name]}
const client = createTaskClient({ url: 'https://example.com/mcp' })
document.addEventListener('click', () => client.callTool({ name: 'report' }).then(console.log))`,
  })
  const first = gzipped(reachable(chunks, () => false))
  return { first, later: gzipped(chunks) - first, files: new Set(chunks.flatMap(({ moduleIds }) => moduleIds)) }
}

/**
 * What a page of `docs/backend.md` ships: the client of `taskwire/bridge`, hooks and TanStack Query. React is not counted, since such an app
 * has it.
 */
export async function measureBridgeReactPage() {
  const app = `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { createTaskClient } from 'taskwire/bridge'
import { TaskClientProvider, useTaskConnection, useToolCallMutation } from 'taskwire/react'
const client = createTaskClient({ url: '/api/calls' })
const queries = new QueryClient()
function Report() {
  const { status } = useTaskConnection()
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  return createElement('button', { disabled: report.isPending, onClick: () => report.mutate({ quarter: 'Q3' }) }, status, report.call?.phase)
}
globalThis.app = createElement(QueryClientProvider, { client: queries }, createElement(TaskClientProvider, { client }, createElement(Report)))`
  const chunks = await bundleApp({ 'app/main': app }, ['react', 'react/jsx-runtime', 'react-dom'])
  const first = gzipped(reachable(chunks, () => false))
  return { first, later: gzipped(chunks) - first }
}

/** An app that has the SDK client already, and a page that it loads on demand, as most apps have. */
const APP = `
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
export const client = new Client({ name: 'app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
export const transport = new StreamableHTTPClientTransport(new URL('https://example.com/mcp'))
document.addEventListener('click', async () => (await import('app/page')).show(client, transport))
`

/** What is added to it. */
const ADDITIONS = {
  createTaskClient: `
import { createTaskClient } from 'taskwire'
globalThis.tasks = createTaskClient({ client, transport })
`,
  withTasks: `
import { withTasks } from 'taskwire'
client.connect(withTasks(transport))
`,
  'ext-tasks': `
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
globalThis.tasks = createTaskSessionFromClient(client, { endpointId: 'app' })
globalThis.resultOf = resultFromTaskOutcome
`,
}

/**
 * What these add to an app that has the SDK client, dependencies included.
 *
 * - `first`: what the app loads before it has done anything.
 * - `modern`: that, and all that is loaded later but what is for servers and SDK clients of the revision before, and for `observe()`.
 * - `all`: every chunk.
 *
 * @returns {Promise<Record<keyof typeof ADDITIONS, { first: number, modern: number, all: number }>>}
 */
export async function measureAdditions() {
  const before = await measureApp('')
  /** @param {keyof typeof ADDITIONS} name */
  const added = async (name) => {
    const after = await measureApp(ADDITIONS[name])
    return { first: after.first - before.first, modern: after.modern - before.modern, all: after.all - before.all }
  }
  const [createTaskClient, withTasks, extTasks] = await Promise.all([
    added('createTaskClient'),
    added('withTasks'),
    added('ext-tasks'),
  ])
  return { createTaskClient, withTasks, 'ext-tasks': extTasks }
}

/**
 * Files that are loaded for servers and SDK clients of the revision before, where somebody observes the client, and in
 * development.
 */
const RARE = /[\\/]src[\\/].*(legacy|sdk[\\/]v1|client[\\/](observe|checkTools))/i

/** @param {string} addition */
async function measureApp(addition) {
  const chunks = await bundleApp({
    'app/main': APP + addition,
    'app/page': 'export const show = (...all) => console.log(all)',
  })
  const isRare = (/** @type {Chunk} */ { facadeModuleId }) => RARE.test(facadeModuleId ?? '')
  return {
    first: gzipped(reachable(chunks, () => false)),
    modern: gzipped(reachable(chunks, (chunk) => !isRare(chunk))),
    all: gzipped(chunks),
  }
}

/**
 * The chunks of an app that is made of these modules and begins with `app/main`.
 *
 * @param {Record<string, string>} modules
 * @param {string[]} [external] packages that are not counted
 */
function bundleApp(modules, external = []) {
  return bundle({
    resolve: {
      alias: [
        { find: /^taskwire$/, replacement: resolve('src/index.ts') },
        { find: /^taskwire\/(.*)$/, replacement: resolve('src/$1.ts') },
      ],
    },
    plugins: [
      {
        name: 'app',
        // Inside of the project, so that packages are found from there.
        resolveId: (/** @type {string} */ id) => (id in modules ? resolve(`${id}.js`) : undefined),
        load: (/** @type {string} */ id) => Object.entries(modules).find(([name]) => id === resolve(`${name}.js`))?.[1],
      },
    ],
    build: { rolldownOptions: { input: 'app/main', external } },
  })
}

/**
 * @param {import('vite').InlineConfig} config
 * @returns {Promise<Chunk[]>}
 */
async function bundle(config) {
  const result = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    // As in the production build of an app, whatever the environment of this process says, and for entries, too: a library
    // is built for any.
    define: { 'process.env.NODE_ENV': '"production"' },
    ...config,
    build: { write: false, ...config.build },
  })
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []))
  return outputs.filter((output) => output.type === 'chunk')
}

/**
 * The chunks that the entry imports and what those import: at once, and where `isLoaded` says so on demand.
 *
 * @param {Chunk[]} chunks
 * @param {(chunk: Chunk) => boolean} isLoaded
 */
function reachable(chunks, isLoaded) {
  const found = new Set(chunks.filter(({ isEntry }) => isEntry))
  for (const { imports, dynamicImports } of found) {
    for (const chunk of chunks) {
      if (imports.includes(chunk.fileName)) found.add(chunk)
      else if (dynamicImports.includes(chunk.fileName) && isLoaded(chunk)) found.add(chunk)
    }
  }
  return [...found]
}

/** @param {{ code: string }[]} chunks */
function gzipped(chunks) {
  return chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)
}
