import footnotes from 'markdown-it-footnote'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../../scripts/links.mjs'
import { readEntries } from '../../scripts/site/api.mjs'
import { leaveTestsOut } from '../../scripts/site/footnotes.mjs'
import { markFrameworks, showFrameworks } from '../../scripts/site/frameworks.mjs'
import { keepDates, keepHyphens, keepOptions } from '../../scripts/site/inlineCode.mjs'
import { writeLlms } from '../../scripts/site/llms.mjs'
import { showPackageManagers } from '../../scripts/site/packageManagers.mjs'
import { linkToRepository, REPOSITORY } from '../../scripts/site/repositoryLinks.mjs'
import { sidebar } from './sidebar.ts'

/** The folder of the host that the site is in, with a slash at both ends. Pages name it, so it is known at build time. */
const base = process.env['DOCS_BASE'] ?? '/'

const title = 'Taskwire'
const description =
  'MCP tool calls that take minutes, in the browser: one hook or one store, and a reload loses nothing.'

/** Pages made of the TSDoc of the sources, one for each entry. */
const reference = {
  text: 'API reference',
  collapsed: true,
  items: readEntries().map(({ name, page }) => ({ text: name, link: `/api/${page.replace(/\.md$/, '')}` })),
}

/** Shows what the reader has chosen on another page, before anything is painted. */
const CHOICES = `for (const name of ['framework', 'manager']) try {
  const value = localStorage.getItem('taskwire-docs-' + name)
  if (value !== null) document.documentElement.dataset[name] = value
} catch {}`

export default defineConfig({
  title,
  description,
  lang: 'en-GB',
  base,
  // Contributors read their pages on GitHub.
  srcExclude: ['node_modules/**', 'decisions/**', 'project/**'],
  // Fails the build. `npm run docs` checks the anchors, too.
  ignoreDeadLinks: false,
  // Visitors of a small site go on to the next page soon enough; a landing page that fetches ten others is slow.
  router: { prefetchLinks: false },
  head: [
    ['script', {}, CHOICES],
    ['link', { rel: 'icon', href: `${base}favicon.svg`, type: 'image/svg+xml' }],
  ],
  markdown: {
    // As on GitHub, where the same pages are read.
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [keepOptions],
    config(md) {
      md.use(footnotes)
      md.core.ruler.before('normalize', 'footnotes-without-tests', leaveTestsOut)
      md.core.ruler.push('links-to-repository', linkToRepository)
      md.core.ruler.push('frameworks', markFrameworks)
      showPackageManagers(md)
      showFrameworks(md)
      keepHyphens(md)
      keepDates(md)
    },
  },
  buildEnd: ({ outDir }) => writeLlms({ outDir, base, title, description, sections: [...sidebar, reference] }),
  // Live examples are made of the sources and of examples/.
  // Pictures keep their names, by which the styles know the drawing that is too wide for a phone.
  vite: { server: { fs: { allow: ['..'] } }, build: { assetsInlineLimit: 0 } },
  themeConfig: {
    siteTitle: 'Taskwire',
    logo: '/favicon.svg',
    sidebar: [...sidebar, reference],
    nav: [
      { text: 'Guide', link: '/quick-start' },
      { text: 'Live', link: '/live/react', activeMatch: '^/live/' },
      { text: 'Demo', link: '/demo/', target: '_self' },
      { text: 'API', link: '/api/taskwire', activeMatch: '^/api/' },
    ],
    outline: [2, 3],
    externalLinkIcon: true,
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    search: {
      provider: 'local',
      options: {
        async _render(source, env, md) {
          const html = await md.renderAsync(source, Object.assign(env, { isSearch: true }))
          return env.frontmatter?.['search'] === false ? '' : html
        },
        miniSearch: {
          searchOptions: {
            // A question is searched for by its other words: these are on every page.
            processTerm: (term: string) =>
              [
                'a',
                'an',
                'and',
                'are',
                'can',
                'do',
                'does',
                'how',
                'i',
                'in',
                'is',
                'it',
                'my',
                'of',
                'or',
                'the',
                'to',
              ]
                .concat(['what', 'when', 'where', 'why', 'with'])
                .includes(term.toLowerCase())
                ? null
                : term.toLowerCase(),
            fuzzy: 0.2,
            prefix: true,
            boost: { title: 6, text: 2, titles: 1 },
            // A word of a question is met in a guide; a name of the API is in the reference alone, or nearly.
            boostDocument: (id: string) => (id.includes('/api/') ? 0.2 : id.includes('/examples/') ? 0.4 : 1),
          },
        },
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
