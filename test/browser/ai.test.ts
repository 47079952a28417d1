import { expect, test } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { startAiApp } from './aiApp.js'
import { launchChromium } from './chromium.js'

test('a chat that is reloaded in mid-tool takes the task up, and the model goes on with its result', async () => {
  const [app, browser] = await Promise.all([startAiApp(), launchChromium()])
  try {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('favicon')) complaints.push(message.text())
    })
    await page.goto(app.url)
    await page.getByLabel('Message').fill('Render the harbour')
    await page.getByRole('button', { name: 'Send' }).click()
    const card = page.getByRole('region', { name: 'render_shot' })
    await card.getByRole('button', { name: 'Cancel' }).waitFor()

    await page.reload()
    await card.getByRole('button', { name: 'Cancel' }).waitFor()
    // It is followed in this page, and not only shown as it was stored.
    const polls = app.received('tasks/get').length
    await expect.poll(() => app.received('tasks/get').length, PATIENCE).toBeGreaterThan(polls)
    await app.finish()
    await page.getByText('The shot is there.').waitFor()
    await page.getByText('render_shot: done').waitFor()
    expect(app.received('tools/call')).toHaveLength(1)

    // What is there stays there, and nothing goes on by itself.
    await page.reload()
    await page.getByText('The shot is there.').waitFor()
    expect(await page.getByRole('article', { name: 'assistant' }).count()).toBe(1)
    expect(app.received('tools/call')).toHaveLength(1)
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
    await app.close()
  }
})
