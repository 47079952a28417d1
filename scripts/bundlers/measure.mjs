// What the packed package adds to an app, by the bundler that the app is built with: `npm run size:bundlers`, and
// `-- --write` for docs/sizes.md. Needs the registry: the bundlers are installed apart, once. `npm run size` holds the budgets, with
// Vite alone; this says whether another bundler finds more to ship.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { argv, env } from 'node:process'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'

const APP = resolve('node_modules/.bundlers')
const PAGE = 'docs/sizes.md'

const SDK = `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
globalThis.sdk = [Client, StreamableHTTPClientTransport]`
const LITE = `import { createTaskClient } from 'taskwire/lite'
globalThis.client = createTaskClient`

/** What a page does. What nobody uses would be left out of its bundle. @type {Record<string, string>} */
const PAGES = {
  empty: 'globalThis.nothing = []',
  sdk: SDK,
  withTasks: `${SDK}\nimport { withTasks } from 'taskwire'\nglobalThis.withTasks = withTasks`,
  client: `${SDK}\nimport { createTaskClient } from 'taskwire'\nglobalThis.client = createTaskClient`,
  lite: LITE,
  otherZod: `${SDK}\nimport * as z from 'other-zod'\nglobalThis.schema = z.object({ name: z.string() })`,
}

/** What a bundler ships at first load, in bytes, by the name of the page. @typedef {Record<string, number>} Sizes */

const run = (/** @type {string} */ command, /** @type {string[]} */ args, cwd = APP) =>
  execFileSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...env, NEXT_TELEMETRY_DISABLED: '1' },
  })

const gzipped = (/** @type {string[]} */ files) =>
  files.reduce((bytes, file) => bytes + gzipSync(readFileSync(file), { level: 9 }).length, 0)

function install() {
  rmSync(APP, { recursive: true, force: true })
  mkdirSync(join(APP, 'src'), { recursive: true })
  cpSync('scripts/bundlers/package.json', join(APP, 'package.json'))
  run('npm', ['pack', '--pack-destination', APP], resolve())
  const tarball = readdirSync(APP).find((name) => name.endsWith('.tgz'))
  run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', `./${tarball}`])
  for (const [name, code] of Object.entries(PAGES)) writeFileSync(join(APP, 'src', `${name}.js`), `${code}\n`)
}

/** A module of the app. @param {string} name */
const load = async (name) => {
  const loaded = await import(pathToFileURL(createRequire(join(APP, 'package.json')).resolve(name)).href)
  return loaded.default ?? loaded
}

/** @param {string} page @returns {Promise<number>} */
async function withVite(page) {
  const { build } = await import(pathToFileURL(join(APP, 'node_modules/vite/dist/node/index.js')).href)
  const outDir = join(APP, 'out', 'vite', page)
  const input = join(APP, 'src', `${page}.js`)
  const options = { outDir, emptyOutDir: true, modulePreload: false, rolldownOptions: { input } }
  const { output } = await build({ root: APP, configFile: false, logLevel: 'error', build: options })
  return gzipped(reached(output).map((file) => join(outDir, file)))
}

/** The entry and all that it imports before it runs. @param {{ fileName: string, isEntry?: boolean, imports?: string[] }[]} output */
function reached(output) {
  const files = new Set(output.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const file of files)
    for (const other of output.find(({ fileName }) => fileName === file)?.imports ?? []) files.add(other)
  return [...files]
}

/** @param {string} page @returns {Promise<number>} */
async function withEsbuild(page) {
  const esbuild = await load('esbuild')
  const outdir = join(APP, 'out', 'esbuild', page)
  const { metafile } = await esbuild.build({
    absWorkingDir: APP,
    entryPoints: [join('src', `${page}.js`)],
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    outdir,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  /** @type {Record<string, { entryPoint?: string, imports: { path: string, kind: string }[] }>} */
  const outputs = metafile.outputs
  const output = Object.entries(outputs).map(([fileName, { entryPoint, imports }]) => ({
    fileName,
    isEntry: entryPoint === `src/${page}.js`,
    imports: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path),
  }))
  return gzipped(reached(output).map((file) => join(APP, file)))
}

/** @param {string} page @returns {Promise<number>} */
async function withWebpack(page) {
  const webpack = await load('webpack')
  const path = join(APP, 'out', 'webpack', page)
  const entry = join(APP, 'src', `${page}.js`)
  const stats = await new Promise((resolved, rejected) => {
    webpack(
      { context: APP, mode: 'production', entry, output: { path }, performance: false },
      (/** @type {unknown} */ error, /** @type {any} */ made) =>
        error || made.hasErrors() ? rejected(error ?? new Error(made.toString())) : resolved(made.toJson()),
    )
  })
  return gzipped(stats.entrypoints.main.assets.map((/** @type {{ name: string }} */ { name }) => join(path, name)))
}

/** All pages at once, as routes of an app that Turbopack builds. @returns {Sizes} */
function withTurbopack() {
  for (const page of Object.keys(PAGES)) {
    const folder = join(APP, 'app', page)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'page.jsx'), "import Page from './client'\nexport default () => <Page />\n")
    writeFileSync(
      join(folder, 'client.jsx'),
      `'use client'\nimport '../../src/${page}.js'\nexport default () => null\n`,
    )
  }
  writeFileSync(
    join(APP, 'app/layout.jsx'),
    'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
  )
  run('npx', ['next', 'build'])
  const shipped = (/** @type {string} */ page) => {
    const html = readFileSync(join(APP, '.next/server/app', `${page}.html`), 'utf8')
    const scripts = new Set([...html.matchAll(/\/_next\/(static\/chunks\/[^"'?]+\.js)/g)].map(([, file = '']) => file))
    return gzipped([...scripts].map((file) => join(APP, '.next', file)))
  }
  return Object.fromEntries(Object.keys(PAGES).map((page) => [page, shipped(page)]))
}

/** @param {(page: string) => Promise<number>} measure @returns {Promise<Sizes>} */
async function eachPage(measure) {
  /** @type {Sizes} */
  const sizes = {}
  for (const page of Object.keys(PAGES)) sizes[page] = await measure(page)
  return sizes
}

install()
/** @type {[bundler: string, sizes: Sizes][]} */
const all = [
  ['Vite 8', await eachPage(withVite)],
  ['esbuild 0.28', await eachPage(withEsbuild)],
  ['webpack 5', await eachPage(withWebpack)],
  ['Turbopack of Next.js 16', withTurbopack()],
]

const kB = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`
const rows = all.map(([bundler, sizes]) => {
  const of = (/** @type {string} */ page, over = 'sdk') => kB((sizes[page] ?? 0) - (sizes[over] ?? 0))
  return [bundler, of('lite', 'empty'), of('sdk', 'empty'), of('withTasks'), of('client'), of('otherZod')]
})
const table = [
  '| built with | `taskwire/lite` alone | the client of the SDK alone | + `withTasks` | + `createTaskClient` | + another version of zod |',
  '| --- | ---: | ---: | ---: | ---: | ---: |',
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
].join('\n')
console.log(table)

if (argv.includes('--write')) {
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(
    PAGE,
    page.replace(/(<!-- bundlers -->\n\n)[\s\S]*?(\n\n<!-- \/bundlers -->)/, (_, start, end) => start + table + end),
  )
  run('npx', ['biome', 'check', '--write', PAGE], resolve())
}
