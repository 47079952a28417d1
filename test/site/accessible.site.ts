import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../browser/chromium.js'
import { type FileServer, serveFiles } from '../browser/fileServer.js'

const dist = join(import.meta.dirname, '../../docs/.vitepress/dist')

let files: FileServer
let browser: Browser

beforeAll(async () => {
  if (!existsSync(dist)) throw new Error('The site is not built: npm run docs:build.')
  ;[files, browser] = await Promise.all([
    serveFiles(dist, process.env['DOCS_BASE'] ?? '/'),
    launchChromium({ source: 'any' }),
  ])
})

afterAll(async () => {
  await browser?.close()
  files?.close()
})

async function expectAccessible(page: Page, without: readonly string[]): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // A frame is a page of its own, with a main part of its own.
    const axe = new AxeBuilder({ page }).exclude('iframe')
    for (const selector of without) axe.exclude(selector)
    const { violations } = await axe.analyze()
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))])
    expect(found, colorScheme).toEqual([])
  }
}

/** A page of each kind: what differs between two of a kind is words. */
const PAGES = [
  '',
  'live/react.html',
  'live/frames/react/index.html',
  'quick-start.html',
  'server.html',
  'api/react.html',
  '404.html',
]

test.for(PAGES)('the page /%s has nothing that axe finds, light and dark', async (path) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(files.url + path)
  const isLive = path === '' || path.startsWith('live/')
  if (isLive) {
    const frame = path.includes('frames') ? page : page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Generate report' }).waitFor()
  }
  // Code has the same colours everywhere, and axe takes minutes for a page full of it.
  await expectAccessible(page, isLive ? [] : ['pre'])
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

test('no code has to be scrolled sideways on a screen of 1440 pixels', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const isPage = (path: string) => path.endsWith('.html') && !/^(?:api|demo|live.frames)\b/.test(path)
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(isPage)) {
    await page.goto(files.url + path.replaceAll('\\', '/'), { waitUntil: 'domcontentloaded' })
    const tooWide = await page.evaluate<string[]>(`[...document.querySelectorAll('main pre')]
      .filter((block) => block.scrollWidth > block.clientWidth)
      // A name of the SDK, which is longer than a line.
      .filter((block) => !block.textContent.includes("from '@modelcontextprotocol/sdk/client/streamableHttp.js'"))
      .map((block) => block.textContent)`)
    expect(tooWide, path).toEqual([])
  }
  await page.close()
}, 300_000)

test('a command breaks between its words, and not within an option', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
  await page.goto(`${files.url}quick-start.html`)
  const option = page.locator('.language-sh .whole-word', { hasText: '--template' }).first()
  await option.waitFor()
  expect((await option.boundingBox())?.height).toBeLessThan(24)
  await page.close()
})

test('commands, and the headings in the outline, are shown in whole', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
  const isCut = (selector: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('${selector}')]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.textContent)`)
  await page.goto(`${files.url}raw-requests.html`)
  expect(await isCut('.language-sh pre')).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const path of ['react.html', 'api/react.html']) {
    await page.goto(files.url + path)
    await page.locator('.VPDocAsideOutline .outline-link').first().waitFor()
    expect(await isCut('.VPDocAsideOutline .outline-link')).toEqual([])
  }
  await page.close()
})

test('no words of the drawing for a phone leave their box', async () => {
  const page = await browser.newPage()
  const drawing = readFileSync(join(import.meta.dirname, '../../docs/pictures/concepts-narrow.svg'), 'utf8')
  await page.setContent(drawing.replace('<svg', '<svg width="312"'))
  const outside = await page.evaluate<string[]>(`{
    const ends = [...document.querySelectorAll('rect')].map((rect) => rect.getBBox())
    const isIn = ({ x, y }, box) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height
    ;[...document.querySelectorAll('text')].filter((text) => {
      const box = text.getBBox()
      const inner = ends.filter((end) => isIn(box, end)).map((end) => end.x + end.width - 4)
      return box.x + box.width > Math.min(312, ...inner)
    }).map((text) => text.textContent)
  }`)
  expect(outside).toEqual([])
  await page.close()
})

test('the list of recorded schedules says what happens in each', async () => {
  const page = await browser.newPage()
  await page.goto(`${files.url}replay.html`)
  await page
    .getByRole('link', { name: /^taskwire\/lite, \d tabs: a tab is closed, a call is forgotten, a call is cancelled/ })
    .first()
    .waitFor()
  expect(await page.getByRole('link', { name: /seed/ }).count()).toBe(0)
  await page.close()
})

test('a search finds a symbol of the API, and no decision', async () => {
  const page = await browser.newPage()
  await page.goto(files.url)
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('useToolCallMutation')
  await page.locator('a.result[href*="/api/react"]').first().waitFor()
  expect(await page.locator('a.result[href*="/decisions/"]').count()).toBe(0)
  await page.close()
})

/** What a user means by a word of the field or asks in a sentence, and the section that answers. */
test.for([
  ['mutation', /\/(?:react|vue|svelte|solid)\b/],
  ['SSR', /\/server-rendering/],
  ['hydration', /\/server-rendering/],
  ['websocket', /\/(concepts[^/]*#polls-push-and-websockets|backend[^/]*#a-websocket-in-place-of-the-stream)/],
  ['key', /\/keys/],
  ['offline', /\/progress[^/]*#offline-and-reconnecting/],
  ['timeout', /\/durability[^/]*#timeouts/],
  ['how do I cancel a call', /\/cancel/],
  ['what happens with the same key and other arguments', /\/keys[^/]*#other-arguments-with-the-same-key/],
  ['what does my Vue app show while offline', /\/progress[^/]*#offline-and-reconnecting/],
  ['is it safe to put personal data into meta?', /\/security[^/]*#personal-data/],
  ['how do I show one progress bar for many calls', /\/progress[^/]*#many-calls-one-bar/],
  ['what happens when the user signs out', /\/sign-in/],
  ['can I use it without a framework', /\/vanilla/],
] as const)('the first result of a search for "%s" answers it', async ([word, address]) => {
  const page = await browser.newPage()
  await page.goto(files.url)
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill(word)
  const first = page.locator('a.result').first()
  await first.waitFor()
  expect(await first.getAttribute('href')).toMatch(address)
  await page.close()
})

test('the framework and the package manager that a reader chooses hold on the next page, and a link shows what it leads to', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(`${files.url}quick-start.html`)
  await page.locator('.VPSidebar').getByLabel('Framework').selectOption('Vue')
  await page.getByRole('button', { name: 'pnpm' }).first().click()
  expect(await page.locator('#react').isVisible()).toBe(false)
  await page.goto(`${files.url}progress.html`)
  expect(await page.locator('#vue').isVisible()).toBe(true)
  expect(await page.locator('#solid').isVisible()).toBe(false)
  await page.goto(`${files.url}react.html`)
  await page.getByText('pnpm add taskwire').first().waitFor()
  await page.goto(`${files.url}quick-start.html#svelte`)
  await page.locator('#svelte').waitFor()
  await context.close()
})

test.for(['light', 'dark'] as const)(
  'a pressed button of a live example can be read under the pointer, %s',
  async (colorScheme) => {
    const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${files.url}live/react.html`)
    const button = page.getByRole('button', { name: 'Second tab' })
    await button.click()
    await button.hover()
    const { violations } = await new AxeBuilder({ page }).include('.live-buttons').analyze()
    expect(violations.map(({ id }) => id)).toEqual([])
    await context.close()
  },
)

test('what runs comes before its code on a narrow screen', async () => {
  const context = await browser.newContext({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(`${files.url}live/ask.html`)
  const [run, code] = [await page.locator('.live-run').boundingBox(), await page.locator('.live-code').boundingBox()]
  expect(run?.y).toBeLessThan(code?.y ?? 0)
  await context.close()
})

test.for([
  [360, 800],
  [1440, 900],
] as const)('the landing page has its links on the first screen of %i pixels', async ([width, height]) => {
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' })
  await page.goto(files.url)
  const links = page.locator('.landing-links')
  for (const name of ['Get started', 'Try it', 'Demo: a film studio', 'API']) {
    const box = await links.getByRole('link', { name, exact: true }).boundingBox()
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThan(height)
  }
  await page.close()
})
