// The rules of imports for the linter, made of the table in docs/project/layers.md: `npm run layers` writes biome.layers.json.
//
//     | folder            | is … | may import                                             | page |
//     | ----------------- | ---- | ------------------------------------------------------ | ---- |
//     | `src/core/client` | …    | core/run and below, core/wire; zustand                 |      |
//     | `src/tools/ai`    | …    | core/client, `core/time/abort.ts`; no package          |      |
//
// Before the semicolon stand folders of `src`, "X and below" for X and all that X may import, and files in backticks; after it
// packages. `page`: whether the code may use the globals of a page, which everything else takes from the `Environment`.
import { readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'

/** The files of `src` that are in no folder. */
const ENTRIES = '*.ts'
const SOURCE = 'docs/project/layers.md'
const TARGET = 'biome.layers.json'
const GLOBALS =
  'BroadcastChannel addEventListener clearInterval clearTimeout crypto document globalThis indexedDB localStorage location navigator performance process requestAnimationFrame requestIdleCallback self sessionStorage setInterval setTimeout window'
const NO_TESTS = ['!**/*.test.ts', '!**/*.test.tsx', '!**/*.test-d.ts']

/**
 * @typedef {object} Layer
 * @property {string} folder under `src`
 * @property {string} words what it may import, as the table says it
 * @property {Set<string>} imports folders
 * @property {string[]} files single files of other folders
 * @property {string[]} packages
 * @property {boolean} isPage
 */

/**
 * @param {string} markdown
 * @returns {Layer[]} from the bottom up
 */
export function readLayers(markdown) {
  const rows = [...markdown.matchAll(/^\| `src\/(\S+)` +\| [^|]+ \| ([^|]+?) +\| (yes|) *\|$/gm)]
  /** @type {Map<string, Layer>} */
  const layers = new Map()
  for (const [, folder = '', words = '', page] of rows.reverse()) {
    const [inside = '', packages = ''] = words.split(/; */)
    /** @type {Omit<Layer, 'packages'>} */
    const layer = { folder, words, imports: new Set(), files: [], isPage: page === 'yes' }
    for (const item of inside.split(/, */)) {
      const [, file, name = '', below] = /^(?:`(\S+)`|(\S+?))( and below)?$/.exec(item) ?? []
      if (file !== undefined) layer.files.push(file)
      else if (name === 'all') layer.imports = new Set(layers.keys())
      else if (name !== 'nothing') {
        const found = layers.get(name)
        if (found === undefined)
          throw new Error(`${SOURCE}: src/${folder} may import "${item}", and there is no such row below it.`)
        layer.imports.add(found.folder)
        if (below) for (const other of found.imports) layer.imports.add(other)
      }
    }
    const named = packages === '' || packages === 'no package' ? [] : packages.split(/, */)
    layers.set(folder, { ...layer, packages: named })
  }
  return [...layers.values()]
}

/**
 * @param {Layer} layer
 * @param {readonly Layer[]} layers
 */
function importRule({ folder, words, imports, files, packages }, layers) {
  const allowed = [folder, ...imports]
  const isAllowed = (/** @type {string} */ other) => allowed.some((one) => isWithin(other, one) || isWithin(one, other))
  const isEntry = folder === ENTRIES
  const isDenied = (/** @type {Layer} */ { folder: other }) => other !== ENTRIES && !isAllowed(other)
  const denied = layers.filter(
    (layer) => isDenied(layer) && !layers.some((other) => other.folder === parent(layer.folder) && isDenied(other)),
  )
  // In front of a room stand the files that put the rooms together.
  const isRoom = layers.some((other) => other.folder === parent(folder)) && !imports.has(parent(folder))
  const inFront = (/** @type {string} */ path) => isRoom && parent(path) === parent(folder)
  const group = [
    ...denied.map(({ folder: other }) => `**/${seenFrom(folder, other)}/**`),
    // `server` from here may be a room beside this one, which is denied, and end the path of another, which is not.
    ...[...imports].flatMap((other) =>
      denied.some(({ folder: one }) => `/${seenFrom(folder, other)}/`.includes(`/${seenFrom(folder, one)}/`))
        ? [`!**/${seenFrom(folder, other)}/**`]
        : [],
    ),
    ...(isRoom ? ['../*.js'] : []),
    ...files.map((path) => (inFront(path) ? `!../${last(toJs(path))}` : `!**/${toJs(seenFrom(folder, path))}`)),
  ]
  const outside = [
    '**',
    '!./**',
    ...(isEntry ? [] : ['!../**']),
    ...packages.flatMap((name) => [`!${name}`, `!${name}/**`]),
  ]
  const message = `src/${folder} may import: ${words.replaceAll('`', '')} (the table of ${SOURCE}).`
  return {
    includes: [isEntry ? `src/${folder}` : `src/${folder}/**`, ...NO_TESTS],
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: 'error',
            options: { patterns: [...(group.length > 0 ? [{ group, message }] : []), { group: outside, message }] },
          },
        },
      },
    },
  }
}

const toJs = (/** @type {string} */ path) => path.replace(/\.ts$/, '.js')
const last = (/** @type {string} */ path) => path.slice(path.lastIndexOf('/') + 1)
const parent = (/** @type {string} */ path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** @param {string} inner @param {string} outer */
const isWithin = (inner, outer) => `${inner}/`.startsWith(`${outer}/`)

/**
 * The end of the path by which any file of a folder, however deep, imports from another.
 *
 * @param {string} folder
 * @param {string} path
 * @returns {string}
 */
const seenFrom = (folder, path) => {
  const [first = '', ...rest] = path.split('/')
  return rest.length > 0 && isWithin(folder, first) ? seenFrom(folder.slice(first.length + 1), rest.join('/')) : path
}

/** @param {readonly Layer[]} layers @returns {string} the text of biome.layers.json */
export function layerRules(layers) {
  const advice = 'Take it from the Environment (src/core/environment).'
  const pageless = {
    includes: [
      ...layers.filter(({ isPage, folder }) => !isPage && folder !== ENTRIES).map(({ folder }) => `src/${folder}/**`),
      ...NO_TESTS,
    ],
    plugins: ['./biome.ambient.grit'],
    linter: {
      rules: {
        style: {
          noRestrictedGlobals: {
            level: 'error',
            options: { deniedGlobals: Object.fromEntries(GLOBALS.split(' ').map((name) => [name, advice])) },
          },
        },
      },
    },
  }
  const overrides = [pageless, ...layers.map((layer) => importRule(layer, layers))]
  const schema = './node_modules/@biomejs/biome/configuration_schema.json'
  const lines = overrides.map((override) => JSON.stringify(override)).join(',\n')
  return `{\n"$schema": ${JSON.stringify(schema)},\n"overrides": [\n${lines}\n]}\n`
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  writeFileSync(TARGET, layerRules(readLayers(readFileSync(SOURCE, 'utf8'))))
}
