import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchChromium } from '../browser/chromium.js'
import { readOptions } from '../support/readOptions.js'
import { callThrough } from './callThrough.js'
import { clickThrough } from './clickThrough.js'
import { formatTable, secondsSince } from './table.js'
import { tryBindings } from './tryBindings.js'
import { createWorkspace, type InstalledApp, type NodeVersion } from './workspace.js'

// Which versions are promised, and that they are kept: `npm run test:matrix` installs examples/vite-react with the oldest of
// all packages, the newest of all, and so that any two of them meet once, checks its types with two compilers, builds it, and
// uses it in Chromium and in Node. The other bindings keep the contract of test/bindings with the oldest and the newest
// versions of their framework. `--write` puts both tables into docs/versions.md.

const { values } = readOptions('test:matrix', {
  '--packed FILE': 'the package, where `npm pack` has made it already',
  '--write': 'writes the tables',
})

interface Combination {
  readonly node: NodeVersion
  readonly react: '18' | '19'
  readonly query: 'oldest' | 'newest'
  readonly sdk: keyof typeof SDK
}

/**
 * The first has the oldest of all and the second the newest; in the first six, any two versions meet. The last one has the SDK
 * client that MCP Inspector pins, beside the newest of the others.
 */
const COMBINATIONS: readonly Combination[] = [
  { node: '20', react: '18', query: 'oldest', sdk: 'oldest' },
  { node: '24', react: '19', query: 'newest', sdk: 'newest' },
  { node: '22', react: '18', query: 'newest', sdk: 'oldest' },
  { node: '22', react: '19', query: 'oldest', sdk: 'newest' },
  { node: '20', react: '19', query: 'newest', sdk: 'oldest' },
  { node: '24', react: '18', query: 'oldest', sdk: 'newest' },
  { node: '22', react: '19', query: 'newest', sdk: 'pinned' },
]

const REACT = {
  18: { react: '18.0.0', 'react-dom': '18.0.0', '@types/react': '^18', '@types/react-dom': '^18' },
  19: { react: '^19', 'react-dom': '^19', '@types/react': '^19', '@types/react-dom': '^19' },
}
const QUERY = { oldest: '5.79.0', newest: '^5' }
const SDK = { oldest: '2.1.0', pinned: '2.3.1', newest: '^2' }

type Row = Record<'Node' | 'React' | 'TanStack Query' | 'SDK client' | 'outcome', string>

const startedAt = Date.now()
const workspace = await createWorkspace(values.packed)
const browser = await launchChromium({ source: 'any' })
const rows: Row[] = []
for (const combination of COMBINATIONS) rows.push(await tryCombination(combination))
await browser.close()
const bindings = await tryBindings(workspace)
await workspace.remove()
const tables = [formatTable(rows), formatTable(bindings)]
console.log(`\n${tables.join('\n\n')}\n\n${rows.length + bindings.length} combinations in ${secondsSince(startedAt)}`)
if (values.write) await writeTables(tables)
process.exit(process.exitCode ?? 0)

async function tryCombination({ node, react, query, sdk }: Combination): Promise<Row> {
  const start = Date.now()
  const row: Row = { Node: node, React: react, 'TanStack Query': query, 'SDK client': sdk, outcome: 'failed' }
  try {
    const versions = {
      ...REACT[react],
      '@tanstack/react-query': QUERY[query],
      '@modelcontextprotocol/client': SDK[sdk],
    }
    const app = await workspace.install('vite-react', { node, versions })
    row.Node = (await app.run(['node', '--version'])).trim().slice(1)
    row.React = await versionOf(app, 'react')
    row['TanStack Query'] = await versionOf(app, '@tanstack/react-query')
    row['SDK client'] = await versionOf(app, '@modelcontextprotocol/client')
    await app.checkTypes('ts5')
    await app.checkTypes('ts7')
    await app.run(['vite', 'build'])
    const running = await app.start(['vite', 'preview', '--host', '127.0.0.1', '--port', 'PORT', '--strictPort'])
    try {
      await callThrough(app, running.url)
      await clickThrough(browser, running.url)
    } finally {
      await running.stop()
    }
    row.outcome = 'works'
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
  console.log(`${Object.values(row).join(', ')}: ${secondsSince(start)}`)
  return row
}

async function versionOf({ path }: InstalledApp, name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(path, 'node_modules', name, 'package.json'), 'utf8'))
  return version
}

/** In the places of the first tables of the page. */
async function writeTables(tables: readonly string[]): Promise<void> {
  const file = 'docs/versions.md'
  const page = await readFile(file, 'utf8')
  const left = [...tables]
  await writeFile(
    file,
    page.replace(/^\|.*(?:\n\|.*)*/gm, (table) => left.shift() ?? table),
  )
}
