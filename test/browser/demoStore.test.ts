import type { Browser, Page } from 'playwright-core'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { workingRecord } from '../../src/testing/workingRecord.js'
import { launchChromium } from './chromium.js'
import type { runContract } from './storePage.js'

let vite: ViteDevServer
let browser: Browser
let page: Page

beforeAll(async () => {
  vite = await createServer({
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    resolve: { tsconfigPaths: true },
    cacheDir: 'node_modules/.vite/store-test',
    // All at once and first: what Vite finds later makes it reload the page.
    optimizeDeps: {
      noDiscovery: true,
      include: ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'idb', 'zod', 'zustand/vanilla'],
    },
    server: { port: 0, watch: null },
    plugins: [
      {
        name: 'page',
        configureServer: ({ middlewares }) => {
          middlewares.use((request, response, next) => {
            if (request.url !== '/') return next()
            response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A store</title>')
          })
        },
      },
    ],
  })
  const [, started] = await Promise.all([vite.listen(), launchChromium()])
  browser = started
  page = await browser.newPage()
  await page.goto(vite.resolvedUrls?.local[0] ?? '')
})

afterAll(async () => {
  await browser?.close()
  await vite?.close()
})

test('the store of the static site does what every store must', async () => {
  const outcome = await page.evaluate<Awaited<ReturnType<typeof runContract>>>(
    "import('/test/browser/storePage.ts').then(({ runContract }) => runContract())",
  )
  expect(outcome.failed).toEqual([])
  expect(outcome.passed).toBeGreaterThan(10)
})

test('the store of the static site tells others of changes, and lets one of two through', async () => {
  const record = JSON.stringify(workingRecord('a'))
  const outcome = await page.evaluate(
    `import('/test/browser/storePage.ts').then(({ shareStore }) => shareStore(${record}))`,
  )
  expect(outcome).toEqual({ told: ['a', 1], changes: 1, seen: 2 })
})
