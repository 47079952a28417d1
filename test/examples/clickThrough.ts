import { strictEqual } from 'node:assert'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page, Request, Response } from 'playwright-core'

/** What a page of an example ships at first load, gzip -9 file by file. */
export interface PageBytes {
  readonly gzip: number
}

/**
 * Clicks through an example as its reader would: start, reload in the middle, a second tab, the result, cancel, an error.
 * Throws at the first thing that is not as it should be, and where the console has anything to say.
 */
export async function clickThrough(browser: Browser, url: string, screenshots?: string): Promise<PageBytes> {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 } })
  context.setDefaultTimeout(60_000)
  const { complaints, calls, measure } = watchPage(context)
  try {
    const tab = await context.newPage()
    const bytes = measure(tab)
    const streams = tab.waitForResponse(isStream).catch(() => {})
    await tab.goto(url)
    await tab.getByRole('button', { name: 'Generate report' }).waitFor()
    // The page of a backend that has the client is never idle: it has a stream.
    await Promise.race([tab.waitForLoadState('networkidle'), streams])
    const gzip = await bytes()
    await look(tab, screenshots, 'first')

    await context.setOffline(true)
    await generate(tab, 'Q3')
    await tab.getByRole('status').getByText('You are offline. Waiting for the network.').waitFor()
    await look(tab, screenshots, 'offline')
    await context.setOffline(false)
    await untilProgress(tab, 1)
    await tab
      .getByRole('status')
      .getByText(/Adding up/)
      .waitFor()
    await look(tab, screenshots, 'running')
    await context.setOffline(true)
    await tab.getByRole('status').getByText('You are offline. The report continues.').waitFor()
    await context.setOffline(false)
    await tab.reload()
    await untilProgress(tab, 1)
    strictEqual(await tab.getByLabel('Quarter').inputValue(), 'Q3', 'the form does not show what was asked for')

    const second = await context.newPage()
    await second.goto(url)
    await untilProgress(second, 1)
    for (const page of [tab, second]) await page.getByText(/sold 4,200 pieces in Q3/).waitFor()
    strictEqual(calls(), 1, `the tool was called ${calls()} times`)
    await look(tab, screenshots, 'result')

    // A report that is there stays there.
    await tab.reload()
    await tab.getByText(/sold 4,200 pieces in Q3/).waitFor()
    strictEqual(calls(), 1, `the tool was called ${calls()} times after a second reload`)

    await generate(tab, 'Q2')
    await untilProgress(second, 1)
    await second.getByRole('button', { name: 'Cancel' }).click()
    for (const page of [tab, second]) {
      await page.getByRole('status').getByText('The report was cancelled.').waitFor()
      strictEqual(await page.getByText(/sold/).count(), 0, 'an earlier result stands beside the cancellation')
    }
    strictEqual(calls(), 2, `the tool was called ${calls()} times for two reports`)
    await look(tab, screenshots, 'cancelled')

    await generate(tab, 'Q4')
    await tab.getByRole('alert').getByText('There are no sales of Q4 yet.').waitFor()

    strictEqual(complaints.join('\n'), '')
    return { gzip }
  } catch (error) {
    const seen = await Promise.all(context.pages().map((page) => page.locator('body').ariaSnapshot().catch(String)))
    throw new Error([String(error), ...seen, ...complaints].join('\n\n'))
  } finally {
    await context.close()
  }
}

/**
 * Clicks through the question that the tool of an app asks: a form, which a reload keeps, then what the tool that has failed says.
 * Throws at the first thing that is not as it should be.
 */
export async function declineThrough(browser: Browser, url: string, screenshots?: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 } })
  context.setDefaultTimeout(60_000)
  const { complaints, calls } = watchPage(context)
  try {
    const tab = await context.newPage()
    await tab.goto(url)
    const question = tab.getByText('Some returns of Q2 are still open.')
    await generate(tab, 'Q2')
    await question.waitFor()
    await tab.getByRole('status').getByText('Waiting for your answer.').waitFor()
    await look(tab, screenshots, 'question')
    await tab.reload()
    await question.waitFor()
    strictEqual(await tab.getByLabel('Quarter').inputValue(), 'Q2', 'the form does not show what was asked for')
    await tab.getByRole('button', { name: 'Decline' }).click()
    await tab.getByRole('alert').getByText('There is no report before the returns are counted.').waitFor()
    strictEqual(await question.count(), 0, 'the question is still there')
    strictEqual(await tab.getByText(/pieces/).count(), 0, 'a tool that has failed has a report')
    await look(tab, screenshots, 'failed')
    strictEqual(calls(), 1, `the tool was called ${calls()} times`)
    strictEqual(complaints.join('\n'), '')
  } finally {
    await context.close()
  }
}

/** What is said in the console, asked of other servers, and called, in all pages of a context. */
interface Watched {
  readonly complaints: string[]
  /** How many times a tool was called. */
  calls(): number
  /** Measures what this page loads. Returns a function that says how many bytes that are. */
  measure(page: Page): () => Promise<number>
}

export function watchPage(context: BrowserContext): Watched {
  const complaints: string[] = []
  let calls = 0
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console.${message.type()}: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`uncaught: ${error.error().message}`))
  context.on('request', (request) => {
    if (isCall(request)) calls += 1
    if (!['127.0.0.1', ''].includes(new URL(request.url()).hostname)) complaints.push(`asks ${request.url()}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} of ${response.url()}`)
  })
  return { complaints, calls: () => calls, measure }
}

/** True if it calls a tool, or has the backend call it. */
function isCall(request: Request): boolean {
  if (request.headers()['mcp-method'] === 'tools/call') return true
  return request.method() === 'POST' && request.postData()?.includes('"type":"start"') === true
}

function isStream(response: Response): boolean {
  return response.request().method() === 'GET' && response.headers()['content-type'] === 'text/event-stream'
}

function measure(page: Page): () => Promise<number> {
  const files = new Map<string, Promise<number>>()
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    // A stream has no last byte to wait for.
    if (response.request().method() !== 'GET' || pathname === '/mcp' || isStream(response) || files.has(pathname))
      return
    files.set(
      pathname,
      response.body().then(
        (body) => gzipSync(body, { level: 9 }).length,
        () => 0,
      ),
    )
  })
  return async () => (await Promise.all(files.values())).reduce((sum, size) => sum + size, 0)
}

export async function generate(page: Page, quarter: string): Promise<void> {
  await page.getByLabel('Quarter').selectOption(quarter)
  await page.getByRole('button', { name: 'Generate report' }).click()
}

/** Until so many parts of the work are done, by the progress bar. */
export async function untilProgress(page: Page, least: number): Promise<void> {
  await page.waitForFunction((value) => {
    const bar = document.querySelector('progress')
    return bar?.checkVisibility() === true && bar.hasAttribute('value') && bar.value >= value
  }, least)
}

export async function look(page: Page, folder: string | undefined, name: string): Promise<void> {
  if (folder === undefined) return
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1440]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 600 })
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
