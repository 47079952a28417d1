import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { LoggedRequest } from '../../demo/server/requestLog.js'
import { launchChromium } from './chromium.js'
import { type DemoServer, startDemo } from './demoServer.js'

const POLL_INTERVAL_MS = 1000

let demo: DemoServer
let browser: Browser
let page: Page
let complaints: string[]

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([startDemo(), launchChromium()])
  // The first visit makes Vite compile everything.
  const first = await browser.newPage()
  await first.goto(demo.url)
  await first.getByText('Connected', { exact: true }).waitFor()
  await first.close()
})

afterAll(async () => {
  await browser?.close()
  await demo?.close()
})

beforeEach(async () => {
  // Without motion, so that axe does not measure colours on their way from one to the other.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  page = await context.newPage()
  complaints = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(demo.url)
  await page.getByText('Connected', { exact: true }).waitFor()
  await demo.clear()
})

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await page.locator('main').ariaSnapshot(), await demo.requests())
  await page.context().close()
  expect(complaints).toEqual([])
})

interface Report {
  title: string
  seconds: number
  outcome?: 'success' | 'failure' | 'tool error'
}

async function start({ title, seconds, outcome = 'success' }: Report): Promise<Locator> {
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Duration').fill(String(seconds))
  await page.getByRole('radio', { name: outcome }).check({ force: true })
  await page.getByRole('button', { name: 'Start report' }).click()
  return reportOf(title)
}

function reportOf(title: string): Locator {
  return page.getByTestId('report').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
}

async function openDevtools(): Promise<void> {
  await page.getByRole('button', { name: 'Taskwire', exact: true }).click()
  await page.getByRole('tab', { name: 'Calls' }).waitFor()
}

function see(where: Locator, text: string | RegExp): Promise<void> {
  return where.getByText(text).first().waitFor({ timeout: 20_000 })
}

/** How often the server was asked what. */
async function counts(): Promise<Record<string, number>> {
  const all: Record<string, number> = {}
  for (const { method } of await demo.requests()) all[method] = (all[method] ?? 0) + 1
  return all
}

async function polls(): Promise<LoggedRequest[]> {
  return (await demo.requests()).filter(({ method }) => method === 'tasks/get')
}

/** Of a single call: how long each poll came after the response before it, as the server saw it. */
async function waits(): Promise<number[]> {
  const about = (await demo.requests()).filter(({ method }) => method === 'tools/call' || method === 'tasks/get')
  return about.slice(1).map(({ time }, index) => time - (about[index]?.answeredAt ?? Number.POSITIVE_INFINITY))
}

async function expectPatience(): Promise<void> {
  const all = await waits()
  expect(all.length).toBeGreaterThan(0)
  expect(Math.min(...all)).toBeGreaterThanOrEqual(POLL_INTERVAL_MS)
}

async function expectAccessible(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))])
    expect(found, colorScheme).toEqual([])
  }
}

test('a report shows what the server says of it, and then its result', async () => {
  const report = await start({ title: 'Revenue', seconds: 6 })
  await see(report, /Collecting figures \(\d+ of 12\)/)
  await see(report, 'Done')
  await report.getByRole('row', { name: /^Europe/ }).waitFor()
  await openDevtools()
  await page.getByRole('option', { name: /^generate_report completed/ }).waitFor()

  expect(await counts()).toMatchObject({ 'tools/call': 1 })
  await expectPatience()
})

test('a reload in the middle goes on with the same task and makes no second call', async () => {
  const report = await start({ title: 'Revenue', seconds: 6 })
  await see(report, /Collecting figures/)
  const [before] = await polls()

  await page.reload()
  await see(report, 'Working')
  await see(report, 'Done')
  await report.getByRole('row', { name: /^Europe/ }).waitFor()

  expect(await counts()).toMatchObject({ 'tools/call': 1 })
  expect(new Set((await polls()).map(({ name }) => name))).toEqual(new Set([before?.name]))
  // StrictMode mounts everything twice; still there is one poll loop, and it minds what the page before was asked.
  await expectPatience()
})

test('with taskwire/lite the same page does the same, over a reload', async () => {
  await page.goto(`${demo.url}?lite`)
  const report = await start({ title: 'Revenue', seconds: 6 })
  await see(report, /Collecting figures/)
  await page.reload()
  await see(report, 'Working')
  await see(report, 'Done')
  expect(await counts()).toMatchObject({ 'tools/call': 1 })
  expect(await counts()).not.toHaveProperty('initialize')
  await expectPatience()
})

test('a cancelled report is cancelled on the server, once', async () => {
  const report = await start({ title: 'Long one', seconds: 60 })
  await see(report, 'Working')
  await page.getByRole('button', { name: 'Cancel Long one' }).click()
  await see(report, 'Cancelled')

  expect(await counts()).toMatchObject({ 'tools/call': 1, 'tasks/cancel': 1 })
  await expectPatience()
})

test('a failure, a tool error and a result are told apart', async () => {
  const failing = await start({ title: 'Failing', seconds: 6, outcome: 'failure' })
  const contradicting = await start({ title: 'Contradicting', seconds: 6, outcome: 'tool error' })

  await see(failing, 'Failed')
  await see(failing, 'The data source went away half-way.')
  await see(failing, /error -32050/)
  await see(contradicting, 'Tool error')
  await see(contradicting, 'The task completed; the tool could not do what was asked.')
  expect(await counts()).toMatchObject({ 'tools/call': 2 })
  await expectAccessible()

  await page.getByRole('button', { name: 'Dismiss ended' }).click()
  await page.getByText('No reports yet').waitFor()
})

test('in StrictMode two components on one key make one call and one poll loop', async () => {
  await page.getByRole('button', { name: 'Mount both' }).click()
  const twins = page.getByRole('region', { name: 'Same key, twice' })
  await vi.waitUntil(async () => (await twins.getByText('Done').count()) === 2, { timeout: 20_000 })

  const { 'tools/call': calls, 'tasks/get': gets } = await counts()
  expect(calls).toBe(1)
  // The page knows of as many as the server does.
  await openDevtools()
  await page.getByRole('tab', { name: 'Wire' }).click()
  await page.getByRole('option', { name: /^tools\/call/ }).waitFor()
  expect(await page.getByRole('option', { name: /^tools\/call/ }).count()).toBe(1)
  expect(await page.getByRole('option', { name: /^tasks\/get/ }).count()).toBe(gets)
  await expectPatience()
})

test('offline a report waits without an error, and online it catches up', async () => {
  const report = await start({ title: 'Revenue', seconds: 6 })
  await see(report, /Collecting figures/)
  await page.context().setOffline(true)
  await see(report, /^Offline/)
  expect(await page.locator('.outcome, .failure').count()).toBe(0)
  await page.context().setOffline(false)
  await see(report, 'Done')

  expect(await counts()).toMatchObject({ 'tools/call': 1 })
  // A poll that was under way when the network went is the browser's complaint, not ours.
  complaints = complaints.filter((text) => !text.includes('net::ERR_INTERNET_DISCONNECTED'))
})

test('a call that the server answers at once is no task', async () => {
  await page.getByLabel('Text to echo').fill('Hello there')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Hello there', { exact: true }).waitFor()
  expect(await counts()).toEqual({ 'tools/call': 1 })
})

test('a server that pushes is hardly polled', async () => {
  await page.getByRole('link', { name: 'Let the server push' }).click()
  await page.getByRole('link', { name: 'Poll instead' }).waitFor()
  const report = await start({ title: 'Revenue', seconds: 6 })
  await see(report, /Collecting figures/)
  await see(report, 'Done')

  const asked = await counts()
  expect(asked['tools/call']).toBe(1)
  expect(asked['tasks/get'] ?? 0).toBeLessThan(3)
})

test('a server of the revision before is no different, a reload included', async () => {
  await page.getByRole('link', { name: 'Server of 2025-11-25' }).click()
  await page.getByText('MCP 2025-11-25 (legacy)').waitFor()
  const report = await start({ title: 'Revenue', seconds: 6 })
  await see(report, /Collecting figures/)
  await page.reload()
  await see(report, /Collecting figures/)
  await see(report, 'Done')
  await report.getByRole('row', { name: /^Europe/ }).waitFor()
  const doomed = await start({ title: 'Long one', seconds: 60 })
  await see(doomed, /Collecting figures/)
  await page.getByRole('button', { name: 'Cancel Long one' }).click()
  await see(doomed, 'Cancelled')
  await expectAccessible()
  expect(await counts()).toEqual({})
  // It refuses `server/discover`, which is how it is recognized.
  complaints = complaints.filter((text) => !text.includes('status of 400'))
})

test('axe finds nothing wrong, with and without reports', async () => {
  await expectAccessible()

  const finished = await start({ title: 'Revenue', seconds: 6 })
  const running = await start({ title: 'Long one', seconds: 60 })
  await see(finished, 'Done')
  await see(running, /Collecting figures/)
  await openDevtools()
  for (const name of ['Wire', 'Storage', 'Faults', 'Calls']) {
    await page.getByRole('tab', { name }).click()
    await expectAccessible()
  }
})
