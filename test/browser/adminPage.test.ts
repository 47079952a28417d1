import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { createTaskServer, createTaskWorker, defineTool } from 'taskwire/server'
import { createTaskAdmin } from 'taskwire/server/admin'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { serve } from '../cli/support/serve.js'
import { createMemoryQueue } from '../server/support/memoryQueue.js'
import { rpc } from '../server/support/rpc.js'
import { SharedStore } from '../server/support/silentStore.js'
import { ask, slow, text } from '../server/support/tools.js'
import { PATIENCE } from '../support/patience.js'
import { launchChromium } from './chromium.js'
import { expectAccessible } from './studio.js'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

const serverInfo = { name: 'reports', version: '1.0.0' }
/** What a provider of sign-in might send. */
const OWNER = '<img src=x onerror=alert(1)>@example.com'

/** A server with its worker, and the admin page in Chromium. */
async function open(options: BrowserContextOptions = {}) {
  let runs = 0
  const invoice = defineTool({
    name: 'send_invoice_to_customer',
    inputSchema: z.object({}),
    taskSupport: 'required',
    handler: () => {
      runs += 1
      if (runs === 1) throw new Error('no paper')
      return text('sent')
    },
  })
  const store = new SharedStore()
  const queue = createMemoryQueue()
  const shared = { serverInfo, tools: [ask, slow, invoice], store, onError: () => {} }
  const server = createTaskServer({
    ...shared,
    executor: queue,
    owner: ({ headers }) => headers.get('x-user') ?? '',
  })
  const worker = createTaskWorker({ ...shared, queue, concurrency: 100 })
  const url = new URL('/', await serve(createTaskAdmin({ server, guard: () => true }).fetch)).href
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 503/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  onTestFinished(async () => {
    await context.close()
    await server.close()
    await worker.close()
    expect(complaints).toEqual([])
  })
  const start = async (name: string, args = {}, owner = 'ann@example.com') => {
    const { result } = await rpc(server, 'tools/call', { name, arguments: args }, { headers: { 'x-user': owner } })
    return String(result?.['taskId'])
  }
  return { server, page, url, start }
}

const rowOf = (page: Page, tool: string, status: string): Locator =>
  page.getByRole('row').filter({ hasText: tool }).filter({ hasText: status })
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
const detail = (page: Page): Locator => page.getByRole('region', { name: 'Task', exact: true })

describe('the admin page in a browser', () => {
  test('shows a task, and cancels it, which its row and its details show without a reload', async () => {
    const { page, url, start } = await open()
    await start('slow', { ms: 3_600_000 })
    await page.goto(url)
    await rowOf(page, 'slow', 'working').getByRole('button').click(PATIENCE)
    await detail(page).getByText('ann@example.com').waitFor(PATIENCE)
    await button(page, 'Cancel').focus()
    await page.keyboard.press('Enter')
    await rowOf(page, 'slow', 'cancelled').waitFor(PATIENCE)
    await detail(page).getByText('cancelled', { exact: true }).waitFor(PATIENCE)
    expect(await button(page, 'Cancel').isDisabled()).toBe(true)
  })

  test('runs a task again that has failed, and lists the new task', async () => {
    const { page, url, server, start } = await open()
    const failed = await start('send_invoice_to_customer')
    await expect.poll(async () => (await server.operator.open(failed))?.status, PATIENCE).toBe('failed')
    await page.goto(url)
    await rowOf(page, 'send_invoice_to_customer', 'failed').getByRole('button').click(PATIENCE)
    await button(page, 'Run again').click(PATIENCE)
    await button(page, 'Show').click()
    await rowOf(page, 'send_invoice_to_customer', 'completed').waitFor(PATIENCE)
    await rowOf(page, 'send_invoice_to_customer', 'failed').waitFor(PATIENCE)
  })

  test('filters by status, tool, owner and age, and says where no task matches', async () => {
    const { page, url, start } = await open()
    await start('slow', { ms: 3_600_000 })
    await start('ask', {}, 'bob@example.com')
    await page.goto(url)
    await page.getByLabel('Owner').fill('bob@example.com')
    await page.keyboard.press('Enter')
    await rowOf(page, 'ask', 'bob@example.com').waitFor(PATIENCE)
    await rowOf(page, 'slow', '').waitFor({ state: 'detached', ...PATIENCE })
    await page.getByLabel('Older than').selectOption('an hour')
    await button(page, 'Show').click()
    await page.getByText('No tasks match.').waitFor(PATIENCE)
  })

  test('lists fifty tasks, and the older ones on demand', async () => {
    const { page, url, start } = await open()
    for (let index = 0; index < 51; index += 1) await start('slow', { ms: 3_600_000 })
    await page.goto(url)
    await button(page, 'Show older tasks').click(PATIENCE)
    await button(page, 'Show older tasks').waitFor({ state: 'hidden', ...PATIENCE })
    expect(await page.getByRole('row').count()).toBe(52)
  })

  test('keeps the place in a long list when a task is cancelled by the keyboard, with the details in view', async () => {
    const { page, url, start } = await open({ viewport: { width: 1440, height: 600 } })
    for (let index = 0; index < 61; index += 1) await start('slow', { ms: 3_600_000 })
    await page.goto(url)
    await button(page, 'Show older tasks').click(PATIENCE)
    const last = page.getByRole('row').nth(61)
    await last.getByRole('button').focus(PATIENCE)
    await page.keyboard.press('Enter')
    await detail(page).getByText('Owner').waitFor(PATIENCE)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await last.filter({ hasText: 'cancelled' }).waitFor(PATIENCE)
    expect(await page.getByRole('row').count()).toBe(62)
    const box = await detail(page).boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(600)
    await button(page, 'Close').focus()
    await page.keyboard.press('Escape')
    await page.getByText('Select a task to see its details.').waitFor(PATIENCE)
    expect(await last.getByRole('button').evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('shows what others have written as text', async () => {
    const { page, url, start } = await open()
    await start('slow', { ms: 3_600_000 }, OWNER)
    await page.goto(url)
    await rowOf(page, 'slow', OWNER).getByRole('button').click(PATIENCE)
    await detail(page).getByText(OWNER).waitFor(PATIENCE)
    expect(await page.locator('img').count()).toBe(0)
  })

  test('says what is wrong where it gets no tasks, and lists them once it gets them', async () => {
    const { page, url, start } = await open()
    await start('slow', { ms: 3_600_000 })
    await page.goto(url)
    await rowOf(page, 'slow', 'working').waitFor(PATIENCE)
    await page.route('**/tasks?*', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
    await button(page, 'Show').click()
    await page.getByRole('alert').getByText('The server answered with HTTP 503.').waitFor(PATIENCE)
    await button(page, 'Show').click()
    await page.getByRole('alert').waitFor({ state: 'hidden', ...PATIENCE })
  })

  test.each([360, 1440])('fits a window of %i px, and axe finds nothing wrong with it', async (width) => {
    const { page, url, server, start } = await open({ viewport: { width, height: 800 } })
    await start('send_invoice_to_customer')
    await start('ask', {}, OWNER)
    const working = await start('slow', { ms: 3_600_000 })
    await server.operator.cancel(await start('slow', { ms: 3_600_000 }))
    await expect.poll(async () => (await server.operator.open(working))?.attempt, PATIENCE).toBe(1)
    await page.goto(url)
    await rowOf(page, 'ask', 'input required').getByRole('button').click(PATIENCE)
    await detail(page).getByText('Input requests').waitFor(PATIENCE)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    await expectAccessible(page)
  })
})
