import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from './chromium.js'
import { startVitePage, type VitePage } from './vitePage.js'
import type { runApp } from './workerPage.js'

let vite: VitePage

beforeAll(async () => {
  vite = await startVitePage({
    title: 'An app',
    cache: 'worker-test',
    packages: [
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/server',
      'msw',
      'msw/browser',
      'zod',
      'zustand/vanilla',
    ],
    // Where the script of the service worker is.
    publicDir: 'node_modules/msw/lib',
  })
})

afterAll(() => vite?.close())

test('taskHandlers serve tasks in a browser, by the service worker of msw', async () => {
  const browser = await launchChromium({ source: 'any' })
  try {
    const page = await browser.newPage()
    const complaints: unknown[] = []
    page.on('pageerror', (error) => complaints.push(error))
    await page.goto(vite.url)
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
