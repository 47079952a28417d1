import { ok } from 'node:assert'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { InstalledApp, RunningApp } from '../examples/workspace.js'
import { freePort } from '../support/freePort.js'
import { type FaultyWay, startFaultyWay } from './faultyWay.js'

/** How long a visitor waits for anything, in ms: a report takes ten seconds, and the machine may be busy. */
export const PATIENCE_MS = 60_000

/** Somebody with a browser of their own. */
export interface Visitor {
  readonly name: string
  readonly context: BrowserContext
  /** Opens the page in another tab. */
  open(): Promise<Page>
  /** How often the MCP server was asked for this. */
  asked(method: string): number
}

/** A backend with the page, the MCP server in another process, and the way between them. */
export interface Stage {
  readonly way: FaultyWay
  /** Where the records of the backend are. */
  readonly records: string
  visitor(name: string): Promise<Visitor>
  /** Kills the backend, and starts it again. */
  killBackend(whileDown?: () => Promise<void>): Promise<void>
  /** Kills the MCP server, which has its tasks in memory, and starts it again. */
  killServer(): Promise<void>
  close(): Promise<void>
}

/** What turns the route of docs/backend.md into one whose MCP server is elsewhere, with the calls of each visitor apart. */
const CHANGES: readonly (readonly [string | RegExp, string])[] = [
  [', { server })', ', {})'],
  [/^import \{ server \}.*\n/m, ''],
  [/ *\/\/ Only this backend reaches[^{]*transportOptions: \{[^}]*\},\n/, "    headers: { 'x-user': user },\n"],
  ["'http://reports.internal/mcp'", "process.env['MCP_URL'] ?? ''"],
  ['create: () => ({', 'create: (user) => ({'],
  [/ *\/\/ Put the signed-in user(?:.|\n)*?(?= *clientOf)/, ''],
  ["() => pool.get('everybody')", 'clientOf'],
  [
    /$/,
    `
function clientOf(request: Request) {
  const [, user] = /user=([\\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  return user === undefined ? undefined : pool.get(user)
}
`,
  ],
]

/** Builds an app whose client is in the backend so that its MCP server can be a process of its own. */
export async function moveServerAway(app: InstalledApp): Promise<void> {
  await mkdir(join(app.path, 'app/server'), { recursive: true })
  await copyFile('examples/next/app/mcp/route.ts', join(app.path, 'app/server/route.ts'))
  const file = join(app.path, 'app/mcp/route.ts')
  let route = await readFile(file, 'utf8')
  for (const [before, after] of CHANGES) {
    const next = route.replace(before, after)
    ok(next !== route, `the route has no ${before}`)
    route = next
  }
  await writeFile(file, route)
  await app.run(['npm', 'run', 'build'])
}

export async function openStage(app: InstalledApp, browser: Browser): Promise<Stage> {
  const records = join(app.path, '.taskwire')
  await rm(records, { recursive: true, force: true })
  const [serverPort, port] = [await freePort(), await freePort()]
  const startServer = () => app.start(['npm', 'start'], { port: serverPort })
  let server = await startServer()
  const way = await startFaultyWay(`${server.url}server`)
  const startBackend = () => app.start(['npm', 'start'], { port, variables: { MCP_URL: way.url } })
  let backend: RunningApp = await startBackend()
  const { url } = backend
  return {
    way,
    records,
    visitor: async (name) => {
      const context = await browser.newContext()
      context.setDefaultTimeout(PATIENCE_MS)
      await context.addCookies([{ name: 'user', value: name, url }])
      const open = async () => {
        const page = await context.newPage()
        await page.goto(url)
        await page.getByRole('button', { name: 'Generate report' }).waitFor()
        return page
      }
      return { name, context, open, asked: (method) => way.of(name, method).length }
    },
    killBackend: async (whileDown) => {
      await backend.kill()
      await whileDown?.()
      backend = await startBackend()
    },
    killServer: async () => {
      await server.kill()
      server = await startServer()
    },
    close: async () => {
      await Promise.all([backend.kill(), server.kill()])
      await way.close()
    },
  }
}
