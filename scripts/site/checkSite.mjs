// Looks through the built site: every link to it leads to a file and to an anchor that are there, nothing is loaded from
// anywhere else, and what programs read is there.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** An attribute with an address. */
const address = /<(?<tag>[a-z]+)\b[^>]*?\s(?:href|src)="(?<to>[^"]*)"/g

/**
 * @param {string} html of a page
 * @param {string} page its path in the site
 * @param {string} base
 * @param {(path: string) => string | undefined} readFile the text of a file of the site; undefined where there is none
 * @returns {string[]} what is wrong with the addresses of the page
 */
export function checkPage(html, page, base, readFile) {
  return [...html.matchAll(address)].flatMap(({ groups: { tag = '', to = '' } = {} }) => {
    const url = to.replaceAll('&amp;', '&')
    if (/^(?:https?:)?\/\//.test(url)) return tag === 'a' ? [] : [`${url} is loaded from elsewhere.`]
    if (/^[a-z]+:/.test(url)) return []
    return checkAddress(url, { html, page, base, readFile })
  })
}

/**
 * @param {string} url
 * @param {{ html: string, page: string, base: string, readFile: (path: string) => string | undefined }} from
 */
function checkAddress(url, { html, page, base, readFile }) {
  const [path = '', anchor] = url.split('#')
  if (path.startsWith('/') && !path.startsWith(base)) return [`${url} is outside of ${base}.`]
  const target = path.startsWith('/') ? path.slice(base.length) : posix.join(posix.dirname(page), path)
  const file = target === '' || target.endsWith('/') || target === '.' ? posix.join(target, 'index.html') : target
  const text = path === '' ? html : (readFile(file) ?? readFile(`${file}.html`))
  if (text === undefined) return [`${url} leads nowhere.`]
  // What the page of recordings shows is in its address.
  if (/^(?:.*\/)?replay(?:\.html)?$/.test(path === '' ? page : file) && /^\d+\./.test(anchor ?? '')) return []
  if (anchor === undefined || anchor === '' || idsOf(text).has(decodeURIComponent(anchor))) return []
  return [`${url} leads to no heading.`]
}

/** @type {Map<string, Set<string>>} */
const known = new Map()

/** @param {string} html */
function idsOf(html) {
  const ids = known.get(html) ?? new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id))
  known.set(html, ids)
  return ids
}

function main() {
  const dist = fileURLToPath(new URL('../../docs/.vitepress/dist/', import.meta.url))
  const base = process.env['DOCS_BASE'] ?? '/'
  const files = new Map()
  /** @param {string} path */
  const readFile = (path) => {
    const file = join(dist, path)
    if (!files.has(path)) {
      files.set(path, existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined)
    }
    return files.get(path)
  }
  const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.html'))
  const problems = pages.flatMap((page) =>
    checkPage(readFile(page) ?? '', page, base, readFile).map((problem) => `${page}: ${problem}`),
  )
  for (const file of ['llms.txt', 'llms-full.txt']) if (!readFile(file)) problems.push(`there is no ${file}.`)
  for (const problem of new Set(problems)) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`${pages.length} pages, and every link of theirs leads somewhere.`)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
