import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from './chromium.js'
import type { runApp } from './workerPage.js'

let vite: ViteDevServer

beforeAll(async () => {
  vite = await createServer({
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    resolve: { tsconfigPaths: true },
    // Where the script of the service worker is.
    publicDir: 'node_modules/msw/lib',
    cacheDir: 'node_modules/.vite/worker-test',
    // All at once and first: what Vite finds later makes it reload the page.
    optimizeDeps: {
      noDiscovery: true,
      include: [
        '@modelcontextprotocol/client',
        '@modelcontextprotocol/server',
        'msw',
        'msw/browser',
        'zod',
        'zustand/vanilla',
      ],
    },
    server: { port: 0, watch: null },
    plugins: [
      {
        name: 'page',
        configureServer: ({ middlewares }) => {
          middlewares.use((request, response, next) => {
            if (request.url !== '/') return next()
            response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>An app</title>')
          })
        },
      },
    ],
  })
  await vite.listen()
})

afterAll(() => vite?.close())

test('taskHandlers serve tasks in a browser, by the service worker of msw', async () => {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const complaints: unknown[] = []
    page.on('pageerror', (error) => complaints.push(error))
    await page.goto(vite.resolvedUrls?.local[0] ?? '')
    // A string: in a function, the import would be one of Vitest.
    const outcome = await page.evaluate<Awaited<ReturnType<typeof runApp>>>(
      "import('/test/browser/workerPage.ts').then(({ runApp }) => runApp())",
    )
    expect(outcome).toMatchObject({
      scripted: { content: [{ type: 'text', text: 'done' }] },
      problems: ['network', 'http', 'malformed'],
      polls: 4,
      counted: { content: [{ type: 'text', text: 'counted to 300' }] },
    })
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})
