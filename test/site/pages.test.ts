import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sidebar } from '../../docs/.vitepress/sidebar.js'
import { entriesOf, readEntries } from '../../scripts/site/api.mjs'
import { checkPage } from '../../scripts/site/checkSite.mjs'
import { withoutTests } from '../../scripts/site/footnotes.mjs'
import { codeFor, sectionsOf } from '../../scripts/site/frameworks.mjs'
import { keepDates, wholeWords } from '../../scripts/site/inlineCode.mjs'
import { aboutOf } from '../../scripts/site/llms.mjs'
import { commandsOf, MANAGERS } from '../../scripts/site/packageManagers.mjs'
import { filesOfProject } from '../../scripts/site/projects.mjs'
import { hrefOnSite, linksOnSite, REPOSITORY } from '../../scripts/site/repositoryLinks.mjs'

describe('a link of a page', () => {
  const kinds: Record<string, 'file' | 'folder'> = {
    'docs/server.md': 'file',
    'docs/examples/react.tsx': 'file',
    'README.md': 'file',
    'docs/project/durability.md': 'file',
    'examples/vue': 'folder',
  }
  const onSite = (href: string, page: string) => hrefOnSite(href, page, (path) => kinds[path])

  test('leads to the repository where it names a file that is no page', () => {
    expect(onSite('../README.md#errors', 'server.md')).toBe(`${REPOSITORY}/blob/main/README.md#errors`)
    expect(onSite('examples/react.tsx', 'server.md')).toBe(`${REPOSITORY}/blob/main/docs/examples/react.tsx`)
    expect(onSite('../../examples/vue', 'examples/vue.md')).toBe(`${REPOSITORY}/tree/main/examples/vue`)
  })

  test('leads to the repository where it names a page for contributors', () => {
    expect(onSite('project/durability.md#how-long', 'durability.md')).toBe(
      `${REPOSITORY}/blob/main/docs/project/durability.md#how-long`,
    )
  })

  test('is left alone where it leads to a page, to another host, to a heading or nowhere', () => {
    for (const href of ['../server.md#push', 'https://example.com/README.md', '#push', '/api/react', 'none.md']) {
      expect(onSite(href, 'examples/vue.md')).toBeUndefined()
    }
  })

  test('is rewritten in the Markdown that programs read, too', () => {
    expect(linksOnSite('See [it](../README.md) and [that](server.md).', 'lite.md')).toBe(
      `See [it](${REPOSITORY}/blob/main/README.md) and [that](server.md).`,
    )
  })
})

describe('the API reference', () => {
  test('has a page for each path that an app can import', () => {
    expect(entriesOf({ '.': {}, './server/redis': {}, './package.json': '' })).toEqual([
      { name: 'taskwire', source: 'src/index.ts', page: 'taskwire.md' },
      { name: 'taskwire/server/redis', source: 'src/server-redis.ts', page: 'server-redis.md' },
    ])
  })

  test.each(readEntries())('begins with a sentence about $name', ({ source }) => {
    expect(readFileSync(source, 'utf8')).toMatch(/^\/\*\*\n \* [A-Z][\s\S]*?\.\n \*\n \* @packageDocumentation/)
  })

  test('is made of sources that are there', () => {
    const sources = new Set(readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => `src/${path}`))
    expect(
      readEntries().filter(
        ({ source }) => !sources.has(source.replaceAll('/', sources.has('src\\index.ts') ? '\\' : '/')),
      ),
    ).toEqual([])
  })
})

describe('what llms.txt says about a page', () => {
  test('is the first sentence of its first paragraph', () => {
    expect(aboutOf('# Title\n\n```ts\ncode. x\n```\n\nA [client](a.md) that\npolls. And more.')).toBe(
      'A client that polls.',
    )
  })

  test('is not what only introduces code', () => {
    expect(aboutOf('# Title\n\n`src/main.ts`:\n\nIt runs in the page.')).toBe('It runs in the page.')
  })
})

describe('a page of the built site', () => {
  const files: Record<string, string> = {
    'index.html': '<h1 id="top"></h1>',
    'guide/a.html': '<h2 id="caf&eacute;">',
    'llms.txt': 'text',
    'replay.html': '',
  }
  const check = (html: string) => checkPage(html, 'guide/a.html', '/base/', (path) => files[path])

  test('may link to pages, their headings, files and other hosts', () => {
    const links = [
      '/base/',
      '/base/#top',
      '../index.html',
      '/base/llms.txt',
      '/base/guide/a',
      'https://example.com/',
      '#',
      // A recording.
      '/base/replay#1.1Vw_',
    ]
    expect(check(links.map((to) => `<a class="x" href="${to}">`).join(''))).toEqual([])
  })

  test('has a problem with each address that leads nowhere, and with what is loaded from elsewhere', () => {
    const links = ['/base/b.html', '/base/#bottom', '/index.html'].map((to) => `<a href="${to}">`).join('')
    expect(check(`${links}<script src="https://example.com/x.js"></script>`)).toEqual([
      '/base/b.html leads nowhere.',
      '/base/#bottom leads to no heading.',
      '/index.html is outside of /base/.',
      'https://example.com/x.js is loaded from elsewhere.',
    ])
  })
})

describe('the pages for users', () => {
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'index.md')

  test('are all in the navigation, each once', () => {
    const links = sidebar.flatMap(({ items = [] }) => items.map(({ link = '' }) => link))
    expect(links.filter((link) => !/^\/(?:live|examples)\//.test(link)).sort()).toEqual(
      pages.map((name) => `/${name.slice(0, -'.md'.length)}`).sort(),
    )
  })

  test.each(pages)('%s names no command and no decision of contributors', (name) => {
    const text = readFileSync(`docs/${name}`, 'utf8')
    expect(
      withoutTests(text).match(/npm run (?:size|bench|chaos|fuzz|mutation|conformance|docs|test:)|\]\(decisions\//g),
    ).toBeNull()
  })
})

describe('a footnote', () => {
  test('that cites a test is not on the site, nor is the mark that leads to it', () => {
    const page = 'It holds[^a], and more[^b].\n\n[^a]: In [a](../test/a.test.ts): "is one".\n[^b]: A word about it.\n'
    expect(withoutTests(page)).toBe('It holds, and more[^b].\n\n[^b]: A word about it.\n')
  })
})

describe('a block of commands', () => {
  test.each([
    [
      'npm install -D a @b/c   # for d',
      ['pnpm add -D a @b/c   # for d', 'yarn add -D a @b/c   # for d', 'bun add -D a @b/c   # for d'],
    ],
    [
      'npm install && npm run dev',
      ['pnpm install && pnpm run dev', 'yarn install && yarn run dev', 'bun install && bun run dev'],
    ],
    [
      'npm create vite@latest -- --template vue-ts',
      [
        'pnpm create vite@latest --template vue-ts',
        'yarn create vite@latest --template vue-ts',
        'bun create vite@latest --template vue-ts',
      ],
    ],
    [
      'npm create vite@latest my-app -- --template vue-ts\ncd my-app',
      ['pnpm', 'yarn', 'bun'].map((name) => `${name} create vite@latest my-app --template vue-ts\ncd my-app`),
    ],
    [
      'npx taskwire types /mcp',
      ['pnpm exec taskwire types /mcp', 'yarn taskwire types /mcp', 'bunx taskwire types /mcp'],
    ],
    ['npx sv create', ['pnpm dlx sv create', 'yarn dlx sv create', 'bunx sv create']],
  ])('%s has the words of each package manager', (code, others) => {
    expect(MANAGERS.map((manager) => commandsOf(code, manager))).toEqual([code, ...others])
  })

  test.each(['npm pkg set type=module', 'git clone x', 'npm init --yes && npm install a'])(
    '%s is left as it is',
    (code) => {
      expect(commandsOf(code, 'pnpm')).toBeUndefined()
    },
  )
})

test('a section that has the name of a framework is for its users, up to the next heading that is not below it', () => {
  const heading = (level: number, content: string) => [
    { type: 'heading_open', tag: `h${level}`, content: '' },
    { type: 'inline', tag: '', content },
  ]
  const page = [heading(1, 'Vue'), heading(2, 'React'), heading(3, 'More'), heading(2, 'Next'), heading(2, 'Edges')]
  expect(sectionsOf(page.flat())).toEqual([
    { from: 2, to: 6, framework: 'react' },
    { from: 6, to: 8, framework: 'react' },
  ])
})

test('code that begins an app is shown for each framework', () => {
  const config = "import react from '@vitejs/plugin-react'\n\nexport default { plugins: [react(), mcp()] }\n"
  const command = 'npm create vite@latest my-app -- --template react-ts'
  expect(codeFor(command, 'svelte')).toBe('npm create vite@latest my-app -- --template svelte-ts')
  expect(codeFor(command, 'dom')).toBe('npm create vite@latest my-app -- --template vanilla-ts')
  expect(codeFor(config, 'react')).toBe(config)
  expect(codeFor(config, 'solid')).toBe(
    "import solid from 'vite-plugin-solid'\n\nexport default { plugins: [solid(), mcp()] }\n",
  )
  expect(codeFor(config, 'dom')).toBe('\nexport default { plugins: [mcp()] }\n')
})

test.each(['react', 'vanilla', 'ask'])(
  'the project of the live example %s has all that Vite needs, and nothing of this repository',
  (name) => {
    const files = filesOfProject(name)
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        '.gitignore',
        'index.html',
        'package.json',
        'server.ts',
        'tsconfig.json',
        'vite.config.ts',
      ]),
    )
    expect(JSON.parse(files['package.json'] ?? '')).toMatchObject({
      name: `taskwire-${name}`,
      scripts: { dev: 'vite' },
    })
    for (const [path, text] of Object.entries(files)) expect(text, path).not.toMatch(/from '(?:\.\.\/){2}/)
  },
)

test('a date in a sentence does not break at its hyphens', () => {
  const renderer = { rules: { text: () => 'as of 2025-11-25, and 12-34' } }
  keepDates({ renderer })
  expect(renderer.rules.text()).toBe('as of <span class="whole-word">2025-11-25</span>, and 12-34')
})

describe('code in a sentence', () => {
  test('breaks between words, and not at the hyphens of a word', () => {
    expect(wholeWords('npx taskwire gateway --allow-origin')).toBe(
      'npx taskwire gateway <span class="whole-word">--allow-origin</span>',
    )
    expect(wholeWords('vanilla-ts')).toBe('<span class="whole-word">vanilla-ts</span>')
    expect(wholeWords('my-app -- --template')).toBe(
      '<span class="whole-word">my-app</span> <span class="whole-word">-- --template</span>',
    )
  })

  test('breaks where it likes in short words without hyphens, and between the parts of a long word', () => {
    for (const code of ['client.callTool(name)', 'npx taskwire']) expect(wholeWords(code)).toBe(code)
    expect(wholeWords('@modelcontextprotocol/ext-tasks')).toBe('@modelcontextprotocol/<wbr>ext-tasks')
    expect(wholeWords('client.connect(withTasks(transport))')).toBe(
      'client.<wbr>connect(<wbr>withTasks(<wbr>transport))',
    )
  })
})
