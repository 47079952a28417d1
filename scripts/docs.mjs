// The code in the documentation is code that compiles: each ts and tsx block of README.md and docs/ names a file
// under docs/examples, or a region of one, and is equal to it.
//
//     ```ts file=docs/examples/start.ts#connect
//
// `node scripts/docs.mjs` checks, `--write` copies the code into the documents. A block marked `no-check` is left alone.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

function main() {
  const documents = [
    ...['README.md', 'CONTRIBUTING.md'],
    ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path.replaceAll('\\', '/')}`),
  ].filter((path) => path.endsWith('.md'))
  const write = argv.includes('--write')
  for (const path of documents) {
    const before = readFileSync(path, 'utf8')
    const { text, problems } = checkDocument(before, (file) => readFileSync(file, 'utf8'))
    if (write) writeFileSync(path, text)
    const left = write ? checkDocument(text, (file) => readFileSync(file, 'utf8')).problems : problems
    for (const problem of left) console.error(`${path}, ${problem}`)
    if (left.length > 0) process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
