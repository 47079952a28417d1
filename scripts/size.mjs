// What each entry costs an app: its own code minified and gzipped, without its dependencies.
// `later` is what is loaded only when it is needed: for servers and SDK clients of the revision before.
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
  const first = firstLoaded(chunks)
  return {
    bytes: gzipped(chunks.filter(({ fileName }) => first.has(fileName))),
    later: gzipped(chunks.filter(({ fileName }) => !first.has(fileName))),
    files: new Set(chunks.flatMap(({ moduleIds }) => moduleIds)),
  }
}

/**
 * The files that the entry imports, and what those import: what an app loads before it has done anything.
 *
 * @param {{ fileName: string, isEntry: boolean, imports: string[] }[]} chunks
 */
function firstLoaded(chunks) {
  const names = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const name of names) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(imported)
  }
  return names
}

/** @param {{ code: string }[]} chunks */
function gzipped(chunks) {
  return chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)
}

const core = await bundle('taskwire')
const rows = await Promise.all(
  Object.entries(budgets).map(async ([entry, budget]) => {
    const { bytes, later } = entry === 'taskwire' ? core : await bundle(entry, core.files)
    return { entry, gzip: bytes, budget, left: budget - bytes, later }
  }),
)
console.table(Object.fromEntries(rows.map(({ entry, ...numbers }) => [entry, numbers])))

const over = rows.filter(({ left }) => left < 0)
for (const { entry, gzip, budget } of over) {
  console.error(`${entry} is ${gzip} bytes, ${gzip - budget} over its budget of ${budget} in size.json.`)
}
process.exitCode = over.length === 0 ? 0 : 1
