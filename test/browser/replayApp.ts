import { createServer } from 'vite'
import { createDemoServer } from '../../demo/server/demoServer.js'
import { nodeHandler } from '../../demo/server/nodeHandler.js'
import { components } from '../setup/components.js'

/** The page of the documentation that shows recordings, and an app with its MCP server that makes one. */
export async function startReplayApp(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const mcp = createDemoServer({ pollIntervalMs: 300 })
  const handle = nodeHandler(mcp)
  const vite = await createServer({
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    resolve: { tsconfigPaths: true, dedupe: ['vue'] },
    publicDir: false,
    cacheDir: `node_modules/.vite/replay-${process.env['VITEST_POOL_ID'] ?? ''}`,
    optimizeDeps: { noDiscovery: true, include: ['vue', 'zustand/vanilla', '@modelcontextprotocol/client'] },
    server: { port: 0, watch: null },
    plugins: [
      components(),
      {
        name: 'page',
        configureServer: ({ middlewares }) => {
          middlewares.use((request, response, next) => {
            const { pathname } = new URL(request.url ?? '/', 'http://localhost')
            if (pathname === '/mcp') return void handle(request, response)
            if (pathname !== '/') return next()
            const script = '<script type="module" src="/test/browser/replayPage.ts"></script>'
            response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Replay</title><body>${script}`)
          })
        },
      },
    ],
  })
  await vite.listen()
  const [url = ''] = vite.resolvedUrls?.local ?? []
  return {
    url,
    close: async () => {
      await vite.close()
      await mcp.close()
    },
  }
}
