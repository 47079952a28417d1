import type { FrameLocator, Locator, Page } from 'playwright-core'

// What the demo is called on the screen, for everybody who drives it: tests, and the script that takes its pictures.

type Shot = 'Harbour at dawn' | 'Night train' | 'The glasshouse' | 'Low tide'

interface Choices {
  readonly seconds?: 6 | 20 | 60
  readonly ending?: 'goes well' | 'is rejected' | 'breaks off'
}

/** Starts the render of a shot, and finds its card. */
export async function render(
  page: Page,
  shot: Shot,
  { seconds = 6, ending = 'goes well' }: Choices = {},
): Promise<Locator> {
  await page.getByLabel('A render takes').selectOption(`${seconds} s`)
  await page.getByLabel('and it').selectOption(ending)
  await page.getByRole('button', { name: `Render ${shot}` }).click()
  return cardOf(page, shot)
}

export function cardOf(page: Page | FrameLocator, shot: Shot): Locator {
  return page.getByTestId('shot').filter({ has: page.getByRole('heading', { name: shot, exact: true }) })
}

export function see(where: Locator | Page, text: string | RegExp): Promise<void> {
  return where.getByText(text).first().waitFor({ timeout: 20_000 })
}

/** Waits for a picture that was rendered, in place of the sketch. */
export function seePicture(card: Locator): Promise<void> {
  return card.locator('svg.picture:not([data-sketch]) path').first().waitFor({ timeout: 20_000 })
}

export function button(page: Page | FrameLocator, name: string): Locator {
  return page.getByRole('button', { name, exact: true })
}

/** Opens a question of the inbox, and finds it. */
export async function openQuestion(page: Page | FrameLocator, message: string): Promise<Locator> {
  const asked = page.getByTestId('question').filter({ has: page.getByRole('heading', { name: message }) })
  await asked.getByRole('button', { name: message }).click({ timeout: 20_000 })
  return asked
}

/** Resolves once the page has its server. */
export function seeConnected(page: Page): Promise<void> {
  return page.getByText('Connected', { exact: true }).waitFor()
}

/** One thing that the desk does, with what it said. */
export function deskItemOf(page: Page, title: string): Locator {
  return page.getByTestId('desk-item').filter({ has: page.getByRole('heading', { name: title }) })
}

/** Opens the panel for developers. */
export async function openDevtools(page: Page): Promise<void> {
  await button(page, 'Taskwire').click()
  await page.getByRole('tab', { name: 'Calls' }).waitFor()
}
