// Links of the documentation lead to files that are there, and to headings that are there.
import { posix } from 'node:path'

const link = /\]\((?<path>[^)\s:#]*)(?:#(?<anchor>[^)\s]+))?\)/g

/**
 * @param {string} markdown
 * @param {string} path of the document, where its links start
 * @param {(path: string) => string | undefined} readFile undefined for what is not there, empty for a folder
 * @returns {string[]} the links that lead nowhere
 */
export function checkLinks(markdown, path, readFile) {
  return [...withoutCode(markdown).matchAll(link)].flatMap(({ groups }) => {
    const { path: to = '', anchor } = groups ?? {}
    const file = to === '' ? path : posix.join(posix.dirname(path), to)
    const text = to === '' ? markdown : readFile(file)
    if (text === undefined) return [`there is no ${file}.`]
    return anchor === undefined || anchorsOf(text).has(anchor) ? [] : [`${file} has no heading #${anchor}.`]
  })
}

/** @param {string} markdown */
const withoutCode = (markdown) =>
  markdown.replace(/^ *```.*?^ *```$/gms, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[()]/g, ''))

/** @param {string} markdown */
function anchorsOf(markdown) {
  const headings = markdown.replace(/^ *```.*?^ *```$/gms, '').matchAll(/^#+ (?<title>.+)$/gm)
  return new Set([...headings].map(({ groups: { title = '' } = {} }) => anchorOf(title)))
}

/** As GitHub makes it of a heading. */
export const anchorOf = (/** @type {string} */ title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
