import { extname } from 'node:path'
import { createTaskGateway, type TaskGateway } from 'taskwire/gateway'
import { build, createServer, type Plugin, type Rolldown } from 'vite'
import { nodeHandler } from '../../demo/server/nodeHandler.js'
import type { LoggedRequest } from '../../demo/server/requestLog.js'

/** The demo with its MCP server, on a free port, with the log of what that server was asked. */
export interface DemoServer {
  readonly url: string
  requests(): Promise<LoggedRequest[]>
  clear(): Promise<void>
  /** Breaks the connection of each request for a method; none, if it is undefined. */
  cut(method: string | undefined): void
  close(): Promise<void>
}

/**
 * Serves the demo as `npm run demo` does; with `isBundled` in few files, which a browser loads more than twice as fast. With
 * `hasGateway` its MCP server is a gateway in front of its server of MCP 2025-11-25.
 */
export async function startDemo({ isBundled = false, hasGateway = false } = {}): Promise<DemoServer> {
  let broken: string | undefined
  let gateway: TaskGateway | undefined
  const bundled = isBundled ? await bundle() : new Map<string, string | Uint8Array>()
  const breaker: Plugin = {
    name: 'test:breaker',
    enforce: 'pre',
    configureServer: ({ middlewares }) =>
      void middlewares.use((request, response, next) => {
        if (broken !== undefined && request.headers['mcp-method'] === broken) return request.socket.destroy()
        const path = new URL(request.url ?? '/', 'http://localhost').pathname
        if (path === '/mcp' && gateway !== undefined) return nodeHandler(gateway)(request, response)
        const file = bundled.get(path === '/' ? '/index.html' : path)
        if (file === undefined) return next()
        response.writeHead(200, { 'Content-Type': `${TYPES[extname(path)] ?? 'text/html'}; charset=utf-8` }).end(file)
      }),
  }
  const vite = await createServer({
    configFile: 'demo/vite.config.ts',
    logLevel: 'error',
    plugins: [breaker],
    // Not the cache of an `npm run demo` that may be running, nor that of a file that is tested at the same time.
    cacheDir: `node_modules/.vite-demo-test/${process.env['VITEST_POOL_ID'] ?? ''}`,
    // Whoever edits a file meanwhile must not reload the page under test. (`watch: null` would be lost in the merge.)
    server: { port: 0, strictPort: false, watch: { ignored: '**' } },
  })
  await vite.listen()
  const [url = ''] = vite.resolvedUrls?.local ?? []
  if (hasGateway) gateway = createTaskGateway({ url: new URL('mcp-legacy', url) })
  const log = new URL('__requests', url)
  return {
    url,
    requests: async () => (await fetch(log)).json() as Promise<LoggedRequest[]>,
    clear: async () => void (await fetch(log, { method: 'DELETE' })),
    cut: (method) => {
      broken = method
    },
    close: async () => {
      await gateway?.close()
      await vite.close()
    },
  }
}

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }

/** The files of the page, with the React of a development server, by their paths. */
async function bundle(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { output } = (await build({
    configFile: 'demo/vite.config.ts',
    mode: 'development',
    logLevel: 'error',
    build: { write: false, minify: false, reportCompressedSize: false },
  })) as Rolldown.RolldownOutput
  return new Map(output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]))
}
