import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { clientKind } from '../support/anyClient.js'
import type { HttpRequest } from '../support/httpServer.js'
import { type ChromiumWindow, isShell, launchWindow } from './chromium.js'
import { POLL_INTERVAL_MS, type ReportApp, startReportApp } from './reportApp.js'

let chromium: ChromiumWindow
let browser: Browser
let isBareShell: boolean
let context: BrowserContext
let app: ReportApp

beforeAll(async () => {
  chromium = await launchWindow({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  browser = chromium.browser
  isBareShell = await isShell(browser)
})

afterAll(() => chromium?.close())

beforeEach(async () => {
  ;[app, context] = await Promise.all([startReportApp(), browser.newContext()])
})

afterEach(async () => {
  await context.close()
  await app.close()
})

/** A tab of the app, which tells the server its name with each request. */
async function openTab(name = 'a', { storage = 'local', among = context } = {}): Promise<Page> {
  const page = await among.newPage()
  await page.setExtraHTTPHeaders({ tab: name })
  await page.goto(`${app.url}?storage=${storage}&client=${clientKind}`)
  await shows(page, 'working, ok')
  return page
}

function shows(page: Page, text: string): Promise<void> {
  return page.locator('output', { hasText: text }).waitFor()
}

async function finish(...pages: Page[]): Promise<void> {
  await app.finish()
  await Promise.all(pages.map((page) => shows(page, 'completed, ok, Harbour at dawn:')))
}

const polls = (): HttpRequest[] => app.received('tasks/get')
const tabOf = (request: HttpRequest): string => request.headers.get('tab') ?? ''

/** The next request for the task. */
async function nextPoll(): Promise<HttpRequest> {
  const before = polls().length
  return vi.waitUntil(() => polls()[before], { timeout: 20_000, interval: 10 })
}

/** The next one of a tab. */
async function pollOf(tab: string): Promise<HttpRequest> {
  for (;;) {
    const poll = await nextPoll()
    if (tabOf(poll) === tab) return poll
  }
}

/** One `tools/call`, and the server was left alone between any two polls, whichever tabs they came from. */
function expectOneStream(): void {
  const [call, ...more] = app.received('tools/call')
  expect(more).toEqual([])
  const times = [call, ...polls()].map((request) => request?.arrivedAt ?? Number.NaN)
  expect(times.length).toBeGreaterThan(1)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN))
  // A poll whose answer no page has lived to see counts from when it was sent, and ways take their time.
  expect(Math.min(...gaps)).toBeGreaterThan(0.9 * POLL_INTERVAL_MS)
}

test('[DUR-21] 50 reloads during a task make no second call and no poll too many', async () => {
  const page = await openTab()
  for (let reloads = 0; reloads < 50; reloads += 1) {
    await page.reload()
    await shows(page, 'working, ok')
  }
  await finish(page)
  expectOneStream()
})

test('[DUR-42] of four tabs the one that polls crashes, between two polls and during one, and another goes on', async () => {
  const tabs = new Map<string, Page>()
  for (const name of ['a', 'b', 'c', 'd']) tabs.set(name, await openTab(name))
  for (const isPolling of [false, true]) {
    app.isSilent = isPolling
    const last = await nextPoll()
    await crash(tabs.get(tabOf(last)))
    app.isSilent = false
    tabs.delete(tabOf(last))
    const next = await nextPoll()
    expect(tabs.keys()).toContain(tabOf(next))
    expect(next.arrivedAt - last.arrivedAt).toBeLessThan(POLL_INTERVAL_MS + 1000)
  }
  await finish(...tabs.values())
  expectOneStream()
})

async function crash(page: Page | undefined): Promise<void> {
  if (page === undefined) throw new TypeError('there is no such tab')
  const session = await context.newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  // Nobody is left to answer.
  session.send('Page.crash').catch(() => {})
  await crashed
}

test('[DUR-47] offline for five seconds a page asks nothing, and back it asks once, at once', async () => {
  const page = await openTab()
  await nextPoll()
  await context.setOffline(true)
  await shows(page, 'working, offline')
  const asked = app.requests.length
  const since = performance.now()
  await vi.waitUntil(() => performance.now() - since > 5000, { timeout: 10_000 })
  expect(await page.locator('output').textContent()).toBe('working, offline')
  expect(app.requests).toHaveLength(asked)

  const backAt = performance.now()
  await context.setOffline(false)
  const poll = await nextPoll()
  expect(poll.arrivedAt - backAt).toBeLessThan(1000)
  await shows(page, 'working, ok')
  await nextPoll()
  await finish(page)
  expectOneStream()
})

test('[DUR-38] a page that comes back from the back-forward cache polls once, and shows what has come meanwhile', async ({
  skip,
}) => {
  skip(isBareShell, 'A headless shell keeps no page to go back to.')
  const page = await openTab()
  await page.evaluate(() =>
    addEventListener('pageshow', ({ persisted }) => {
      document.title = persisted ? 'kept' : 'loaded anew'
    }),
  )
  await nextPoll()
  await page.goto(`${app.url}elsewhere`)
  const before = polls().length
  await app.finish()
  // It is not loaded again, so there is nothing else to wait for.
  await page.goBack({ waitUntil: 'commit' })
  await shows(page, 'completed, ok, Harbour at dawn:')
  expect(await page.title()).toBe('kept')
  expect(polls()).toHaveLength(before + 1)
  expectOneStream()
})

test('[DUR-45] a tab in front takes over from a hidden one, and a hidden one from a frozen one', async ({ skip }) => {
  skip(isBareShell, 'In a headless shell no tab hides another one.')
  const among = chromium.window
  const a = await openTab('a', { among })
  const b = await openTab('b', { among })
  expect(await a.evaluate(() => document.visibilityState)).toBe('hidden')
  await pollOf('b')
  await a.bringToFront()
  await pollOf('a')

  const session = await among.newCDPSession(a)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  await pollOf('b')
  expect(await b.evaluate(() => document.visibilityState)).toBe('hidden')
  await finish(b)
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  await shows(a, 'completed, ok, Harbour at dawn:')
  expectOneStream()
  await Promise.all([a.close(), b.close()])
})

test('[DUR-75] a record in the session outlives a reload and no closed tab, one in memory neither', async () => {
  for (const [storage, afterReload] of [
    ['session', 1],
    ['memory', 2],
  ] as const) {
    const calls = app.received('tools/call').length
    const page = await openTab('a', { storage })
    await page.reload()
    await shows(page, 'working, ok')
    expect(app.received('tools/call')).toHaveLength(calls + afterReload)
    await page.close()
    const other = await openTab('b', { storage })
    expect(app.received('tools/call')).toHaveLength(calls + afterReload + 1)
    await other.close()
  }
})

test('[DUR-84] a record in IndexedDB outlives a reload, and is gone from all tabs when one of them forgets it', async () => {
  const storage = 'indexedDb'
  const [a, b] = [await openTab('a', { storage }), await openTab('b', { storage })]
  await a.reload()
  await shows(a, 'working, ok')
  await nextPoll()
  expect(await countRecords(a)).toBe(1)

  await b.getByRole('button', { name: 'Forget' }).click()
  await vi.waitUntil(async () => (await countRecords(a)) === 0, { timeout: 20_000 })
  expect(await a.evaluate(() => localStorage.length)).toBe(0)
  expectOneStream()
})

function countRecords(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('taskwire')
        opening.onsuccess = () => {
          const counting = opening.result.transaction('records').objectStore('records').count()
          counting.onsuccess = () => {
            opening.result.close()
            resolve(counting.result)
          }
        }
      }),
  )
}
