// Pages link to files of the repository by their path, which GitHub follows. On the site those that are no page of it
// lead to GitHub.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'

const { repository } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The address of the repository. */
export const REPOSITORY = String(repository.url).replace(/^git\+|\.git$/g, '')

/**
 * @param {string} href of a link, as the page has it
 * @param {string} page its path in docs/
 * @param {(path: string) => 'file' | 'folder' | undefined} kindOf what there is in the repository at a path
 * @returns {string | undefined} where the link leads on the site; undefined: where it says
 */
export function hrefOnSite(href, page, kindOf) {
  if (href === '' || /^(?:[a-z]+:|#|\/)/i.test(href)) return undefined
  const [path = '', anchor] = href.split('#')
  const target = posix.join('docs', posix.dirname(page), path)
  const kind = kindOf(target)
  // A page, or a dead link, which fails the build. Contributors read theirs on GitHub.
  const isPage = /^docs\/(?!decisions\/|project\/).*\.md$/.test(target)
  if (kind === undefined || isPage) return undefined
  return `${REPOSITORY}/${kind === 'folder' ? 'tree' : 'blob'}/main/${target}${anchor === undefined ? '' : `#${anchor}`}`
}

const root = new URL('../../', import.meta.url)

/** @param {string} path */
function kindInRepository(path) {
  const url = new URL(path, root)
  if (!existsSync(url)) return undefined
  return statSync(url).isDirectory() ? 'folder' : 'file'
}

/**
 * @param {string} markdown of a page
 * @param {string} page its path in docs/
 * @returns {string} with links that work on the site
 */
export function linksOnSite(markdown, page) {
  const link = /\]\((?<href>[^)\s]+)\)/g
  return markdown.replace(link, (whole, href) => {
    const onSite = hrefOnSite(href, page, kindInRepository)
    return onSite === undefined ? whole : `](${onSite})`
  })
}

/**
 * A rule of markdown-it.
 *
 * @param {{ tokens: Token[], env: { relativePath?: string } }} state
 *
 * @typedef {{ type: string, children: Token[] | null, attrGet(name: string): string | null, attrSet(name: string, value: string): void }} Token
 */
export function linkToRepository({ tokens, env }) {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type !== 'link_open') continue
    const href = hrefOnSite(token.attrGet('href') ?? '', env.relativePath ?? '', kindInRepository)
    if (href !== undefined) token.attrSet('href', href)
  }
}
