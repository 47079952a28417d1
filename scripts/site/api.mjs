// The API reference: a page for each entry of the package, made of the TSDoc of its sources, in docs/api.
//
//     node scripts/site/api.mjs
//
// TypeDoc reads with the TypeScript of docs/package.json: it does not know the version that compiles the package.
import { readFileSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { checkProse } from '../prose.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const out = join(root, 'docs/api')

/**
 * @typedef {object} Entry
 * @property {string} name that an app imports: `taskwire/react`
 * @property {string} source `src/react.ts`
 * @property {string} page its file in docs/api: `react.md`
 */

/**
 * @param {Record<string, unknown>} exports of package.json
 * @returns {Entry[]} what an app can import, in the order of package.json
 */
export function entriesOf(exports) {
  return Object.keys(exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => ({
      name: path.replace('.', 'taskwire'),
      source: `src/${path === '.' ? 'index' : path.slice(2).replaceAll('/', '-')}.ts`,
      page: `${path === '.' ? 'taskwire' : path.slice(2).replaceAll('/', '-')}.md`,
    }))
}

/** @returns {Entry[]} */
export function readEntries() {
  return entriesOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports)
}

/** What the Markdown is made with, from docs/node_modules. */
const load = (/** @type {string} */ path) => import(pathToFileURL(join(root, 'docs/node_modules', path)).href)

async function main() {
  const { Application } = await load('typedoc/dist/index.js')
  const entries = readEntries()
  const app = await Application.bootstrapWithPlugins({
    plugin: [join(root, 'docs/node_modules/typedoc-plugin-markdown/dist/index.js')],
    // TypeDoc empties its folder first, and without a word it takes docs/.
    outputs: [{ name: 'markdown', path: out }],
    cleanOutputDir: false,
    entryPoints: entries.map(({ source }) => join(root, source)),
    tsconfig: join(root, 'scripts/site/tsconfig.json'),
    name: 'API',
    readme: 'none',
    router: 'module',
    // `npm run typecheck` checks, with the TypeScript of the package.
    skipErrorChecking: true,
    disableSources: true,
    preservedTypeAnnotationTags: ['@throws'],
    // What stands in a signature is exported, or else a reader cannot look it up, nor name it in code of their own.
    validation: { notExported: true, invalidLink: true },
    // A step of a type that is of no use elsewhere. Its name says what it is.
    intentionallyNotExported: [
      // Every error class extends it; entries export it with `fromJSON`.
      'src/core/protocol/errors.ts:TaskError',
      'src/bridge/backend/createClientPool.ts:Pooled',
      // What a carrier of the bridge is handed: pages take one that is made for them.
      'src/bridge/page/carrier.ts:CarriedNews',
      'src/bridge/page/requests.ts:Refusal',
      'src/core/client/tools.ts:IntersectionOf',
      // What the client hands to `keepResults`, for nobody else.
      'src/core/storage/keptResults.ts:KeptResultsContext',
      'src/core/storage/recordStore.ts:RecordStore',
    ],
    sort: ['source-order'],
    groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases'],
    logLevel: 'Warn',
    ...MARKDOWN,
  })
  const project = await app.convert()
  if (project === undefined)
    throw new TypeError('Failed to make the API reference: TypeDoc could not read the sources.')
  app.validate(project)
  const byName = new Map(entries.map((entry) => [entry.source.slice('src/'.length, -'.ts'.length), entry]))
  for (const module of project.children ?? []) {
    const entry = byName.get(module.name)
    if (entry === undefined) throw new TypeError(`Failed to make the API reference: ${module.name} is no entry.`)
    module.name = entry.page.slice(0, -'.md'.length)
  }
  nameParameters(project)
  const classes = project.getReflectionsByKind(CLASS)
  nameErrors(project, (name) => classes.find((/** @type {{ name: string }} */ one) => one.name === name))
  await rm(out, { recursive: true, force: true })
  await app.generateOutputs(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new TypeError('Failed to make the API reference: see above.')
  await rm(join(out, 'README.md'), { force: true })
  await finish(entries)
}

/**
 * TypeDoc calls a parameter that the source takes apart `__namedParameters`.
 *
 * @param {Reflection} reflection and all below it
 *
 * @typedef {{ name: string, traverse?: (visit: (child: Reflection) => void) => void }} Reflection
 */
function nameParameters(reflection) {
  reflection.traverse?.((child) => {
    if (child.name === '__namedParameters') child.name = 'options'
    nameParameters(child)
  })
}

/** `ReflectionKind.Class` of TypeDoc. */
const CLASS = 128

/**
 * Puts the class of an error before what `@throws` says: the Markdown leaves types out.
 *
 * @param {Commented} reflection and all below it
 * @param {(name: string) => unknown} classOf
 *
 * @typedef {{ tag: string, typeAnnotation?: string, content: object[] }} Tag
 * @typedef {{ comment?: { blockTags: Tag[] }, traverse?: (visit: (child: Commented) => void) => void }} Commented
 */
function nameErrors(reflection, classOf) {
  for (const { tag, typeAnnotation, content } of reflection.comment?.blockTags ?? []) {
    if (tag !== '@throws' || typeAnnotation === undefined) continue
    const text = typeAnnotation.replace(/^\{(.*)\}$/, '$1')
    const target = classOf(text)
    const name =
      target === undefined
        ? { kind: 'code', text: `\`${text}\`` }
        : { kind: 'inline-tag', tag: '@linkcode', text, target }
    content.unshift(name, { kind: 'text', text: ' ' })
  }
  reflection.traverse?.((child) => nameErrors(child, classOf))
}

/** How TypeDoc's Markdown is to be: tables rather than headings, which fill the search. */
const MARKDOWN = {
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hidePageTitle: true,
  useCodeBlocks: true,
  expandParameters: true,
  sanitizeComments: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  enumMembersFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
}

/** Headings below names, which stand there hundreds of times: bold, they are in no outline, and no result of the search. */
const minorHeading =
  /^#{4,} (Properties|Methods|Constructors|Parameters|Returns|Throws|Extends|Extended by|Overrides|Inherited from|Implements|Implementation of|Type Parameters|Type Declaration|Call Signature|Default Value|Example|Remarks|See|Index Signature)$/gm

/**
 * Puts a title above each page, and checks that each entry has one, in plain English.
 *
 * @param {Entry[]} entries
 */
async function finish(entries) {
  const pages = new Set(await readdir(out))
  for (const { name, page } of entries) {
    if (!pages.has(page)) throw new TypeError(`Failed to make the API reference: there is no page of ${name}.`)
    const text = await readFile(join(out, page), 'utf8')
    if (text.includes('__namedParameters'))
      throw new TypeError(`Failed to make the API reference: ${page} has a parameter without a name.`)
    const first = text.trimStart()
    if (!/^[A-Z`]/.test(first))
      throw new TypeError(
        `Failed to make the API reference: ${name} begins without a sentence: add @packageDocumentation to its index.ts.`,
      )
    // Types end the sentences of tables, so only the pages can be read, not the sources.
    const [problem] = checkProse(text).map((one) => one.replace(/^line \d+: /, ''))
    if (problem !== undefined)
      throw new TypeError(`Failed to make the API reference: ${page} needs plainer English in the TSDoc: ${problem}`)
    // On a phone the name of an entry is wider than a line: it breaks after a slash, and not within a word.
    const heading = name.replaceAll('/', '/<wbr>')
    const head = `---\ntitle: ${name}\neditLink: false\noutline: [2, 3]\n---\n\n# ${heading}\n\n`
    await writeFile(join(out, page), head + text.replace(/^\*\*\*\n\n?/gm, '').replace(minorHeading, '**$1**'))
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  await main().catch((/** @type {unknown} */ error) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  })
}
