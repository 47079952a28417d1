import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../browser/chromium.js'
import { type FileServer, serveFiles } from '../browser/fileServer.js'
import { expectAccessible } from '../browser/studio.js'

const dist = join(import.meta.dirname, '../../docs/.vitepress/dist')

let files: FileServer
let browser: Browser

beforeAll(async () => {
  if (!existsSync(dist)) throw new Error('The site is not built: npm run docs:build.')
  ;[files, browser] = await Promise.all([serveFiles(dist, process.env['DOCS_BASE'] ?? '/'), launchChromium()])
})

afterAll(async () => {
  await browser?.close()
  files?.close()
})

/** A page of each kind: what differs between two of a kind is words. */
const PAGES = [
  '',
  'live/react.html',
  'server.html',
  'durability.html',
  'api/react.html',
  'decisions/140-site.html',
  '404.html',
]

test.for(PAGES)('the page /%s has nothing that axe finds, light and dark', async (path) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(files.url + path)
  if (path === '' || path.startsWith('live/')) {
    await page.frameLocator('iframe').getByRole('button', { name: 'Generate report' }).waitFor()
  }
  await expectAccessible(page)
  await context.close()
})

test.for(['', 'live/react.html', 'server.html', 'api/taskwire.html'])(
  'the page /%s fits a narrow screen',
  async (path) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 800 } })
    const page = await context.newPage()
    await page.goto(files.url + path)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await context.close()
  },
)

test('a search finds a symbol of the API, and no decision', async () => {
  const page = await browser.newPage()
  await page.goto(files.url)
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('useToolCallMutation')
  await page.locator('a.result[href*="/api/react"]').first().waitFor()
  expect(await page.locator('a.result[href*="/decisions/"]').count()).toBe(0)
  await page.close()
})
