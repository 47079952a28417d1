// Runs a TypeScript file as Node would run JavaScript: `node scripts/run.mjs FILE [arguments]`.
// Node 20 does not know TypeScript; Vite, which is here anyway, does, and it resolves `taskwire` to src. It makes one file of all that
// is ours, which loads in a third of the time that module after module would take, and keeps it until one of its sources changes:
// tests start a program many times.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [node = 'node', , file, ...rest] = process.argv
if (file === undefined) {
  console.error('Usage: node scripts/run.mjs FILE [arguments]')
  process.exit(2)
}
process.argv = [node, resolve(file), ...rest]
// A build would set it to `production`.
process.env['NODE_ENV'] ??= 'development'

/** Packages are found from here. */
const folder = resolve('node_modules/.run')
const kept = resolve(folder, `${relative('', file).replace(/[^\w-]+/g, '-')}.mjs`)

try {
  if (!isUpToDate()) await make(file)
  process.setSourceMapsEnabled(true)
  await import(pathToFileURL(kept).href)
} catch (error) {
  console.error(error)
  process.exit(1)
}

/** True if the program was made here, and nothing that it was made of has been touched since. */
function isUpToDate() {
  try {
    const [head = ''] = readFileSync(kept, 'utf8').split('\n', 1)
    /** @type {{ root: string, sources: [path: string, touchedAt: number][] }} */
    const { root, sources } = JSON.parse(head.slice('// '.length))
    return root === resolve('') && sources.every(([path, touchedAt]) => touched(path) === touchedAt)
  } catch {
    // It is not there, or one of its sources is not.
    return false
  }
}

/** @param {string} path */
function touched(path) {
  return statSync(path).mtimeMs
}

/** @param {string} program */
async function make(program) {
  const startedAt = Date.now()
  const { build } = await import('vite')
  /** @type {string[]} */
  const modules = []
  const built = await build({
    configFile: false,
    logLevel: 'error',
    mode: 'development',
    resolve: { tsconfigPaths: true },
    plugins: [
      {
        name: 'programs',
        // Each module believes to be where its source is.
        transform: {
          filter: { id: /\.tsx?$/ },
          handler: (code, id) => ({
            code: code
              .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
              .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
            map: null,
            // The package says that its modules do nothing when they are imported. Of programs that is not true: one imports another to run it.
            moduleSideEffects: true,
          }),
        },
        buildEnd() {
          modules.push(...[...this.getModuleIds()].filter((id) => isAbsolute(id)))
        },
      },
    ],
    build: {
      ssr: resolve(program),
      target: 'es2022',
      minify: false,
      outDir: folder,
      write: false,
      sourcemap: 'inline',
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [made] = /** @type {import('vite').Rolldown.RolldownOutput} */ (built).output
  const sources = [fileURLToPath(import.meta.url), 'tsconfig.json', 'node_modules/vite/package.json', ...modules]
  const times = sources.map(touched)
  // What was changed meanwhile may have been read before or after that: it is made again the next time.
  const isSure = times.every((at) => at < startedAt)
  const head = { root: isSure ? resolve('') : '', sources: sources.map((path, index) => [path, times[index]]) }
  mkdirSync(folder, { recursive: true })
  // Other processes may make the same, or read it.
  const own = `${kept}.${process.pid}`
  writeFileSync(own, `// ${JSON.stringify(head)}\n${made.code}`)
  renameSync(own, kept)
}
