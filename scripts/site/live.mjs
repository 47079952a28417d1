// The frames of the live examples, in docs/public/live/frames: a page for each example, and the service worker that is the
// server of all of them. The files are those that the pages show; `taskwire` is the sources, with a door for the page
// around the frame (docs/live/frame/taskwire.ts).
//
//     node scripts/site/live.mjs
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { writeProjects } from './projects.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The folder of each live example. That of the landing page has records and tasks of its own. */
const EXAMPLES = {
  ask: 'docs/live/ask',
  // That of the landing page, which has records and tasks of its own.
  hero: 'examples/vite-react',
  hooks: 'docs/live/hooks',
  react: 'examples/vite-react',
  vanilla: 'examples/vanilla',
}

const sources = { find: /^taskwire\/(.*)$/, replacement: join(root, 'src/$1.ts') }
const client = { find: /^taskwire$/, replacement: join(root, 'docs/live/frame/taskwire.ts') }
const server = { find: /^taskwire\/server$/, replacement: join(root, 'docs/live/server/taskwireServer.ts') }
const define = { 'process.env.NODE_ENV': '"production"' }

/** @param {string} out the folder of the frames, which is emptied */
export async function buildLive(out) {
  await rm(out, { recursive: true, force: true })
  await buildServer(out)
  for (const [name, folder] of Object.entries(EXAMPLES)) await buildFrame(join(root, folder), join(out, name))
}

/**
 * One file: not every browser loads modules in service workers.
 *
 * @param {string} out
 */
async function buildServer(out) {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    resolve: { alias: [server, sources, { find: /^taskwire$/, replacement: join(root, 'src/index.ts') }] },
    define,
    build: {
      outDir: out,
      emptyOutDir: false,
      minify: true,
      lib: {
        entry: join(root, 'docs/live/server/serviceWorker.ts'),
        formats: ['iife'],
        name: 'server',
        fileName: () => 'server.js',
      },
    },
  })
}

/**
 * @param {string} folder of the example
 * @param {string} out
 */
async function buildFrame(folder, out) {
  await build({
    configFile: false,
    root: folder,
    base: './',
    logLevel: 'warn',
    publicDir: false,
    resolve: { alias: [sources, client] },
    plugins: [react(), startOfFrame(folder)],
    define,
    build: { outDir: out, emptyOutDir: true, chunkSizeWarningLimit: 2000 },
  })
}

/**
 * Loads the script of a page once its server answers.
 *
 * @param {string} folder
 * @returns {import('vite').Plugin}
 */
function startOfFrame(folder) {
  let script = ''
  return {
    name: 'live:frame',
    enforce: 'pre',
    transformIndexHtml: {
      order: 'pre',
      handler(html) {
        // Until the example listens, a form would be sent as one without a script: `startFrame` takes it away.
        const held = html.replace('<body>', '<body inert>')
        return held.replace(/(<script type="module" src=")(\/src\/main\.tsx?)(")/, (_, before, path, after) => {
          script = join(folder, path)
          return `${before}/@live.js${after}`
        })
      },
    },
    resolveId: (id) => (id === '/@live.js' ? { id: '\0live.js', moduleSideEffects: true } : undefined),
    load(id) {
      if (id !== '\0live.js') return undefined
      const start = JSON.stringify(join(root, 'docs/live/frame/startFrame.ts'))
      return `import { startFrame } from ${start}\nvoid startFrame(() => import(${JSON.stringify(script)}))\n`
    },
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  await writeProjects(join(root, 'docs/public/live/projects'))
  await buildLive(join(root, 'docs/public/live/frames'))
}
