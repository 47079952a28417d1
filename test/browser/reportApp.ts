import { build, type Rolldown } from 'vite'
import { createDemoServer } from '../../demo/server/demoServer.js'
import { createRecordHandler } from '../../docs/examples/deviceServer.js'
import { memoryTable } from '../../docs/examples/deviceTable.js'
import { createSimulatedBrowser } from '../../src/tools/testing/simulatedBrowser.js'
import { type HttpRequest, startHttpServer } from '../support/httpServer.js'

/** An app, its backend and the MCP server of the demo on one origin. The server's clock stands still, so a report takes as long as a test likes. */
export interface ReportApp {
  readonly url: string
  /** Everything that came over the network, in order. */
  readonly requests: readonly HttpRequest[]
  /** Those of one JSON-RPC method. */
  received(method: string): HttpRequest[]
  /** Whether requests for tasks get no response. */
  isSilent: boolean
  /** Whether the connections of requests for tasks break off in the middle of the response. */
  isCut: boolean
  /** Lets every report be done. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** How long the server asks to be left alone between two polls. */
export const POLL_INTERVAL_MS = 500

let building: Promise<ReadonlyMap<string, string>> | undefined

/** Serves `reportPage.ts`, built as an app would build it, on a free port. */
export async function startReportApp(): Promise<ReportApp> {
  building ??= buildScripts({ report: 'test/browser/reportPage.ts' })
  const scripts = await building
  const clock = createSimulatedBrowser()
  const mcp = createDemoServer({ clock: { ...clock.openPage().environment }, pollIntervalMs: POLL_INTERVAL_MS })
  const path = '/api/task-records'
  const records = createRecordHandler({
    path,
    table: memoryTable(),
    userOf: () => Promise.resolve('ada'),
    now: Date.now,
  })
  const http = await startHttpServer({
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith(path)) return records(request)
      if (app.isSilent && request.headers.get('mcp-method') === 'tasks/get') return new Promise(() => {})
      if (app.isCut && request.headers.get('mcp-method') === 'tasks/get') return Promise.resolve(cutResponse())
      if (pathname === '/mcp') return mcp.fetch(request)
      const script = scripts.get(pathname)
      const [body, type] = script === undefined ? [pages[pathname] ?? '', 'html'] : [script, 'javascript']
      return Promise.resolve(new Response(body, { headers: { 'Content-Type': `text/${type}; charset=utf-8` } }))
    },
  })
  const app: ReportApp = {
    url: new URL('/', http.url).href,
    isSilent: false,
    isCut: false,
    requests: http.requests,
    received: (method) => http.requests.filter((request) => request.method === method),
    finish: () => clock.advance(60_000),
    close: async () => {
      await mcp.close()
      await http.close()
    },
  }
  return app
}

function cutResponse(): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    pull: (controller) => controller.error(new Error('cut off')),
  })
  return new Response(body, { headers: { 'Content-Type': 'application/json' } })
}

const pages: Record<string, string> = {
  '/': '<!doctype html><title>Report</title><body><script type="module" src="/report.js"></script>',
  '/elsewhere': '<!doctype html><title>Elsewhere</title>',
}

/** The scripts of an app by path: one a page, such as `/report.js`, and what they import. */
export async function buildScripts(input: Record<string, string>): Promise<ReadonlyMap<string, string>> {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { tsconfigPaths: true },
    build: {
      write: false,
      rolldownOptions: { input, output: { entryFileNames: '[name].js' } },
    },
  })) as Rolldown.RolldownOutput
  return new Map(output.flatMap((chunk) => (chunk.type === 'chunk' ? [[`/${chunk.fileName}`, chunk.code]] : [])))
}
