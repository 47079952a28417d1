import { createServer } from 'vite'
import type { LoggedRequest } from '../../demo/server/requestLog.js'

/** The demo as `npm run demo` serves it, on a free port, with the log of what its MCP server was asked. */
export interface DemoServer {
  readonly url: string
  requests(): Promise<LoggedRequest[]>
  clear(): Promise<void>
  close(): Promise<void>
}

export async function startDemo(): Promise<DemoServer> {
  const vite = await createServer({
    configFile: 'demo/vite.config.ts',
    logLevel: 'error',
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
    close: () => vite.close(),
  }
}
