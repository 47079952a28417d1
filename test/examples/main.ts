import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../browser/chromium.js'
import { readOptions } from '../support/readOptions.js'
import { callThrough } from './callThrough.js'
import { chatThrough } from './chatThrough.js'
import { clickThrough } from './clickThrough.js'
import { EXAMPLES, type Example } from './examples.js'
import { sleepThrough } from './sleepThrough.js'
import { formatTable, secondsSince } from './table.js'
import { usersThrough } from './usersThrough.js'
import { createWorkspace, type Workspace } from './workspace.js'

// Installs each app of examples/ with the packed package, checks its types with two compilers, builds it, starts it, and
// uses it: `npm run test:examples`, or `npm run test:examples -- vanilla vue` for these. Prints a table.

const { values, positionals } = readOptions(
  'test:examples',
  {
    '--keep': 'leaves the temporary folder there',
    '--packed FILE': 'the package, where `npm pack` has made it already',
    '--newest': 'with the newest version of each package, whatever its package.json says',
    '--screenshots FOLDER': 'of the pages, in two widths, light and dark',
  },
  '[EXAMPLE …]',
)
const unknown = positionals.find((name) => !EXAMPLES.some((example) => example.name === name))
if (unknown !== undefined) {
  console.error(`There is no example ${unknown}. The examples are: ${EXAMPLES.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

/** Types of Node are those of the Node that runs, and a compiler is chosen by the framework. */
const KEPT = ['@types/node', 'taskwire', 'typescript']

type Row = Record<'example' | 'install' | 'types' | 'build' | 'use' | 'bytes', string>

const asked = EXAMPLES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const startedAt = Date.now()
const workspace = await createWorkspace(values.packed)
console.log(`packed in ${secondsSince(startedAt)}`)
const browser = await launchChromium({ source: 'any' })
const rows: Row[] = []
for (const example of asked) rows.push(await tryExample(example, workspace, browser))
await browser.close()
if (values.keep) console.log(`kept: ${workspace.folder}`)
else await workspace.remove()
console.log(`\n${formatTable(rows)}\n\n${rows.length} examples in ${secondsSince(startedAt)}`)
process.exit(process.exitCode ?? 0)

/** The newest version of each package of an example. */
function newestOf(name: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../examples', name, 'package.json'), 'utf8'))
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  return Object.fromEntries(packages.filter((one) => !KEPT.includes(one)).map((one) => [one, 'latest']))
}

async function tryExample(example: Example, workspace: Workspace, browser: Browser): Promise<Row> {
  const row: Row = { example: example.name, install: '', types: '', build: '', use: '', bytes: '' }
  /** Runs a step, and notes how long it took or that it failed. */
  async function step<T>(column: keyof Row, work: () => Promise<T>): Promise<T> {
    const start = Date.now()
    try {
      const outcome = await work()
      row[column] = secondsSince(start)
      return outcome
    } catch (error) {
      row[column] = 'FAILED'
      throw error
    }
  }
  console.log(`== ${example.name}`)
  try {
    const node = example.node !== undefined && isOlderThan(example.node) ? example.node : undefined
    const newest = values.newest ? newestOf(example.name) : {}
    const versions = { ...newest, ...(example.checker && { typescript: example.checker.typescript }) }
    const app = await step('install', () => workspace.install(example.name, { node, versions }))
    if (example.prepare !== undefined) await app.run(example.prepare)
    await step('types', async () => {
      if (example.checker !== undefined) await app.run(example.checker.command)
      await app.checkTypes('ts5', example.checker?.files)
      await app.checkTypes('ts7', example.checker?.files)
    })
    await step('build', async () => refuseWarnings(await app.run(['npm', 'run', 'build', '--if-present'])))
    const running = await app.start(example.start)
    try {
      if (example.kind === 'server' || example.name === 'next') await step('use', () => callThrough(app, running.url))
      if (example.kind === 'sleeper') await step('use', () => sleepThrough(app, running.url))
      else if (example.kind !== 'server') {
        const use = { chat: chatThrough, page: clickThrough, users: usersThrough }[example.kind]
        const { gzip } = await step('use', () =>
          use(browser, running.url, values.screenshots && join(values.screenshots, example.name)),
        )
        row.bytes = gzip.toLocaleString('en')
      }
      const complaint = running.printed().match(/^.*(?:error|warn|unhandled|cannot).*$/im)
      if (complaint !== null) throw new Error(`Its server prints:\n${running.printed()}`)
    } finally {
      await running.stop()
    }
  } catch (error) {
    console.error(`${example.name}: ${(error as Error).message}`)
    process.exitCode = 1
  }
  return row
}

/** What a build says of other packages is their affair; of ours, and of the files of the example, nothing is to be said. */
function refuseWarnings(printed: string): void {
  const isWarning = /warn|error|deprecat|unsupported|\(!\)/i
  const isOurs = /taskwire(?!-example)|\.config\.ts|server\.ts|src\//i
  // The list of the files that were built names some that have "error" in their names.
  const said = printed.replaceAll(/^.* kB │.*$/gm, '')
  const ours = said.split(/\n\s*\n/).filter((text) => isWarning.test(text) && isOurs.test(text))
  if (ours.length > 0) throw new Error(`The build warns:\n${ours.join('\n')}`)
}

function isOlderThan(major: string): boolean {
  return Number(process.versions.node.split('.')[0]) < Number(major)
}
