import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchChromium } from './chromium.js'
import { type DemoServer, startDemo } from './demoServer.js'

let demo: DemoServer
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([startDemo(), launchChromium()])
})

afterAll(async () => {
  await browser?.close()
  await demo?.close()
})

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  await demo.clear()
})

afterEach(() => context.close())

async function open(): Promise<Page> {
  const page = await context.newPage()
  await page.goto(demo.url)
  await page.getByText('Connected', { exact: true }).waitFor()
  return page
}

async function askForApproval(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Release the trailer', exact: true }).click()
  return question(page, 'The trailer is cut. Release it?')
}

async function question(page: Page, message: string): Promise<Locator> {
  const asked = page.getByTestId('question').filter({ has: page.getByRole('heading', { name: message }) })
  await asked.getByRole('button', { name: message }).click()
  return asked
}

async function approve(asked: Locator): Promise<void> {
  await asked.getByLabel('Reason').fill('The premiere is on Friday')
  await asked.getByRole('button', { name: 'Submit' }).click()
}

async function said(page: Page, text: string): Promise<void> {
  await page.getByTestId('desk-item').filter({ hasText: text }).waitFor({ timeout: 20_000 })
}

async function count(method: string): Promise<number> {
  return (await demo.requests()).filter((request) => request.method === method).length
}

test('an approval is sent with what was filled in, and the tool goes on with it', async () => {
  const page = await open()
  const asked = await askForApproval(page)
  await asked.getByLabel('Channel').selectOption('cinemas')
  await approve(asked)
  await said(page, 'Released to cinemas, 3 copies')
  expect(await page.getByTestId('question').count()).toBe(0)
  expect([await count('tools/call'), await count('tasks/update')]).toEqual([1, 1])
})

test('what is declined is not done', async () => {
  const page = await open()
  const asked = await askForApproval(page)
  await asked.getByRole('button', { name: 'Decline' }).click()
  await said(page, 'Nothing was released')
  expect(await count('tasks/update')).toBe(1)
})

test('a form that does not fit keeps what was typed, says beside the field what is wrong, and is sent once mended', async () => {
  const page = await open()
  const asked = await askForApproval(page)
  await asked.getByLabel('Europe').uncheck()
  await approve(asked)
  await asked.getByText('Choose at least 1.').waitFor()
  expect(await asked.getByLabel('Reason').inputValue()).toBe('The premiere is on Friday')
  expect(await asked.getByLabel('Europe').evaluate((box) => box === document.activeElement)).toBe(true)
  expect(await count('tasks/update')).toBe(0)
  const { violations } = await new AxeBuilder({ page }).include('.question').analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])

  await asked.getByLabel('Asia Pacific').check()
  await asked.getByRole('button', { name: 'Submit' }).click()
  await said(page, 'Released to festival')
  expect(await page.getByTestId('question').count()).toBe(0)
})

test('a response that does not get through stays in its form until it has, and is given once', async () => {
  const page = await open()
  const asked = await askForApproval(page)
  let isBroken = true
  await page.route('**/mcp', (route) =>
    isBroken && route.request().postData()?.includes('tasks/update') ? route.abort() : route.continue(),
  )
  await approve(asked)
  await asked.getByText('The server cannot be reached. Trying again…').waitFor()
  expect(await asked.getByLabel('Reason').inputValue()).toBe('The premiere is on Friday')
  expect(await asked.getByRole('button', { name: 'Submit' }).isDisabled()).toBe(true)
  isBroken = false
  await said(page, 'Released to festival')
  expect(await page.getByTestId('question').count()).toBe(0)
  expect(await count('tasks/update')).toBe(1)
})

test('two input requests at once are answered one by one, and a page to visit is shown in full', async () => {
  const page = await open()
  await page.getByRole('button', { name: 'Book a review' }).click()
  for (const [message, choice] of [
    ['When is the review?', 'Tomorrow'],
    ['Which room is the review in?', 'Edit suite'],
  ] as const) {
    const asked = await question(page, message)
    await asked.getByLabel('Choice').selectOption(choice)
    await asked.getByRole('button', { name: 'Submit' }).click()
  }
  await said(page, 'Booked: Edit suite, tomorrow.')

  await page.getByRole('button', { name: 'Link the festival' }).click()
  const link = await question(page, 'Confirm the link on the page of the festival.')
  await link.getByRole('link', { name: new URL('linked.html', demo.url).href }).click()
  await said(page, 'The festival account is linked.')
})

test('a tool that never stops asking is ended by cancelling it', async () => {
  const page = await open()
  await page.getByRole('button', { name: 'Ask the producer' }).click()
  const asked = await question(page, 'Is the ending final? (1)')
  await asked.getByLabel('Choice').selectOption('Quite')
  await asked.getByRole('button', { name: 'Submit' }).click()
  await question(page, 'Is the ending final? (2)')
  await page.getByRole('button', { name: 'Cancel: Ask the producer' }).click()
  await said(page, 'Stopped at your request.')
  expect(await page.getByTestId('question').count()).toBe(0)
  expect([await count('tools/call'), await count('tasks/cancel')]).toEqual([1, 1])
})

test('[DUR-36] an input request outlives its tab, and is answered after coming back', async () => {
  const first = await open()
  await askForApproval(first)
  await first.close()
  const second = await open()
  await approve(await question(second, 'The trailer is cut. Release it?'))
  await said(second, 'Released to festival')
  expect([await count('tools/call'), await count('tasks/update')]).toEqual([1, 1])
})

test('what one tab asked for is answered in another', async () => {
  const [first, second] = [await open(), await open()]
  const inFirst = await askForApproval(first)
  await approve(await question(second, 'The trailer is cut. Release it?'))
  await inFirst.waitFor({ state: 'detached' })
  await Promise.all([said(first, 'Released to festival'), said(second, 'Released to festival')])
  expect([await count('tools/call'), await count('tasks/update')]).toEqual([1, 1])
})

test('axe finds nothing wrong with the input requests', async () => {
  const page = await open()
  await askForApproval(page)
  await page.getByRole('button', { name: 'Link the festival' }).click()
  await question(page, 'Confirm the link on the page of the festival.')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  }
})
