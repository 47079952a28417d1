import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
  ...['express', 'hono', 'workers'].map((name) => `${name}/src/reports.ts`),
  'next/lib/reports.ts',
  'sveltekit/src/lib/server/reports.ts',
]

test('every folder of examples/ is tried, has a page, and is in the table of the README', () => {
  expect(readdirSync(join(repository, 'examples')).sort()).toEqual(names)
  const pages = readdirSync(join(repository, 'docs/examples')).filter((file) => file.endsWith('.md'))
  expect(pages.sort()).toEqual(names.map((name) => `${name}.md`))
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

test('each example has the same report server', () => {
  expect(SERVERS.map((path) => path.split('/')[0]).sort()).toEqual(names)
  const [first = '', ...others] = SERVERS
  for (const path of others) expect(read(`examples/${path}`), path).toBe(read(`examples/${first}`))
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
