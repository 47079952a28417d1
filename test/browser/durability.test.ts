import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import { clientKind } from '../support/anyClient.js'
import type { HttpRequest } from '../support/httpServer.js'
import { PATIENCE } from '../support/patience.js'
import type { Engine, EngineContext } from './engines/engine.js'
import { test } from './engines/engineTest.js'
import { launchEngine } from './engines/launchEngine.js'
import type { Tab } from './engines/tab.js'
import { POLL_INTERVAL_MS, type ReportApp, startReportApp } from './reportApp.js'

let engine: Engine
let context: EngineContext
let app: ReportApp

beforeAll(async () => {
  engine = await launchEngine({ hasWindow: true })
})

afterAll(() => engine?.close())

beforeEach(async ({ onTestFinished }) => {
  app = await startReportApp()
  onTestFinished(() => app.close())
  context = await engine.newContext()
  onTestFinished(() => context.close())
})

/** A tab of the app, which tells the server its name with each request. */
async function openTab(name = 'a', { storage = 'local', among = context } = {}): Promise<Tab> {
  const tab = await among.open()
  await tab.goto(`${app.url}?storage=${storage}&client=${clientKind}&tab=${name}`)
  await shows(tab, 'working, ok')
  return tab
}

function shows(tab: Tab, text: string): Promise<void> {
  return tab.locator('output', { hasText: text }).waitFor()
}

async function finish(...tabs: Tab[]): Promise<void> {
  await app.finish()
  await Promise.all(tabs.map((tab) => shows(tab, 'completed, ok, Harbour at dawn:')))
}

/** As long as this a poll of a page waits for its response, in ms: the default of `requestTimeoutMs`. */
const POLL_TIMEOUT_MS = 30_000

const polls = (): HttpRequest[] => app.received('tasks/get')
const tabOf = (request: HttpRequest): string => request.headers.get('tab') ?? ''

/** The next request for the task. */
async function nextPoll(): Promise<HttpRequest> {
  const before = polls().length
  return vi.waitUntil(() => polls()[before], { ...PATIENCE, interval: 10 })
}

/** The next one of a tab. */
async function pollOf(tab: string): Promise<HttpRequest> {
  for (;;) {
    const poll = await nextPoll()
    if (tabOf(poll) === tab) return poll
  }
}

/** The last poll of the tab that has sent this one, and the first one after that. */
async function handedOn(poll: HttpRequest): Promise<readonly [last: HttpRequest, next: HttpRequest]> {
  const next = await vi.waitUntil(
    () => polls().find((one) => one.arrivedAt > poll.arrivedAt && tabOf(one) !== tabOf(poll)),
    { ...PATIENCE, interval: 10 },
  )
  // As long as that was under way, the tab may have polled again.
  return [polls()[polls().indexOf(next) - 1] ?? poll, next]
}

/**
 * One `tools/call`, and the server was left alone between any two polls, whichever tabs they came from. Only of the `last` poll of a tab
 * that crashed, or whose lead was taken, the next tab need not know:
 *
 * ```text
 * tab A  poll: tells it ─ crashes, or hears that it leads no longer
 * tab B        has the lock ─ poll ─ hears of the poll of A
 * ```
 */
function expectOneStream(last: readonly HttpRequest[] = []): void {
  const [call, ...more] = app.received('tools/call')
  expect(more).toEqual([])
  // By the clock of the page: how long a request is under way is the machine's affair.
  const requests = [call, ...polls()]
  const times = requests.map((request) => Number(request?.headers.get('sent') ?? Number.NaN))
  expect(times.length).toBeGreaterThan(1)
  const known = requests.slice(0, -1).flatMap((request, index) => (request && last.includes(request) ? [] : [index]))
  const gaps = known.map((index) => (times[index + 1] ?? Number.NaN) - (times[index] ?? Number.NaN))
  expect(Math.min(...gaps)).toBeGreaterThan(0.9 * POLL_INTERVAL_MS)
}

test('[DUR-21] 50 reloads during a task make no second call and no poll too many', async () => {
  const tab = await openTab()
  for (let reloads = 0; reloads < 50; reloads += 1) {
    await tab.reload()
    await shows(tab, 'working, ok')
  }
  await finish(tab)
  expectOneStream()
})

test('[DUR-42] of four tabs the one that polls crashes, between two polls and during one, and another goes on', async () => {
  const tabs = new Map<string, Tab>()
  for (const name of ['a', 'b', 'c', 'd']) tabs.set(name, await openTab(name))
  const crashed: HttpRequest[] = []
  for (const isPolling of [false, true]) {
    app.isSilent = isPolling
    const poll = await nextPoll()
    // Only the poll of the tab that crashes has no response: the next one may come before the crash is over.
    app.isSilent = false
    const name = tabOf(poll)
    const polling = tabs.get(name)
    if (polling === undefined) throw new TypeError('There is no such tab.')
    await context.crash(polling)
    const crashedAt = performance.now()
    tabs.delete(name)
    const [last, next] = await handedOn(poll)
    // How long a browser takes to end a process, and when the next one has its turn, is the machine's affair: the second within which a tab
    // takes over is proven by a clock of the tests. Here it must not wait for what only a tab that is gone could tell.
    expect(next.arrivedAt - crashedAt).toBeLessThan(POLL_TIMEOUT_MS / 3)
    crashed.push(last)
  }
  await finish(...tabs.values())
  expectOneStream(crashed)
})

test('[DUR-47] offline for five seconds a page asks nothing, and back it asks once, at once', async () => {
  const tab = await openTab()
  await nextPoll()
  await context.setOffline(tab, true)
  await shows(tab, 'working, offline')
  const asked = app.requests.length
  const since = performance.now()
  await vi.waitUntil(() => performance.now() - since > 5000, PATIENCE)
  expect(await tab.locator('output').textContent()).toBe('working, offline')
  expect(app.requests).toHaveLength(asked)

  const backAt = performance.now()
  await context.setOffline(tab, false)
  const poll = await nextPoll()
  expect(poll.arrivedAt - backAt).toBeLessThan(1000)
  await shows(tab, 'working, ok')
  await nextPoll()
  await finish(tab)
  expectOneStream()
})

test('[DUR-94] while responses break off in the middle, a page tries again, and then goes on', async () => {
  const tab = await openTab()
  app.isCut = true
  await shows(tab, 'working, retrying')
  app.isCut = false
  await shows(tab, 'working, ok')
  await finish(tab)
  expectOneStream()
})

test('[DUR-38] a page that the user goes back to polls once, and shows what has come meanwhile', async () => {
  const tab = await openTab()
  await tab.evaluate(() =>
    addEventListener('pageshow', ({ persisted }) => {
      document.title = persisted ? 'kept' : 'loaded anew'
    }),
  )
  await nextPoll()
  await tab.goto(`${app.url}elsewhere`)
  const before = polls().length
  await app.finish()
  await tab.evaluate('setTimeout(() => history.back())')
  await shows(tab, 'completed, ok, Harbour at dawn:')
  // Where the browser has not kept the page, it is loaded again.
  expect(await tab.title()).toBe(engine.keepsPages ? 'kept' : 'Report')
  expect(polls()).toHaveLength(before + 1)
  expectOneStream()
})

test('[DUR-45] a tab in front takes over from a hidden one', async ({ skip }) => {
  skip(!engine.hidesTabs, 'In a headless shell no tab hides another one.')
  const among = await engine.newWindow()
  const a = await openTab('a', { among })
  const b = await openTab('b', { among })
  expect(await a.evaluate(() => document.visibilityState)).toBe('hidden')
  const poll = await pollOf('b')
  await a.bringToFront()
  const [last] = await handedOn(poll)
  await finish(a, b)
  expectOneStream([last])
  await among.close()
})

test('[DUR-45] a hidden tab takes over from a frozen one', async ({ skip }) => {
  skip(!engine.hidesTabs, 'In a headless shell no tab hides another one.')
  const among = await engine.newWindow()
  const b = await openTab('b', { among })
  const a = await openTab('a', { among })
  await pollOf('a')
  const page = among.playwright(a)
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  await pollOf('b')
  expect(await b.evaluate(() => document.visibilityState)).toBe('hidden')
  await finish(b)
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  await shows(a, 'completed, ok, Harbour at dawn:')
  expectOneStream()
  await among.close()
})

test('[DUR-75] a record in the session outlives a reload and no closed tab, one in memory neither', async () => {
  for (const [storage, afterReload] of [
    ['session', 1],
    ['memory', 2],
  ] as const) {
    const calls = app.received('tools/call').length
    const tab = await openTab('a', { storage })
    await tab.reload()
    await shows(tab, 'working, ok')
    expect(app.received('tools/call')).toHaveLength(calls + afterReload)
    await tab.close()
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
  await vi.waitUntil(async () => (await countRecords(a)) === 0, PATIENCE)
  expect(await a.evaluate(() => localStorage.length)).toBe(0)
  expectOneStream()
})

function countRecords(tab: Tab): Promise<number> {
  return tab.evaluate(
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
