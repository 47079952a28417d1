import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'

/** The demo without a server of its own: `vite build --mode site`. */
const SITE_MODE = 'site'

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Makes the static site: the page starts the service worker that is its MCP server, and then the app. */
export function site(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'demo:site',
    apply: (_, { command, mode }) => command === 'build' && mode === SITE_MODE,
    // Any folder of any host.
    config: () => ({
      base: './',
      // The panel is a part of what there is to see.
      define: { 'import.meta.env.VITE_DEVTOOLS': '"true"' },
      build: { chunkSizeWarningLimit: 2000 },
    }),
    transform: {
      filter: { id: /\/demo\/app\/main\.tsx$/ },
      // The package has no effects, but its demo has: `page/main.ts` imports the app for nothing else.
      handler: (code) => ({ code, map: null, moduleSideEffects: true }),
    },
    configResolved(resolved) {
      config = resolved
    },
    transformIndexHtml: {
      order: 'pre',
      handler(html) {
        const started = html.replace('/app/main.tsx', '/page/main.ts')
        if (started === html) throw new TypeError('Failed to make the site: index.html does not load /app/main.tsx.')
        return { html: started, tags: [{ tag: 'script', children: WITHOUT_SERVER, injectTo: 'body' }] }
      },
    },
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'server.js', source: await serviceWorker() })
    },
    writeBundle: ({ dir = '' }) => config.logger.info(sizeOf(dir)),
  }
}

/** Modules do not load from a file, so this is none. */
const WITHOUT_SERVER = `
if (location.protocol === 'file:') {
  document.getElementById('app').textContent =
    'This page has to come from a web server, any will do: npm run demo:preview, or npx serve in this folder.'
}
`

/** One file: not every browser loads modules in service workers. */
async function serviceWorker(): Promise<string> {
  const built = (await build({
    configFile: false,
    root: fromHere('.'),
    logLevel: 'warn',
    publicDir: false,
    resolve: { tsconfigPaths: true },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: true,
      lib: { entry: fromHere('page/serviceWorker.ts'), formats: ['iife'], name: 'server' },
    },
  })) as Rolldown.RolldownOutput[]
  const chunks = built.flatMap(({ output }) => output).filter((one) => one.type === 'chunk')
  const [only] = chunks
  if (only === undefined || chunks.length > 1) {
    throw new TypeError(`Failed to make the service worker: it is ${chunks.length} files.`)
  }
  return only.code
}

function sizeOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path))
  const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`
  const total = files.reduce((sum, { length }) => sum + length, 0)
  const zipped = files.reduce((sum, file) => sum + gzipSync(file).length, 0)
  return `${files.length} files, ${kB(total)}, ${kB(zipped)} with gzip.`
}
