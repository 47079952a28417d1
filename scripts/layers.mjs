// The rules of imports for the linter, made of the table in CONTRIBUTING.md: `npm run layers` writes biome.layers.json.
//
//     | folder        | is …  | may import                                                 | page |
//     | ------------- | ----- | ---------------------------------------------------------- | ---- |
//     | `src/client`  | …     | connection and below, tabs; zustand                        |      |
//     | `src/testing` | …     | client and below, server; msw                              | yes  |
//     | `src/ai`      | …     | client, protocol, `call/abort.ts`; no package              |      |
//     | `src/lite`    | …     | client and below, not `client/sdk*`; no package            |      |
//
// Before the semicolon stand folders of `src`, "X and below" for X and all that X may import, and files in backticks; after it
// packages. `page`: whether the code may use the globals of a page, which everything else takes from the `Environment`.
import { readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'

/** The files of `src` that are in no folder. */
const ENTRIES = '*.ts'
const SOURCE = 'CONTRIBUTING.md'
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
 * @property {string[]} not parts of the folders that it may import
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
    const layer = { folder, words, imports: new Set(), files: [], not: [], isPage: page === 'yes' }
    let isNot = false
    for (const item of inside.split(/, */)) {
      const [, not, file, name, below] = /^(not )?(?:`(\S+)`|(\S+?))( and below)?$/.exec(item) ?? []
      isNot ||= not !== undefined
      if (file !== undefined) (isNot ? layer.not : layer.files).push(file)
      else if (name !== 'nothing') {
        const found = layers.get(name ?? '')
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
function importRule({ folder, words, imports, files, not, packages }, layers) {
  const isWithin = (/** @type {string} */ inner, /** @type {string} */ outer) => `${inner}/`.startsWith(`${outer}/`)
  const allowed = [folder, ...imports]
  const isAllowed = (/** @type {string} */ other) => allowed.some((one) => isWithin(other, one) || isWithin(one, other))
  const isEntry = folder === ENTRIES
  const denied = layers.filter(
    ({ folder: other }) => other !== ENTRIES && !isAllowed(other) && (parent(other) === '' || isAllowed(parent(other))),
  )
  const up = isEntry ? './' : '../'.repeat(folder.split('/').length)
  // In front of a room stand the files that put the rooms together.
  const front = folder.includes('/') && !imports.has(folder.replace(/\/[^/]+$/, '')) ? ['../*.js'] : []
  const group = [
    ...denied.map(({ folder: other }) =>
      !isEntry && isUnique(other, layers) ? `**/${last(other)}/**` : `${up}${other}/**`,
    ),
    ...not.map((path) => `**/${last(path)}${path.includes('*') ? '' : '/**'}`),
    ...front,
    ...(isEntry ? [] : ['**/index.js']),
    ...files.map((path) => (isWithin(folder, parent(path)) ? `!../${last(toJs(path))}` : `!**/${toJs(path)}`)),
  ]
  const outside = [
    '**',
    '!./**',
    ...(isEntry ? [] : ['!../**']),
    ...packages.flatMap((name) => [`!${name}`, `!${name}/**`]),
  ]
  const message = `src/${folder} may import: ${words.replaceAll('`', '')} (the table of ${SOURCE}). An index.ts is an entry for users of the package.`
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

/** @param {string} folder @param {readonly Layer[]} layers */
const isUnique = (folder, layers) => layers.filter((other) => last(other.folder) === last(folder)).length === 1

/** @param {readonly Layer[]} layers @returns {string} the text of biome.layers.json */
export function layerRules(layers) {
  const advice = 'Take it from the Environment (src/environment).'
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
