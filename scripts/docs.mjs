// The code in the documentation is code that runs: each ts, tsx, vue, svelte and sql block of README.md and docs/ names a file
// under docs/examples or examples, and is equal to it. Readers paste: a page shows whole files, or a region of a file that it shows or
// links to, and the files that those import (scripts/snippets.mjs). Tables of sizes come from size.json (scripts/sizes.mjs), that of
// costs from test/budgets/budgets.json (scripts/budgets.mjs), those of what was played from test/seeded/seen.json (scripts/universe.mjs).
//
//     ```ts file=docs/examples/start.ts
//     ```ts file=docs/examples/start.ts#connect
//
// `node scripts/docs.mjs` checks, `--write` copies code and sizes into the documents. A block marked `no-check` is left alone.
//
// A link to a test file is followed by the names of tests that are in it, as they stand there:
//
//     In [tabs.test.ts](../test/tabs.test.ts): "cancels, and every tab sees it", "forgets, and no tab keeps anything"
//
// or it is the id that names of tests in it begin with, in brackets:
//
//     [EDGE-12](../test/edges/tabsMessages.test.ts)
//
// Users read plain English: scripts/prose.mjs knows the patterns that it refuses in pages for users and in texts that they see.
//
// Pictures are there, small, and put into words. That they are of an earlier demo is no more than said.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { checkBudgets } from './budgets.mjs'
import { checkLinks } from './links.mjs'
import { checkPictures, hashOfDemo, PICTURES } from './pictureChecks.mjs'
import { checkProse, checkTexts } from './prose.mjs'
import { checkSizes } from './sizes.mjs'
import { checkSnippets } from './snippets.mjs'
import { checkUniverse } from './universe.mjs'

const block = /^(?<indent> *)```(?<info>(?:[jt]sx?|vue|svelte|sql|css)\b[^\n]*)\n(?<code>.*?)^\k<indent>```$/gms

/**
 * @param {string} markdown
 * @param {(path: string) => string} readFile
 * @returns {{ text: string, problems: string[] }} the document as it should be, and what is wrong with the one that is there
 */
export function checkDocument(markdown, readFile) {
  /** @type {string[]} */
  const problems = []
  const text = markdown.replace(block, (whole, indent, info, code, offset) => {
    const fail = (/** @type {string} */ problem) => {
      problems.push(`line ${markdown.slice(0, offset).split('\n').length}: ${problem}`)
      return whole
    }
    if (/ no-check\b/.test(info)) return whole
    const [, path, region] = / file=([^\s#]+)(?:#(\S+))?/.exec(info) ?? []
    if (path === undefined) return fail('this block names no file: add file=docs/examples/NAME.ts, or no-check.')
    let source
    try {
      source = readFile(path)
    } catch {
      return fail(`there is no ${path}.`)
    }
    const expected = excerpt(source, region)
    if (expected === undefined) return fail(`${path} has no region ${region}.`)
    const indented = expected.replace(/^(?=.)/gm, indent)
    if (indented !== code) fail(`this block differs from ${path}${region ? `#${region}` : ''}: npm run docs:write.`)
    return `${indent}\`\`\`${info}\n${indented}${indent}\`\`\``
  })
  return { text, problems }
}

/**
 * @param {string} source
 * @param {string} [region]
 * @returns {string | undefined} the lines of the region, as far left as they go; the whole file where there is no region
 */
function excerpt(source, region) {
  const all = source.trimEnd().split('\n')
  const from = region === undefined ? 0 : all.findIndex((line) => mark(line) === `#region ${region}`)
  const to = region === undefined ? all.length : all.findIndex((line) => mark(line) === `#endregion ${region}`)
  if (from === -1 || to < from) return undefined
  const lines = all.slice(from, to).filter((line) => mark(line) === undefined)
  const margin = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  const code = lines.map((line) => line.slice(margin)).join('\n')
  return `${code.trim()}\n`
}

/** @param {string} line a comment of TypeScript, or of JSX: `// #region NAME`, `{/* #endregion NAME *\/}` */
const mark = (line) => /^\s*(?:\/\/|\{\/\*) (#(?:end)?region \S+)(?: \*\/\})?$/.exec(line)?.[1]

/**
 * @param {string} markdown
 * @param {string} path of the document, where its links start
 * @param {(path: string) => string} readFile
 * @returns {string[]} what is wrong with the tests that the document names, and with the footnotes that name them
 */
export function checkTests(markdown, path, readFile) {
  const count = (/** @type {string} */ text) => `\n${markdown}`.split(text).length - 1
  const isKnown = (/** @type {string} */ note) => count(`\n${note}:`) === 1 && count(note) > 1
  return markdown.split('\n').flatMap((line, index) => {
    const links = [...line.matchAll(/\[(?<text>[^\]]*)\]\((?<link>[^)\s]+\.test\.tsx?)\)(?<names>(?:[^["]|"[^"]*")*)/g)]
    const tests = links.flatMap(({ groups: { text = '', link = '', names = '' } = {} }) =>
      findMissing(posix.join(posix.dirname(path), link), text, names, readFile),
    )
    const notes = [...line.matchAll(/\[\^[^\]]+\]/g)].map(([note]) => note)
    const unknown = notes.filter((note) => !isKnown(note)).map((note) => `${note} is not one note that is referred to.`)
    return [...tests, ...unknown].map((problem) => `line ${index + 1}: ${problem}`)
  })
}

/** An id that names of tests begin with: `[EDGE-12]`, `[CORE-URL-CONSENT]`. */
const idOfTest = /['"`]\[(?<id>[A-Z]+(?:-[A-Z\d]+)+)\] /g

/** @param {string} source of a test file */
const idsOf = (source) => new Set([...source.matchAll(idOfTest)].map(({ groups: { id = '' } = {} }) => id))

/**
 * @param {string} markdown
 * @param {string} prefix what the ids begin with that the document has to cite
 * @param {Iterable<string>} sources of all test files
 * @returns {string[]} the ids of tests that the document does not cite
 */
export function checkCitations(markdown, prefix, sources) {
  const ids = new Set([...sources].flatMap((source) => [...idsOf(source)]))
  return [...ids]
    .filter((id) => id.startsWith(prefix) && !markdown.includes(`[${id}](`))
    .sort()
    .map((id) => `there are tests of ${id}, and no sentence cites them.`)
}

/**
 * @param {string} file
 * @param {string} text of the link: an id, or anything else
 * @param {string} names in quotes
 * @param {(path: string) => string} readFile
 */
function findMissing(file, text, names, readFile) {
  let source = ''
  try {
    source = readFile(file)
  } catch {
    return [`there is no ${file}.`]
  }
  if (/^[A-Z]+(-[A-Z\d]+)+$/.test(text)) return idsOf(source).has(text) ? [] : [`${file} has no test of ${text}.`]
  const tests = [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  if (tests.length === 0) return [`this link to ${file} names no test of it.`]
  const isThere = (/** @type {string} */ name) => ["'", '"', '`'].some((quote) => source.includes(quote + name + quote))
  return tests.filter((name) => !isThere(name)).map((name) => `${file} has no test "${name}".`)
}

/**
 * @param {readonly string[]} names of the files of decisions, such as `051-no-lock-file.md`
 * @returns {string[]} the numbers that two of them have
 */
export function checkNumbers(names) {
  const numbers = names.map((name) => name.slice(0, 3))
  return numbers
    .filter((number, index) => numbers.indexOf(number) !== index)
    .map((number) => `two decisions have the number ${number}: give the later one the next free number.`)
}

/** Documents that cite each test of a kind, and what the ids of those begin with. */
const complete = new Map([
  ['docs/project/durability.md', 'DUR-'],
  ['docs/security.md', 'EDGE-'],
])

/** What contributors read, in words of their own. */
const isForContributors = (/** @type {string} */ path) => /^CONTRIBUTING|^docs\/(?:decisions|project)\//.test(path)

/** Folders with texts that users see: on a screen, in a terminal, and in code that they copy. */
const TEXTS = [
  'create/src',
  'create/templates',
  'demo/app',
  'demo/page',
  'docs/examples',
  'docs/live',
  'examples',
  'src',
]

/**
 * What is read beside a new app. A release packs `create` before it runs the checks, and packing puts copies there.
 *
 * @param {string} path
 */
export const isOfStarters = (path) => /^create\/(?:README|templates\/.*)\.md$/.test(path)

/** @param {string} folder */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    // What the site is made with, and made of.
    .filter((path) => !/(?:^|\/)node_modules\/|^docs\/(?:\.vitepress|api)\//.test(path))

/** @param {Map<string, string[]>} problems what is wrong with each file */
function report(problems) {
  for (const [path, left] of problems) {
    for (const problem of left) console.error(`${path}, ${problem}`)
    if (left.length > 0) process.exitCode = 1
  }
}

function main() {
  const readFile = (/** @type {string} */ file) => readFileSync(file, 'utf8')
  const documents = ['README.md', 'CONTRIBUTING.md', ...filesIn('docs')].filter((path) => path.endsWith('.md'))
  const tests = [...filesIn('src'), ...filesIn('test')].filter((path) => /\.test\.tsx?$/.test(path))
  const sources = tests.map(readFile)
  const write = argv.includes('--write')
  const find = (/** @type {string} */ path) =>
    existsSync(path) ? (statSync(path).isDirectory() ? '' : readFile(path)) : undefined
  const budgets = JSON.parse(readFile('size.json'))
  const costsOfAnHour = JSON.parse(readFile('test/budgets/budgets.json'))
  const seen = JSON.parse(readFile('test/seeded/seen.json'))
  const texts = TEXTS.flatMap(filesIn).filter((path) => /(?<!\.test)\.(?:tsx?|vue|svelte)$/.test(path))
  const beside = ['CHANGELOG.md', 'SECURITY.md', 'demo/README.md', ...filesIn('create').filter(isOfStarters)]
  report(new Map(texts.map((path) => [path, checkTexts(readFile(path))])))
  report(new Map(beside.map((path) => [path, checkProse(readFile(path))])))
  report(new Map([['docs/decisions', checkNumbers(readdirSync('docs/decisions'))]]))
  for (const path of documents) {
    const blocks = checkDocument(readFile(path), readFile)
    const sizes = checkSizes(blocks.text, budgets)
    const costs = checkBudgets(sizes.text, costsOfAnHour)
    const played = checkUniverse(costs.text, seen)
    const { text } = played
    if (write) writeFileSync(path, text)
    const left = write ? [] : [...blocks.problems, ...sizes.problems, ...costs.problems, ...played.problems]
    if (write) left.push(...checkDocument(text, readFile).problems, ...checkSizes(text, budgets).problems)
    left.push(...checkLinks(text, path, find))
    // Pages beside whole apps show parts of them.
    if (!/^docs\/(?:examples|live)\//.test(path)) left.push(...checkSnippets(text, path, readFile))
    left.push(...checkTests(text, path, readFile))
    if (!isForContributors(path)) left.push(...checkProse(text))
    const sizeOf = (/** @type {string} */ link) => {
      const file = posix.join(posix.dirname(path), link)
      return existsSync(file) ? statSync(file).size : undefined
    }
    left.push(...checkPictures(text, sizeOf))
    const prefix = complete.get(path)
    if (prefix !== undefined) left.push(...checkCitations(text, prefix, sources))
    report(new Map([[path, left]]))
  }
  if (readFile(`${PICTURES}/demo.hash`).trim() !== hashOfDemo()) {
    console.warn(`The demo has changed since the pictures in ${PICTURES} were taken: npm run pictures.`)
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
