import footnotes from 'markdown-it-footnote'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../../scripts/links.mjs'
import { readEntries } from '../../scripts/site/api.mjs'
import { writeLlms } from '../../scripts/site/llms.mjs'
import { linkToRepository, REPOSITORY } from '../../scripts/site/repositoryLinks.mjs'
import { sidebar } from './sidebar.ts'

/** The folder of the host that the site is in, with a slash at both ends. Pages name it, so it is known at build time. */
const base = process.env['DOCS_BASE'] ?? '/'

const title = 'Taskwire'
const description =
  'MCP tool calls that take minutes, in the browser: one hook or one store, and a reload loses nothing.'

const live = {
  text: 'Live examples',
  items: [
    { text: 'React', link: '/live/react' },
    { text: 'Plain DOM', link: '/live/vanilla' },
    { text: 'Several tabs', link: '/live/tabs' },
    { text: 'Ask the user', link: '/live/ask' },
  ],
}

/** Pages made of the TSDoc of the sources, one for each entry. */
const reference = {
  text: 'API reference',
  collapsed: true,
  items: readEntries().map(({ name, page }) => ({ text: name, link: `/api/${page.replace(/\.md$/, '')}` })),
}
const decisions = sidebar.filter(({ text }) => text === 'Decisions')
const guide = sidebar.filter((section) => !decisions.includes(section))

export default defineConfig({
  title,
  description,
  lang: 'en-GB',
  base,
  // Code that pages show is no page, and neither is the template of decisions.
  srcExclude: ['node_modules/**', 'decisions/000-template.md'],
  // Fails the build. `npm run docs` checks the anchors, too.
  ignoreDeadLinks: false,
  // Visitors of a small site go on to the next page soon enough; a landing page that fetches ten others is slow.
  router: { prefetchLinks: false },
  head: [['link', { rel: 'icon', href: `${base}favicon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    // As on GitHub, where the same pages are read.
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => void md.use(footnotes).core.ruler.push('links-to-repository', linkToRepository),
  },
  buildEnd: ({ outDir }) => writeLlms({ outDir, base, title, description, sections: [live, ...guide, reference] }),
  // Live examples are made of the sources and of examples/.
  vite: { server: { fs: { allow: ['..'] } } },
  themeConfig: {
    siteTitle: 'Taskwire',
    logo: '/favicon.svg',
    sidebar: [live, ...guide, reference, ...decisions],
    nav: [
      { text: 'Guide', link: guide[0]?.items?.[0]?.link ?? '/' },
      { text: 'Live', link: '/live/react', activeMatch: '^/live/' },
      { text: 'API', link: '/api/taskwire', activeMatch: '^/api/' },
    ],
    outline: [2, 3],
    externalLinkIcon: true,
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    search: {
      provider: 'local',
      options: {
        // What was decided years ago is no answer to a question about an API.
        _render: (source, env, md) => (/^decisions\//.test(env.relativePath) ? '' : md.render(source, env)),
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
