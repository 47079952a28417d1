import { strictEqual } from 'node:assert'
import type { Browser } from 'playwright-core'
import { look, type PageBytes, untilProgress, watchPage } from './clickThrough.js'

/**
 * Clicks through an example that is a chat: a message, a reload in mid-tool, the answer, a second tab, cancel. Throws at
 * the first thing that is not as it should be, and where the console has anything to say.
 */
export async function chatThrough(browser: Browser, url: string, screenshots?: string): Promise<PageBytes> {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 } })
  context.setDefaultTimeout(60_000)
  const watched = watchPage(context)
  try {
    const page = await context.newPage()
    const bytes = watched.measure(page)
    const say = async (text: string) => {
      await page.getByLabel('Message').fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
    }
    await page.goto(url)
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.waitForLoadState('networkidle')
    const gzip = await bytes()
    await look(page, screenshots, 'first')

    await say('How were the sales of Q3?')
    await untilProgress(page, 1)
    await look(page, screenshots, 'running')
    await page.reload()
    await untilProgress(page, 1)
    await page.getByText(/sold 4,200 pieces in Q3/).waitFor()
    strictEqual(watched.calls(), 1, `the tool was called ${watched.calls()} times`)
    await look(page, screenshots, 'answer')

    // Two tabs that had one chat would both ask the agent, and each would overwrite what the other has.
    const second = await context.newPage()
    await second.goto(url)
    await second.getByRole('button', { name: 'Send' }).waitFor()
    await second.waitForLoadState('networkidle')
    strictEqual(
      await second.getByText('How were the sales of Q3?').count(),
      0,
      'a second tab has the chat of the first',
    )
    await second.close()

    // An answer that is there stays there.
    await page.reload()
    await page.getByText(/sold 4,200 pieces in Q3/).waitFor()
    strictEqual(watched.calls(), 1, `the tool was called ${watched.calls()} times after a second reload`)

    await say('And those of Q2?')
    await untilProgress(page, 1)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText(/That did not work/).waitFor()
    await look(page, screenshots, 'cancelled')
    await say('And those of Q4?')
    await page.getByText(/There are no sales of Q4 yet/).waitFor()
    strictEqual(watched.complaints.join('\n'), '')
    return { gzip }
  } catch (error) {
    const seen = await Promise.all(context.pages().map((page) => page.locator('body').ariaSnapshot().catch(String)))
    throw new Error([String(error), ...seen, ...watched.complaints].join('\n\n'))
  } finally {
    await context.close()
  }
}
