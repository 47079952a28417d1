import { createServer, type Plugin } from 'vite'
import type { LoggedRequest } from '../../demo/server/requestLog.js'

/** The demo as `npm run demo` serves it, on a free port, with the log of what its MCP server was asked. */
export interface DemoServer {
  readonly url: string
  requests(): Promise<LoggedRequest[]>
  clear(): Promise<void>
  /** Breaks the connection of each request for a method; none, if it is undefined. */
  cut(method: string | undefined): void
  close(): Promise<void>
}

export async function startDemo(): Promise<DemoServer> {
  let broken: string | undefined
  const breaker: Plugin = {
    name: 'test:breaker',
    enforce: 'pre',
    configureServer: ({ middlewares }) =>
      void middlewares.use((request, _, next) => {
        if (broken !== undefined && request.headers['mcp-method'] === broken) request.socket.destroy()
        else next()
      }),
  }
  const vite = await createServer({
    configFile: 'demo/vite.config.ts',
    logLevel: 'error',
    plugins: [breaker],
    // Not the cache of an `npm run demo` that may be running.
    cacheDir: 'node_modules/.vite-demo-test',
    // Whoever edits a file meanwhile must not reload the page under test. (`watch: null` would be lost in the merge.)
    server: { port: 0, strictPort: false, watch: { ignored: '**' } },
  })
  await vite.listen()
  const [url = ''] = vite.resolvedUrls?.local ?? []
  const log = new URL('__requests', url)
  return {
    url,
    requests: async () => (await fetch(log)).json() as Promise<LoggedRequest[]>,
    clear: async () => void (await fetch(log, { method: 'DELETE' })),
    cut: (method) => {
      broken = method
    },
    close: () => vite.close(),
  }
}
