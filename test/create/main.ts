import { match, strictEqual } from 'node:assert'
import { appendFile, copyFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { TEMPLATE_NAMES, type Template } from '../../create/src/templates.js'
import { launchChromium } from '../browser/chromium.js'
import { callThrough } from '../examples/callThrough.js'
import { clickThrough, declineThrough, generate, untilProgress, watchPage } from '../examples/clickThrough.js'
import { formatTable, secondsSince } from '../examples/table.js'
import { createWorkspace, type InstalledApp, type RunningApp, type Workspace } from '../examples/workspace.js'
import { readOptions } from '../support/readOptions.js'
import { LOST } from './durablePromises.js'
import { promisesThrough } from './promisesThrough.js'

// What a newcomer does, with the packed packages: `npm create taskwire` in an empty folder, `npm install`, `npm test`,
// `npm run build`, `npm start`, and a report in Chromium; then the development server, its types, and an edit of the tool while it
// runs. The app with Next is then switched to a client in the backend, as docs/backend.md says, and built and used once more; there
// each promise of docs/durability.md is walked, while the backend and its MCP server are killed.
// `npm run test:create`, or `npm run test:create -- next` for one template. Prints a table.

const { values, positionals } = readOptions(
  'test:create',
  {
    '--keep': 'leaves the temporary folder there',
    '--packed FILE': 'the package taskwire, where `npm pack` has made it already',
    '--screenshots FOLDER': 'of the pages, in two widths, light and dark',
  },
  `[${TEMPLATE_NAMES.join('] [')}]`,
)
const asked = TEMPLATE_NAMES.filter((name) => positionals.length === 0 || positionals.includes(name))
if (asked.length < positionals.length) {
  console.error(`There is no such template. The templates are: ${TEMPLATE_NAMES.join(', ')}.`)
  process.exit(2)
}

/** The development server of each template, and where its tool and the types of it are. */
const DEVELOPMENT = {
  react: {
    options: ['--host', '127.0.0.1', '--port', 'PORT', '--strictPort'],
    tool: 'server.ts',
    types: 'src/taskwire.gen.ts',
  },
  next: {
    options: ['--hostname', '127.0.0.1', '--port', 'PORT'],
    tool: 'lib/reports.ts',
    types: 'app/taskwire.gen.ts',
  },
} satisfies Record<Template, unknown>

type Row = Record<'template' | 'create' | 'install' | 'test' | 'build' | 'use' | 'dev' | 'backend' | 'promises', string>

const startedAt = Date.now()
const workspace = await createWorkspace(values.packed)
const command = await workspace.pack('create')
console.log(`packed in ${secondsSince(startedAt)}`)
const browser = await launchChromium({ source: 'any' })
const rows: Row[] = []
for (const template of asked) rows.push(await tryTemplate(template, workspace, browser))
await browser.close()
if (values.keep) console.log(`kept: ${workspace.folder}`)
else await workspace.remove()
console.log(`\n${formatTable(rows)}\n\n${rows.length} templates in ${secondsSince(startedAt)}`)
process.exit(process.exitCode ?? 0)

async function tryTemplate(template: Template, workspace: Workspace, browser: Browser): Promise<Row> {
  const steps = { create: '', install: '', test: '', build: '', use: '', dev: '', backend: '', promises: '' }
  const row: Row = { template, ...steps }
  /** Runs a step, and notes how long it took or that it failed. */
  async function step<T>(column: keyof Row, work: () => Promise<T>): Promise<T> {
    const start = Date.now()
    row[column] = 'FAILED'
    const outcome = await work()
    row[column] = secondsSince(start)
    return outcome
  }
  console.log(`== ${template}`)
  try {
    const created = await step('create', () => create(template, workspace))
    const app = await step('install', () => workspace.install(template, { from: created }))
    match(await step('test', () => app.run(['npm', 'test'])), /4 passed/)
    await step('build', async () => refuseWarnings(await app.run(['npm', 'run', 'build'])))
    const screenshots = values.screenshots && join(values.screenshots, template)
    await step('use', () => use(app, browser, screenshots))
    await step('dev', () => develop(app, template, browser))
    if (template !== 'next') return row
    await step('backend', () => switchToBackend(app, browser))
    await step('promises', () => promisesThrough(app, browser))
  } catch (error) {
    console.error(`${template}: ${(error as Error).message}`)
    process.exitCode = 1
  }
  return row
}

/** Runs the packed command as `npm create` does, and resolves to the folder of the app. */
async function create(template: Template, workspace: Workspace): Promise<string> {
  const cwd = await mkdtemp(join(workspace.folder, 'empty-'))
  const words = ['npm', 'exec', '--yes', `--package=${command}`, '--', 'create-taskwire']
  const printed = await workspace.run([...words, 'my-app', '--template', template], cwd)
  match(printed, /^ {2}cd my-app\n {2}npm install\n {2}npm run dev$/m)
  strictEqual((await readdir(cwd)).join(), 'my-app')
  const { name } = JSON.parse(await readFile(join(cwd, 'my-app/package.json'), 'utf8'))
  strictEqual(name, 'my-app')
  match(await readFile(join(cwd, 'my-app/.gitignore'), 'utf8'), /^node_modules$/m)
  return join(cwd, 'my-app')
}

/** Uses what was built, as a page and as a server. */
async function use(app: InstalledApp, browser: Browser, screenshots: string | undefined): Promise<void> {
  const running = await app.start(['npm', 'start'])
  try {
    await callThrough(app, running.url)
    await clickThrough(browser, running.url, screenshots)
    await declineThrough(browser, running.url, screenshots)
    refuseComplaints(running.printed())
  } finally {
    await running.stop()
  }
}

/** The development server has the page, and the tools whose types are there. A report outlives an edit of its tool. */
async function develop(app: InstalledApp, template: Template, browser: Browser): Promise<void> {
  const { options, tool, types } = DEVELOPMENT[template]
  const running = await app.start(['npm', 'run', 'dev', '--', ...options])
  try {
    const page = await fetch(running.url)
    strictEqual(page.status, 200)
    match(await app.run(['taskwire', 'types', `${running.url}mcp`, '--check', '--out', types]), / fits: 1 tool\./)
    await editWhileItRuns(browser, running.url, join(app.path, tool))
    refuseComplaints(running.printed())
  } finally {
    await running.stop()
  }
}

async function editWhileItRuns(browser: Browser, url: string, tool: string): Promise<void> {
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const { calls } = watchPage(context)
  try {
    const tab = await context.newPage()
    await tab.goto(url)
    await tab.waitForLoadState('networkidle')
    await generate(tab, 'Q3')
    await untilProgress(tab, 1)
    await appendFile(tool, '\n// An edit, after which the development server loads this file again.\n')
    await tab.getByText(/sold 4,200 pieces in Q3/).waitFor()
    strictEqual(calls(), 1, `the tool was called ${calls()} times`)
  } finally {
    await context.close()
  }
}

/** One import and one route: the client moves into the backend, and the page stays as it is. */
async function switchToBackend(app: InstalledApp, browser: Browser): Promise<void> {
  const client = join(app.path, 'app/client.ts')
  const before = await readFile(client, 'utf8')
  const after = before.replace(
    "import { createTaskClient } from 'taskwire'",
    "import { createTaskClient } from 'taskwire/bridge'",
  )
  strictEqual(after.length, before.length + '/bridge'.length)
  await writeFile(client, after)
  await copyFile('examples/backend-next/app/mcp/route.ts', join(app.path, 'app/mcp/route.ts'))
  match(await app.run(['npm', 'test']), /4 passed/)
  refuseWarnings(await app.run(['npm', 'run', 'build']))
  let running = await app.start(['npm', 'start'])
  try {
    await clickThrough(browser, running.url)
    refuseComplaints(running.printed())
    running = await killInMidTask(app, running, browser)
    refuseComplaints(running.printed())
  } finally {
    await running.stop()
  }
}

/** The MCP server is in the process that is killed, with its tasks in memory: the page says so, and makes the next report. */
async function killInMidTask(app: InstalledApp, running: RunningApp, browser: Browser): Promise<RunningApp> {
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(running.url)
  await generate(page, 'Q3')
  await untilProgress(page, 1)
  await running.kill()
  const next = await app.start(['npm', 'start'], { port: Number(new URL(running.url).port) })
  await page.getByText(LOST).waitFor()
  await page.reload()
  await page.getByText(LOST).waitFor()
  await generate(page, 'Q3')
  await page.getByText(/sold 4,200 pieces in Q3/).waitFor()
  await context.close()
  return next
}

/** A newcomer cannot tell which warning of a build matters. */
function refuseWarnings(printed: string): void {
  const lines = withoutNpm(printed)
  if (lines.some((line) => /warn|deprecat|unsupported|⚠|\(!\)/i.test(line)))
    throw new Error(`The build warns:\n${printed}`)
}

function refuseComplaints(printed: string): void {
  const lines = withoutNpm(printed)
  if (lines.some((line) => /error|warn|unhandled|cannot/i.test(line))) throw new Error(`Its server prints:\n${printed}`)
}

/** What npm says of the settings of this machine is no complaint of the app. */
function withoutNpm(printed: string): string[] {
  return printed.split('\n').filter((line) => !line.startsWith('npm warn'))
}
