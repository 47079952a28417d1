// llms.txt and llms-full.txt of the site, and the Markdown of each page that they name: for readers that are programs.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withoutTests } from './footnotes.mjs'
import { linksOnSite } from './repositoryLinks.mjs'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))

/**
 * @typedef {{ text?: string, link?: string, items?: Section[] }} Section of the sidebar, or a page in it
 * @typedef {{ title: string, path: string, markdown: string }} Page path: in docs/
 */

/**
 * @param {{ outDir: string, base: string, title: string, description: string, sections: Section[] }} site
 */
export async function writeLlms({ outDir, base, title, description, sections }) {
  const read = sections.map(async ({ text = '', items = [] }) => ({ text, pages: await Promise.all(pagesOf(items)) }))
  const chapters = await Promise.all(read)
  for (const { path, markdown } of chapters.flatMap(({ pages }) => pages)) {
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), markdown)
  }
  const head = `# ${title}\n\n> ${description}\n`
  await writeFile(join(outDir, 'llms.txt'), `${head}\n${chapters.map((one) => listOf(one, base)).join('\n')}`)
  // The reference is long, and editors have it: it is listed, not copied.
  const texts = chapters.flatMap(({ pages }) => pages.filter(({ path }) => !path.startsWith('api/')))
  await writeFile(join(outDir, 'llms-full.txt'), [head, ...texts.map(({ markdown }) => markdown)].join('\n'))
}

/**
 * @param {Section[]} items
 * @returns {Promise<Page>[]} each page of the section, in its order
 */
function pagesOf(items) {
  return items.flatMap(({ link, text = '', items: inner = [] }) => [
    ...(link === undefined ? [] : [readPage(link, text)]),
    ...pagesOf(inner),
  ])
}

/**
 * @param {string} link
 * @param {string} title
 * @returns {Promise<Page>}
 */
async function readPage(link, title) {
  const path = `${link.replace(/^\//, '').replace(/(^|\/)$/, '$1index')}.md`
  const markdown = await readFile(join(docs, path), 'utf8')
  return { title, path, markdown: linksOnSite(withoutTests(markdown.replace(/^---\n.*?\n---\n+/s, '')), path) }
}

/**
 * @param {{ text: string, pages: Page[] }} chapter
 * @param {string} base
 */
function listOf({ text, pages }, base) {
  const lines = pages.map(({ title, path, markdown }) => {
    const about = aboutOf(markdown)
    return `- [${title}](${base}${path})${about === '' ? '' : `: ${about}`}\n`
  })
  return `## ${text}\n\n${lines.join('')}`
}

/**
 * @param {string} markdown
 * @returns {string} the first sentence of the first paragraph, which says what the page is about
 */
export function aboutOf(markdown) {
  const blocks = markdown.replace(/^```.*?^```$/gms, '').split(/\n{2,}/)
  const paragraph = blocks.find((block) => /^[A-Za-z`*[]/.test(block.trim()) && !/:$/.test(block.trim())) ?? ''
  const text = paragraph
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text
}
