import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { LoggedRequest } from '../../demo/server/requestLog.js'
import { launchChromium } from './chromium.js'
import { type DemoServer, startDemo } from './demoServer.js'

export { button, cardOf, openQuestion, render, see, seePicture } from './studioActions.js'

const POLL_INTERVAL_MS = 1000

/** What a test of the demo works with. */
export interface Studio {
  /** A new page for each test, on the demo. */
  readonly page: Page
  readonly demo: DemoServer
  /** Another page in a context of its own. */
  open(options?: BrowserContextOptions): Promise<Page>
  /** Messages of the console with this text are no complaints. */
  excuse(text: string): void
  /** How often the server was asked what. */
  counts(): Promise<Record<string, number>>
  polls(): Promise<LoggedRequest[]>
  /** Of a single call: no poll came earlier after the response before it than the server wanted. */
  expectPatience(): Promise<void>
}

/** Serves the demo to the tests of a file. Each ends with a console in which nothing was complained of. */
export function serveStudio(): Studio {
  let demo: DemoServer
  let browser: Browser
  let page: Page
  let complaints: string[]
  let excused: string[]

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    // Without motion, so that axe does not measure colours on their way from one to the other.
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    const opened = await context.newPage()
    opened.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    opened.on('pageerror', (error) => complaints.push(String(error)))
    await opened.goto(demo.url)
    // The first visit makes Vite compile everything.
    await opened.getByText('Connected', { exact: true }).waitFor({ timeout: 60_000 })
    return opened
  }

  beforeAll(async () => {
    ;[demo, browser] = await Promise.all([startDemo(), launchChromium()])
  })

  afterAll(async () => {
    await browser?.close()
    await demo?.close()
  })

  beforeEach(async () => {
    complaints = []
    excused = []
    page = await open()
    await demo.clear()
  })

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(await page.locator('main').ariaSnapshot(), await demo.requests())
    for (const context of browser.contexts()) await context.close()
    expect(complaints.filter((text) => !excused.some((one) => text.includes(one)))).toEqual([])
  })

  const polls = async () => (await demo.requests()).filter(({ method }) => method === 'tasks/get')

  return {
    get page() {
      return page
    },
    get demo() {
      return demo
    },
    open,
    excuse: (text) => void excused.push(text),
    async counts() {
      const all: Record<string, number> = {}
      for (const { method } of await demo.requests()) all[method] = (all[method] ?? 0) + 1
      return all
    },
    polls,
    async expectPatience() {
      const about = (await demo.requests()).filter(({ method }) => method === 'tools/call' || method === 'tasks/get')
      const waits = about
        .slice(1)
        .map(({ time }, index) => time - (about[index]?.answeredAt ?? Number.POSITIVE_INFINITY))
      expect(waits.length).toBeGreaterThan(0)
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(POLL_INTERVAL_MS)
    },
  }
}

export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))])
    expect(found, colorScheme).toEqual([])
  }
}
