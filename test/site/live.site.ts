import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LoggedRequest } from '../../demo/server/requestLog.js'
import { launchChromium } from '../browser/chromium.js'
import { type FileServer, serveFiles } from '../browser/fileServer.js'

const dist = join(import.meta.dirname, '../../docs/.vitepress/dist')
const base = process.env['DOCS_BASE'] ?? '/'

let files: FileServer
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]
/** The hosts that something was asked of. */
let hosts: Set<string>

beforeAll(async () => {
  if (!existsSync(dist)) throw new Error('The site is not built: npm run docs:build.')
  ;[files, browser] = await Promise.all([serveFiles(dist, base), launchChromium({ source: 'any' })])
})

afterAll(async () => {
  await browser?.close()
  files?.close()
})

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1440, height: 1100 }, reducedMotion: 'reduce' })
  context.setDefaultTimeout(40_000)
  complaints = []
  hosts = new Set()
  context.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).host)
  })
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(String(error.error())))
  page = await context.newPage()
})

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await page.locator('main').ariaSnapshot(), complaints)
  await context.close()
  expect([...hosts]).toEqual([new URL(files.url).host])
  expect(files.missing.splice(0)).toEqual([])
  // A request that meets a server which is being restarted, and what that server logs of the work that it then finds.
  const expected = ['net::ERR_FAILED', '[taskwire] task rescued ']
  expect(complaints.filter((text) => !expected.some((part) => text.includes(part)))).toEqual([])
})

const tab = (number: number): FrameLocator => page.frameLocator(`iframe[title$="tab ${number}"]`)

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

/** How often the server was asked to call a tool, as it saw it. */
async function callsSeen(): Promise<number> {
  const frame = page.frames().find((one) => one.url().includes('/live/frames/'))
  const seen = await frame?.evaluate<LoggedRequest[]>("fetch('__requests').then((response) => response.json())")
  return (seen ?? []).filter(({ method }) => method === 'tools/call').length
}

/** Until so many parts of the report are done. */
async function untilProgress(frame: FrameLocator, least: number): Promise<void> {
  await expect.poll(() => frame.locator('progress').getAttribute('value'), { timeout: 40_000 }).not.toBeNull()
  await expect
    .poll(async () => Number(await frame.locator('progress').getAttribute('value')), { timeout: 40_000 })
    .toBeGreaterThanOrEqual(least)
}

const RESULT = /sold 4,200 pieces in Q3/

async function startReport(): Promise<void> {
  await tab(1).getByLabel('Quarter').selectOption('Q3')
  await tab(1).getByRole('button', { name: 'Generate report' }).click()
}

test.for(['react', 'vanilla'])(
  'the %s example survives a reload, a second tab and a cut network with one call',
  async (name) => {
    await page.goto(`${files.url}live/${name}.html`)
    await startReport()
    await untilProgress(tab(1), 1)
    await press('Reload')
    await press('Second tab')
    for (const number of [1, 2]) await untilProgress(tab(number), 1)
    await press('Offline')
    await page.locator('button[aria-pressed="true"]', { hasText: 'Offline' }).waitFor()
    await press('Offline')
    for (const number of [1, 2]) await tab(number).getByText(RESULT).waitFor()
    expect(await callsSeen()).toBe(1)
    await page.getByText('1 tools/call', { exact: true }).waitFor()

    await page.getByText('Devtools of tab 1').click()
    await page.getByRole('option', { name: /^Sales report completed/ }).waitFor()
    // Opened at the end, it has what happened before.
    await page.getByRole('row').filter({ hasText: 'Task resumed' }).first().waitFor()
  },
)

test('a restarted server of an example continues the report', async () => {
  await page.goto(`${files.url}live/react.html`)
  await startReport()
  await untilProgress(tab(1), 1)
  await press('Restart server')
  await tab(1).getByText(RESULT).waitFor()
  expect(await callsSeen()).toBe(1)
})

test('two tabs of an example show one call, and the second goes on while the first reloads', async () => {
  await page.goto(`${files.url}live/tabs.html`)
  await startReport()
  await untilProgress(tab(2), 1)
  await press('Reload')
  for (const number of [1, 2]) await tab(number).getByText(RESULT).waitFor()
  expect(await callsSeen()).toBe(1)
})

test('two tabs of an example are both shown where the second is there first', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let isFirst = true
  await page.route('**/live/frames/react/index.html', async (route) => {
    const isHeld = isFirst
    isFirst = false
    if (isHeld) await held
    await route.continue()
  })
  // The page has loaded once its frames have, and so has not while one of them is held.
  await page.goto(`${files.url}live/tabs.html`, { waitUntil: 'commit' })
  await tab(2).getByRole('button', { name: 'Generate report' }).waitFor()
  release()
  await startReport()
  for (const number of [1, 2]) await untilProgress(tab(number), 1)
  expect(await page.locator('iframe[data-loading]').count()).toBe(0)
})

test('an input request is asked in both tabs, outlives a reload, and is answered once', async () => {
  await page.goto(`${files.url}live/ask.html`)
  await tab(1).getByRole('button', { name: 'Send the newsletter' }).click()
  await tab(1).getByLabel('Subject').fill('No')
  await press('Second tab')
  await tab(2).getByLabel('Subject').waitFor()
  await tab(1).getByRole('button', { name: 'Send', exact: true }).click()
  await tab(1).getByRole('alert').waitFor()
  await press('Reload')
  // What is typed before the frame has loaded again goes with the page before.
  await tab(1).getByRole('alert').waitFor({ state: 'detached' })
  await tab(1).getByLabel('Subject').fill('Spring')
  await tab(1).getByRole('button', { name: 'Send', exact: true }).click()
  for (const number of [1, 2]) await tab(number).getByText('Sent “Spring” to 1,200 readers.').waitFor()
  expect(await callsSeen()).toBe(1)
})

test('a frame on a phone is as high as its page, while a report runs and while a form is open', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  const isCutOff = () =>
    page
      .frames()
      .find((one) => one.url().includes('/live/frames/'))
      ?.evaluate<boolean>('document.documentElement.scrollHeight > innerHeight')

  await page.goto(`${files.url}live/react.html`)
  await startReport()
  await tab(1).getByRole('button', { name: 'Cancel' }).waitFor()
  await expect.poll(isCutOff).toBe(false)

  await page.goto(`${files.url}live/ask.html`)
  await tab(1).getByRole('button', { name: 'Send the newsletter' }).click()
  await tab(1).getByLabel('Subject').waitFor()
  await expect.poll(isCutOff).toBe(false)
})

test('the landing page calls a tool, reloads and opens a second tab by itself, and both show the result', async () => {
  const loads: string[] = []
  page.on('framenavigated', (frame) => {
    if (frame.url().includes('/live/frames/')) loads.push(frame.url())
  })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.goto(files.url)
  for (const number of [1, 2])
    await tab(number)
      .getByText(/sold [\d,]+ pieces/)
      .waitFor()
  await page.getByText('Both have the result. tools/call was sent once.').waitFor()
  expect(await page.locator('.live-steps li[data-state="done"]').count()).toBe(4)
  expect(await callsSeen()).toBe(1)
  // The first tab twice, the second one once.
  expect(loads).toHaveLength(3)
})

test('the landing page runs only when asked for a visitor who wants no motion, and is stopped while it reloads', async () => {
  await page.goto(files.url)
  await tab(1).getByRole('button', { name: 'Generate report' }).waitFor()
  expect(await callsSeen()).toBe(0)
  await press('Run it')
  // With the next frame of the page: a click of ours would come when the other page is there.
  await page.waitForFunction(`{
    const isReloading = document.querySelector('.live-steps [data-state="now"]:nth-child(2)') !== null
    if (isReloading) document.querySelector('.live-hero button').click()
    isReloading
  }`)
  await page.getByRole('button', { name: 'Run it', exact: true }).waitFor()
  await tab(1)
    .getByText(/cancelled/i)
    .waitFor()
  expect(await callsSeen()).toBe(1)
})

test('a run of the landing page is over when the visitor cancels its call in the frame, and leaves their next call alone', async () => {
  await page.goto(files.url)
  await tab(1).getByRole('button', { name: 'Generate report' }).waitFor()
  await press('Run it')
  // With the next frame of the page: the run would reload it a second later.
  await page.waitForFunction(`{
    const { contentDocument } = document.querySelector('.live-hero iframe')
    const cancel = [...contentDocument.querySelectorAll('button')].find((one) => one.textContent === 'Cancel')
    cancel?.click()
    cancel !== undefined
  }`)
  await page.getByRole('button', { name: 'Run it', exact: true }).waitFor()
  // None where it was cancelled before it was sent.
  const before = await callsSeen()
  // By the keyboard: Playwright looks for the button where it is without the zoom of the frame.
  await tab(1).getByRole('button', { name: 'Generate report' }).press('Enter')
  await untilProgress(tab(1), 1)
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0)
  expect(await callsSeen()).toBe(before + 1)
})

test('each hook of the page on React runs there when the reader presses a button', async () => {
  await page.goto(`${files.url}react.html`)
  const example = page.locator('[aria-label="Live example: useToolCallMutation"]')
  expect(await page.locator('iframe').count()).toBe(0)
  await example.getByRole('button', { name: 'Run it here' }).click()
  const frame = example.frameLocator('iframe')
  await frame.getByRole('button', { name: 'Generate the weekly report' }).click()
  await frame.getByText('4,200 pieces were sold in Q3.').waitFor()
  expect(await page.locator('iframe').count()).toBe(1)
})

test('an input request of the example that asks has no empty alert, and buttons of one height', async () => {
  await page.goto(`${files.url}live/ask.html`)
  await tab(1).getByRole('button', { name: 'Send the newsletter' }).click()
  await tab(1).getByLabel('Subject').waitFor()
  expect(await tab(1).getByRole('alert').count()).toBe(0)
  const send = await tab(1).getByRole('button', { name: 'Send', exact: true }).boundingBox()
  expect(send?.height).toBeLessThan(48)
})

test('the example that the landing page plays is not the one that it links to', async () => {
  await page.goto(files.url)
  await tab(1).getByRole('button', { name: 'Generate report' }).waitFor()
  await press('Run it')
  await tab(1).getByRole('progressbar').waitFor()
  await page.getByRole('link', { name: 'Try it' }).click()
  // Disabled while a report is made, as it is on the landing page until the other page is there.
  await tab(1).getByRole('button', { name: 'Generate report', disabled: false }).waitFor()
  expect(await tab(1).getByRole('progressbar').count()).toBe(0)
})

test('the code of an example is shown file by file, from the beginning of each', async () => {
  await page.goto(`${files.url}live/react.html`)
  const code = page.getByRole('region', { name: 'Code: React' })
  const shown = () => code.locator('pre').filter({ visible: true }).allInnerTexts()
  await press('src/main.tsx')
  expect(await shown()).toEqual([expect.stringContaining('createRoot')])
  await code.evaluate((region) => region.scrollTo({ top: 200 }))
  await press('server.ts')
  expect(await shown()).toEqual([expect.stringContaining('createTaskServer')])
  expect(await code.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
})
