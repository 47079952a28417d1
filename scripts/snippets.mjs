// What a reader who pastes from a page of the documentation has: the files that the page shows or links to, and the
// packages that it names. `npm run docs` checks that each file is whole; test/package/snippets.test.ts compiles them in an
// empty app with the packed package.
import { posix } from 'node:path'

/** The fence of a block of code: `ts file=docs/examples/start.ts#region`. */
const fence = /^ *```(?:tsx?|vue|svelte) .*?\bfile=(?<path>[^\s#]+)(?:#(?<region>\S+))?/gm
const relativeImport = /(?:from|import) '(?<specifier>\.[^']*)'/g

/**
 * @param {string} markdown
 * @param {string} path of the document, where its links start
 * @returns {{ shown: Set<string>, linked: Set<string>, regions: Map<string, string> }} paths of files from the root of the
 *   repository: those that the page shows whole, examples that it links to, and those of which it shows a region
 */
export function filesOf(markdown, path) {
  const shown = new Set()
  const regions = new Map()
  for (const { groups: { path: file = '', region } = {} } of markdown.matchAll(fence)) {
    // A file of a whole app, which its page links to; `npm run test:examples` builds it.
    if (!file.startsWith('docs/')) continue
    if (region === undefined) shown.add(file)
    else regions.set(file, region)
  }
  const links = [...markdown.matchAll(/\]\((?<link>[^)\s:#]+\.tsx?)\)/g)]
  const files = links.map(({ groups: { link = '' } = {} }) => posix.join(posix.dirname(path), link))
  const linked = new Set(files.filter((file) => file.startsWith('docs/examples/')))
  return { shown, linked, regions }
}

/**
 * @param {string} markdown
 * @param {string} path of the document
 * @param {(path: string) => string} readFile
 * @returns {string[]} what a reader of this page alone is left without
 */
export function checkSnippets(markdown, path, readFile) {
  const { shown, linked, regions } = filesOf(markdown, path)
  const known = new Set([...shown, ...linked])
  const parts = [...regions.keys()]
    .filter((file) => !known.has(file))
    .map((file) => `a part of ${file} is shown: show the whole file, or link to it.`)
  const missing = [...known].flatMap((file) => {
    const imports = [...sourceOf(file, readFile).matchAll(relativeImport)]
    return imports
      .map(({ groups: { specifier = '' } = {} }) =>
        posix.join(posix.dirname(file), specifier).replace(/\.[jt]sx?$/, ''),
      )
      .filter((name) => !['', '.ts', '.tsx'].some((extension) => known.has(name + extension)))
      .map((name) => `${file} imports ${name}, which this page neither shows nor links to.`)
  })
  const declared = [...shown]
    .filter((file) => /^(?:export )?declare (?:const|let|function|class)\b/m.test(sourceOf(file, readFile)))
    .map((file) => `${file} declares what its reader does not have: write it, or take it as a parameter.`)
  return [...parts, ...missing, ...declared]
}

/**
 * @param {string} file
 * @param {(path: string) => string} readFile
 */
function sourceOf(file, readFile) {
  try {
    return readFile(file)
  } catch {
    return ''
  }
}

/**
 * @param {string} markdown
 * @returns {string[]} the packages that a page has its reader install
 */
export function packagesOf(markdown) {
  const lines = [...markdown.matchAll(/(?:^|`|&& )npm (?:install|i) (?<words>[^#\n`&]*)/gm)]
  const words = lines.flatMap(({ groups: { words = '' } = {} }) => words.trim().split(/\s+/))
  return [...new Set(words.filter((word) => /^[@a-z]/.test(word)))]
}

/**
 * @param {string} markdown
 * @param {string} title of a section
 * @returns {string} the section, to the next one of the same level
 */
export function sectionOf(markdown, title) {
  const [, section = ''] = markdown.split(`\n## ${title}\n`)
  return section.split('\n## ')[0] ?? ''
}
