import { strictEqual } from 'node:assert'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { generate, look, type PageBytes, untilProgress, watchPage } from './clickThrough.js'

/**
 * Clicks through an example whose backend has the client: one user at a desk and at a phone, a reload, and another user who sees
 * nothing of it. Throws at the first thing that is not as it should be, and where the console has anything to say.
 */
export async function usersThrough(browser: Browser, url: string, screenshots?: string): Promise<PageBytes> {
  const contexts: BrowserContext[] = []
  const complaints: string[] = []

  /** A browser of its own, in which somebody signs in. */
  async function signIn(user: string, viewport = { width: 800, height: 600 }) {
    const context = await browser.newContext({ viewport })
    context.setDefaultTimeout(60_000)
    contexts.push(context)
    const watched = watchPage(context)
    const page = await context.newPage()
    const bytes = watched.measure(page)
    await page.goto(url)
    await page.getByRole('button', { name: user }).click()
    await page.getByRole('button', { name: 'Generate report' }).waitFor()
    return { page, context, bytes, complaints: watched.complaints, calls: watched.calls }
  }

  try {
    const desk = await signIn('Ada')
    const gzip = await desk.bytes()
    await look(desk.page, screenshots, 'first')
    await generate(desk.page, 'Q3')
    await untilProgress(desk.page, 1)
    await look(desk.page, screenshots, 'running')
    await desk.page.reload()
    await untilProgress(desk.page, 1)

    const phone = await signIn('Ada', { width: 360, height: 600 })
    await untilProgress(phone.page, 1)
    const other = await signIn('Grace')
    strictEqual(await other.page.locator('progress').count(), 0, 'another user sees the call')

    // Nobody looks, and the work goes on.
    await desk.page.close()
    for (const page of [phone.page, await openAgain(desk.context, url)])
      await page.getByText(/sold 4,200 pieces in Q3/).waitFor()
    const starts = desk.calls() + phone.calls()
    strictEqual(starts, 1, `the call was started ${starts} times`)
    await look(phone.page, screenshots, 'result')

    await generate(phone.page, 'Q2')
    await phone.page.getByRole('button', { name: 'Approve' }).click()
    await phone.page.getByText(/sold 4,200 pieces in Q2/).waitFor()

    await generate(other.page, 'Q4')
    await other.page.getByRole('alert').getByText('There are no sales of Q4 yet.').waitFor()
    strictEqual(await other.page.getByText(/sold/).count(), 0, 'another user sees a result')

    for (const each of [desk, phone, other]) complaints.push(...each.complaints)
    strictEqual(complaints.join('\n'), '')
    return { gzip }
  } catch (error) {
    const pages = contexts.flatMap((context) => context.pages())
    const seen = await Promise.all(pages.map((page) => page.locator('body').ariaSnapshot().catch(String)))
    throw new Error([String(error), ...seen, ...complaints].join('\n\n'))
  } finally {
    for (const context of contexts) await context.close()
  }
}

async function openAgain(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  return page
}
