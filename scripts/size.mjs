// What each entry costs an app: its own code minified and gzipped, without its dependencies.
// `taskwire/query` and `taskwire/react` are what they add to `taskwire`, which an app that uses them has anyway.
// Budgets are in size.json, in bytes. `npm run size` fails where one is exceeded.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** @type {Record<string, number>} */
const budgets = JSON.parse(readFileSync('size.json', 'utf8'))

const isPackage = (/** @type {string} */ id) => !/^[./]|^[a-z]:[\\/]|^\0/i.test(id)

/**
 * @param {string} name
 * @param {Set<string>} [already] files that the app has already
 */
async function bundle(name, already = new Set()) {
  const folder = name.replace(/^taskwire\/?/, '')
  const result = await build({
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      target: 'es2022',
      write: false,
      lib: { entry: `src/${folder && `${folder}/`}index.ts`, formats: ['es'], fileName: 'bundle' },
      rolldownOptions: {
        external: (id) => isPackage(id) || already.has(id),
        // Not `build.minify`, which spares the white space of a library.
        output: { minify: true },
      },
    },
  })
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []))
  const chunks = outputs.filter((output) => output.type === 'chunk')
  return {
    bytes: chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0),
    files: new Set(chunks.flatMap(({ moduleIds }) => moduleIds)),
  }
}

const core = await bundle('taskwire')
const rows = await Promise.all(
  Object.entries(budgets).map(async ([entry, budget]) => {
    const { bytes } = entry === 'taskwire' ? core : await bundle(entry, core.files)
    return { entry, gzip: bytes, budget, left: budget - bytes }
  }),
)
console.table(Object.fromEntries(rows.map(({ entry, ...numbers }) => [entry, numbers])))

const over = rows.filter(({ left }) => left < 0)
for (const { entry, gzip, budget } of over) {
  console.error(`${entry} is ${gzip} bytes, ${gzip - budget} over its budget of ${budget} in size.json.`)
}
process.exitCode = over.length === 0 ? 0 : 1
