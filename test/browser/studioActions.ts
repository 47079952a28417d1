import { PATIENCE } from '../support/patience.js'
import type { Found, Place } from './engines/tab.js'

// What the demo is called on the screen, for everybody who drives it: tests, and the script that takes its pictures.

type Shot = 'Harbour at dawn' | 'Night train' | 'The glasshouse' | 'Low tide'

interface Choices {
  readonly seconds?: 6 | 20 | 60
  readonly ending?: 'goes well' | 'is rejected' | 'breaks off'
}

/** What a place finds: of Playwright's places, Playwright's locators. */
type FoundIn<P extends Place> = ReturnType<P['getByTestId']>

/** Starts the render of a shot, and finds its card. */
export async function render<P extends Place>(
  page: P,
  shot: Shot,
  { seconds = 6, ending = 'goes well' }: Choices = {},
): Promise<FoundIn<P>> {
  await page.getByLabel('A render takes').selectOption(`${seconds} s`)
  await page.getByLabel('and it').selectOption(ending)
  await page.getByRole('button', { name: `Render ${shot}` }).click()
  return cardOf(page, shot)
}

export function cardOf<P extends Place>(page: P, shot: Shot): FoundIn<P> {
  return itemOf(page, 'shot', page.getByRole('heading', { name: shot, exact: true }))
}

export function see(where: Place, text: string | RegExp): Promise<void> {
  return where.getByText(text).first().waitFor(PATIENCE)
}

/** Waits for a picture that was rendered, in place of the sketch. */
export function seePicture(card: Place): Promise<void> {
  return card.locator('svg.picture:not([data-sketch]) path').first().waitFor(PATIENCE)
}

export function button<P extends Place>(page: P, name: string): FoundIn<P> {
  return page.getByRole('button', { name, exact: true }) as FoundIn<P>
}

/** Opens a question of the inbox, and finds it. */
export async function openQuestion<P extends Place>(page: P, message: string): Promise<FoundIn<P>> {
  const asked = itemOf(page, 'question', page.getByRole('heading', { name: message }))
  await asked.getByRole('button', { name: message }).click(PATIENCE)
  return asked
}

/** Resolves once the page has its server. */
export function seeConnected(page: Place): Promise<void> {
  return page.getByText('Connected', { exact: true }).waitFor()
}

/** One thing that the desk does, with what it said. */
export function deskItemOf<P extends Place>(page: P, title: string): FoundIn<P> {
  return itemOf(page, 'desk-item', page.getByRole('heading', { name: title }))
}

/** Opens the panel for developers. */
export async function openDevtools(page: Place): Promise<void> {
  await button(page, 'Taskwire').click()
  await page.getByRole('tab', { name: 'Calls' }).waitFor()
}

const itemOf = <P extends Place>(page: P, testId: string, has: Found): FoundIn<P> =>
  page.getByTestId(testId).filter({ has }) as FoundIn<P>
