import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolCallState } from 'taskwire'
import { transformWithOxc } from 'vite'
import { expect, test } from 'vitest'
import { EXAMPLES } from './examples.js'

const repository = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const names = EXAMPLES.map(({ name }) => name).sort()

/** Where each example has its copy of the report server. */
const SERVERS = [
  ...['assistant-ui', 'copilotkit', 'vanilla', 'vite-react', 'existing-client', 'vue', 'solid'].map(
    (name) => `${name}/server.ts`,
  ),
  ...['express', 'hono', 'workers', 'workers-alarms'].map((name) => `${name}/src/reports.ts`),
  'backend-hono/server/reports.ts',
  'backend-next/lib/reports.ts',
  'next/lib/reports.ts',
  'sveltekit/src/lib/server/reports.ts',
]

test('every folder of examples/ is tried, has a page, and is in the table of the README', () => {
  expect(readdirSync(join(repository, 'examples')).sort()).toEqual(names)
  const pages = readdirSync(join(repository, 'docs/examples')).filter((file) => file.endsWith('.md'))
  expect(pages.sort()).toEqual(names.map((name) => `${name}.md`).sort())
  for (const name of names) expect(read('README.md')).toContain(`[${name}](docs/examples/${name}.md)`)
})

test('the page of every example says how to get it without a copy of the repository', () => {
  for (const name of names)
    expect(read(`docs/examples/${name}.md`), name).toMatch(
      new RegExp(
        `\n\`\`\`sh\ngit clone --depth 1 https://github.com/taskwire/taskwire\ncp -r taskwire/examples/${name} (\\w+) && cd \\1\n`,
      ),
    )
})

/** Their pages show the forms of input requests, so their server asks. The starters take it from them. */
const ASKING = ['backend-hono', 'backend-next', 'next', 'vite-react']

/** Servers of their own, which start again with none of the tasks they had. The others run in Vite or Next. */
const ALONE = ['express', 'hono', 'workers', 'workers-alarms']

test('each example has the same report server; where pages show forms it asks, and where an edit loads it again it keeps its tasks', () => {
  const nameOf = (path: string) => path.split('/')[0] ?? ''
  expect(SERVERS.map(nameOf).sort()).toEqual(names)
  const alone = SERVERS.filter((path) => ALONE.includes(nameOf(path)))
  const asking = SERVERS.filter((path) => ASKING.includes(nameOf(path)))
  const others = SERVERS.filter((path) => !asking.includes(path) && !alone.includes(path))
  for (const group of [alone, asking, others])
    for (const path of group) expect(read(`examples/${path}`), path).toBe(read(`examples/${group[0]}`))
  for (const path of [...asking, ...others]) expect(read(`examples/${path}`), path).toContain('store: kept.tasks')
})

test('the examples that show forms have the same ones', () => {
  const forms = ASKING.map((name) => `examples/${name}/${name.endsWith('next') ? 'app' : 'src'}/questions.tsx`)
  const [first, ...others] = forms.map((path) => read(path).replace("'use client'\n\n", ''))
  expect(first).toContain('InputRequest')
  for (const text of others) expect(text).toBe(first)
})

test.each([
  'docs/live/ask/src/main.tsx',
  'examples/existing-client/src/mcp.ts',
  'examples/solid/src/index.tsx',
  'examples/sveltekit/src/routes/+layout.svelte',
  'examples/vanilla/src/main.ts',
  'examples/vite-react/src/main.tsx',
  'examples/vue/src/main.ts',
])('%s shows the devtools in development only', (path) => {
  expect(read(path)).toMatch(/if \(!?import\.meta\.env\.DEV\)[\s\S]{0,60}import\('taskwire\/devtools'\)/)
})

const pages = names
  .flatMap((name) =>
    readdirSync(join(repository, 'examples', name), { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.includes('node_modules') && /\.(?:tsx?|vue|svelte)$/.test(path))
      .map((path) => `examples/${name}/${path}`),
  )
  .concat('create/templates/react/src/report.tsx')

test.each(pages.filter((path) => read(path).includes('You are offline.')))(
  '%s says that a report continues where it is being made, and nowhere else',
  async (path) => {
    const [source = ''] = /^function newsOf[\s\S]*?^}/m.exec(read(path)) ?? []
    const { code } = await transformWithOxc(`export ${source}`, 'newsOf.ts')
    const { newsOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    const said = (phase: ToolCallState['phase']) => newsOf({ network: 'offline', phase })
    expect(said('working')).toBe('You are offline. The report continues.')
    for (const phase of ['calling', 'input_required'] as const)
      expect(said(phase), phase).toBe('You are offline. Waiting for the network.')
  },
)

test('each page looks at isError before it shows the text of a result', () => {
  const showing = [...pages, 'docs/live/ask/src/Newsletter.tsx'].filter((path) =>
    /<output>|output\.textContent/.test(read(path)),
  )
  expect(showing.length).toBeGreaterThan(7)
  for (const path of showing) expect(read(path), path).toContain('isError')
})

test('each example takes this version of the package, and ranges like a starter', () => {
  const { version } = JSON.parse(read('package.json'))
  for (const name of names) {
    const { dependencies, devDependencies } = JSON.parse(read(`examples/${name}/package.json`))
    expect(dependencies.taskwire, name).toBe(`^${version}`)
    for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies }))
      expect(range, `${name}: ${dependency}`).toMatch(/^[\^~]\d/)
  }
})

test('the weekly workflow tries each example with the newest packages, in a job of its own', () => {
  const workflow = read('.github/workflows/examples.yml')
  expect([...workflow.matchAll(/^ {10}- (\S+)$/gm)].map(([, name]) => name)).toEqual(names)
})

test('the Durable Object sets an alarm before a page can start a call by it', () => {
  const source = read('examples/workers-alarms/src/calls.ts')
  const fetch = source.slice(source.indexOf('async fetch('))
  const [alarm, call] = ["if (request.method === 'POST') await this.#setAlarmInCase()", 'this.#bridge.fetch(']
  expect(fetch).toContain(alarm)
  expect(fetch.indexOf(call)).toBeGreaterThan(fetch.indexOf(alarm))
})
