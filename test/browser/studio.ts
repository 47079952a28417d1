import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { LoggedRequest } from '../../demo/server/requestLog.js'
import { PATIENCE } from '../support/patience.js'
import { type DemoServer, startDemo } from './demoServer.js'
import type { Engine, EngineContext } from './engines/engine.js'
import { launchEngine } from './engines/launchEngine.js'
import type { Tab } from './engines/tab.js'

export { button, cardOf, deskItemOf, openQuestion, render, see, seePicture } from './studioActions.js'

const POLL_INTERVAL_MS = 1000

/** What a test of the demo works with. */
export interface Studio {
  /** A new tab for each test, on the demo. */
  readonly tab: Tab
  /** The same as Playwright's page, for tests that run in Chromium alone. */
  readonly page: Page
  readonly demo: DemoServer
  /** Another tab of the same browser, on the demo. */
  openTab(): Promise<Tab>
  /** Another page of Chromium in a context of its own. */
  open(options: BrowserContextOptions): Promise<Page>
  setOffline(isOffline: boolean): Promise<void>
  /** Looks at the tab, or a part of it, with axe, in Chromium: what axe looks at is the same in each engine. */
  expectAccessible(part?: string): Promise<void>
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
  let engine: Engine
  let context: EngineContext
  let tab: Tab
  let others: BrowserContext[]
  let excused: string[]

  /** The first visit makes Vite compile everything. */
  async function visit(opened: Tab): Promise<void> {
    await opened.goto(`${demo.url}?poll&still`)
    await opened.getByText('Connected', { exact: true }).waitFor(PATIENCE)
  }

  async function openTab(): Promise<Tab> {
    const opened = await context.open()
    await visit(opened)
    return opened
  }

  async function open(options: BrowserContextOptions): Promise<Page> {
    const browser = context.playwright(tab).context().browser()
    if (browser === null) throw new TypeError('The tab has no browser.')
    const other = await browser.newContext({ reducedMotion: 'reduce', ...options })
    others.push(other)
    const opened = await other.newPage()
    await visit(opened)
    return opened
  }

  beforeAll(async () => {
    ;[demo, engine] = await Promise.all([startDemo({ isBundled: true }), launchEngine()])
  })

  afterAll(async () => {
    await engine?.close()
    await demo?.close()
  })

  // The last of these is the first that runs, and each is there only once there is something for it to end.
  beforeEach(async ({ onTestFinished, task }) => {
    const complaints: string[] = []
    excused = []
    others = []
    onTestFinished(() => {
      expect(complaints.filter((text) => !excused.some((one) => text.includes(one)))).toEqual([])
    })
    context = await engine.newContext({ onComplaint: (text) => complaints.push(text) })
    onTestFinished(async () => {
      for (const one of [context, ...others]) await one.close()
    })
    tab = await openTab()
    onTestFinished(async () => {
      if (task.result?.state !== 'fail') return
      console.log(await tab.evaluate('document.body.textContent').catch(String), await demo.requests())
    })
    await demo.clear()
  })

  const polls = async () => (await demo.requests()).filter(({ method }) => method === 'tasks/get')

  return {
    get tab() {
      return tab
    },
    get page() {
      return context.playwright(tab)
    },
    get demo() {
      return demo
    },
    openTab,
    open,
    setOffline: (isOffline) => context.setOffline(tab, isOffline),
    expectAccessible: async (part) => {
      if (engine.name === 'chromium') await expectAccessible(context.playwright(tab), part)
    },
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

/** Colours are what a dark page has of its own, so that is all that is looked at once more. */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // In one go, since all frames are of one origin; what is right is only counted.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({
      resultTypes: ['violations'],
      ...(colorScheme === 'dark' && { runOnly: ['color-contrast'] }),
    })
    const { violations } = await (part === undefined ? axe : axe.include(part)).analyze()
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))])
    expect(found, colorScheme).toEqual([])
  }
}
