import { createDemoServer } from '../../demo/server/demoServer.js'
import { createSimulatedBrowser } from '../../src/tools/testing/simulatedBrowser.js'
import { type HttpRequest, startHttpServer } from '../support/httpServer.js'
import { buildScripts } from './reportApp.js'

/** The chat of `aiPage.tsx` and the MCP server of the demo on one origin. The server's clock stands still until it is told to go on. */
export interface AiApp {
  readonly url: string
  /** What came for one JSON-RPC method. */
  received(method: string): HttpRequest[]
  /** Lets the tool be done. */
  finish(): Promise<void>
  close(): Promise<void>
}

export async function startAiApp(): Promise<AiApp> {
  const scripts = await buildScripts({ ai: 'test/browser/aiPage.tsx' })
  const clock = createSimulatedBrowser()
  const mcp = createDemoServer({ clock: { ...clock.openPage().environment }, pollIntervalMs: 500 })
  const page = '<!doctype html><html lang="en"><title>Chat</title><body><script type="module" src="/ai.js"></script>'
  const http = await startHttpServer({
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/mcp') return mcp.fetch(request)
      const script = scripts.get(pathname)
      const [body, type] = script === undefined ? [page, 'html'] : [script, 'javascript']
      return Promise.resolve(new Response(body, { headers: { 'Content-Type': `text/${type}; charset=utf-8` } }))
    },
  })
  return {
    url: new URL('/', http.url).href,
    received: (method) => http.requests.filter((request) => request.method === method),
    finish: () => clock.advance(60_000),
    close: async () => {
      await mcp.close()
      await http.close()
    },
  }
}
