// The code in the documentation is code that compiles: each ts and tsx block of README.md and docs/ names a file
// under docs/examples, or a region of one, and is equal to it.
//
//     ```ts file=docs/examples/start.ts#connect
//
// `node scripts/docs.mjs` checks, `--write` copies the code into the documents. A block marked `no-check` is left alone.
//
// A link to a test file is followed by the names of tests that are in it, as they stand there:
//
//     In [tabs.test.ts](../test/tabs.test.ts): "cancels, and every tab sees it", "forgets, and no tab keeps anything"
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'

const block = /^(?<indent> *)```(?<info>tsx?\b[^\n]*)\n(?<code>.*?)^\k<indent>```$/gms

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
    const links = [...line.matchAll(/\]\((?<link>[^)\s]+\.test\.tsx?)\)(?<names>(?:[^["]|"[^"]*")*)/g)]
    const tests = links.flatMap(({ groups: { link = '', names = '' } = {} }) =>
      findMissing(posix.join(posix.dirname(path), link), names, readFile),
    )
    const notes = [...line.matchAll(/\[\^[^\]]+\]/g)].map(([note]) => note)
    const unknown = notes.filter((note) => !isKnown(note)).map((note) => `${note} is not one note that is referred to.`)
    return [...tests, ...unknown].map((problem) => `line ${index + 1}: ${problem}`)
  })
}

/**
 * @param {string} file
 * @param {string} names in quotes
 * @param {(path: string) => string} readFile
 */
function findMissing(file, names, readFile) {
  let source = ''
  try {
    source = readFile(file)
  } catch {
    return [`there is no ${file}.`]
  }
  const tests = [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  if (tests.length === 0) return [`this link to ${file} names no test of it.`]
  const isThere = (/** @type {string} */ name) => ["'", '"', '`'].some((quote) => source.includes(quote + name + quote))
  return tests.filter((name) => !isThere(name)).map((name) => `${file} has no test "${name}".`)
}

function main() {
  const documents = [
    ...['README.md', 'CONTRIBUTING.md'],
    ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path.replaceAll('\\', '/')}`),
  ].filter((path) => path.endsWith('.md'))
  const write = argv.includes('--write')
  for (const path of documents) {
    const readFile = (/** @type {string} */ file) => readFileSync(file, 'utf8')
    const before = readFile(path)
    const { text, problems } = checkDocument(before, readFile)
    if (write) writeFileSync(path, text)
    const left = write ? checkDocument(text, readFile).problems : problems
    left.push(...checkTests(text, path, readFile))
    for (const problem of left) console.error(`${path}, ${problem}`)
    if (left.length > 0) process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
