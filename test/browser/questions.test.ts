import { expect } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { test } from './engines/engineTest.js'
import type { Found, Tab } from './engines/tab.js'
import { button, openQuestion, serveStudio } from './studio.js'

const studio = serveStudio()

const RELEASE = 'The trailer is cut. Release it?'

async function askForApproval(tab: Tab): Promise<Found> {
  await button(tab, 'Release the trailer').click()
  return openQuestion(tab, RELEASE)
}

async function approve(asked: Found): Promise<void> {
  await asked.getByLabel('Reason').fill('The premiere is on Friday')
  await button(asked, 'Submit').click()
}

async function said(tab: Tab, text: string): Promise<void> {
  await tab.locator('[data-testid="desk-item"]', { hasText: text }).waitFor(PATIENCE)
}

test('an approval is sent with what was filled in, and the tool goes on with it', async () => {
  const { tab } = studio
  const asked = await askForApproval(tab)
  await asked.getByLabel('Channel').selectOption('cinemas')
  await approve(asked)
  await said(tab, 'Released to cinemas, 3 copies')
  expect(await tab.getByTestId('question').count()).toBe(0)
  expect(await studio.counts()).toMatchObject({ 'tools/call': 1, 'tasks/update': 1 })
})

test('what is declined is not done', async () => {
  const { tab } = studio
  const asked = await askForApproval(tab)
  await asked.getByRole('button', { name: 'Decline' }).click()
  await said(tab, 'Nothing was released')
  expect(await studio.counts()).toMatchObject({ 'tasks/update': 1 })
})

test('a form that does not fit keeps what was typed, says beside the field what is wrong, and is sent once mended', async () => {
  const { tab } = studio
  const asked = await askForApproval(tab)
  await asked.getByLabel('Europe').uncheck()
  await approve(asked)
  await asked.getByText('Choose at least 1.').waitFor()
  expect(await asked.getByLabel('Reason').inputValue()).toBe('The premiere is on Friday')
  expect(await asked.getByLabel('Europe').evaluate((box) => box === document.activeElement)).toBe(true)
  expect(await studio.counts()).not.toHaveProperty('tasks/update')
  await studio.expectAccessible('.question')

  await asked.getByLabel('Asia Pacific').check()
  await asked.getByRole('button', { name: 'Submit' }).click()
  await said(tab, 'Released to festival')
  expect(await tab.getByTestId('question').count()).toBe(0)
})

test('a response that does not get through stays in its form until it has, and is given once', async () => {
  const { tab } = studio
  const asked = await askForApproval(tab)
  studio.demo.cut('tasks/update')
  await approve(asked)
  await asked.getByText('The server cannot be reached. Trying again…').waitFor()
  expect(await asked.getByLabel('Reason').inputValue()).toBe('The premiere is on Friday')
  expect(await asked.getByRole('button', { name: 'Submit' }).isDisabled()).toBe(true)
  studio.demo.cut(undefined)
  await said(tab, 'Released to festival')
  expect(await tab.getByTestId('question').count()).toBe(0)
  expect(await studio.counts()).toMatchObject({ 'tasks/update': 1 })
  // The connections that were broken.
  studio.excuse('net::ERR_EMPTY_RESPONSE')
  studio.excuse('net::ERR_CONNECTION_RESET')
})

test('two input requests at once are answered one by one, and a page to visit is shown in full', async () => {
  const { tab } = studio
  await tab.getByRole('button', { name: 'Book a review' }).click()
  for (const [message, label, choice] of [
    ['When is the review?', 'Day', 'Tomorrow'],
    ['Which room is the review in?', 'Room', 'Edit suite'],
  ] as const) {
    const asked = await openQuestion(tab, message)
    await asked.getByText(label, { exact: true }).waitFor()
    await asked.locator('select').selectOption(choice)
    await asked.getByRole('button', { name: 'Submit' }).click()
  }
  await said(tab, 'Booked: Edit suite, tomorrow.')

  await tab.getByRole('button', { name: 'Link the festival' }).click()
  const link = await openQuestion(tab, 'Confirm the link on the festival’s page.')
  await link.getByRole('link', { name: new URL('linked.html', studio.demo.url).href }).click()
  await said(tab, 'The festival account is linked.')
})

test('a tool that never stops asking is ended by cancelling it', async () => {
  const { tab } = studio
  await tab.getByRole('button', { name: 'Ask the producer' }).click()
  const asked = await openQuestion(tab, 'Is the ending final? (1)')
  await asked.getByLabel('Answer').selectOption('Quite')
  await asked.getByRole('button', { name: 'Submit' }).click()
  await openQuestion(tab, 'Is the ending final? (2)')
  await tab.getByRole('button', { name: 'Cancel: Ask the producer' }).click()
  await said(tab, 'Stopped at your request.')
  expect(await tab.getByTestId('question').count()).toBe(0)
  expect(await studio.counts()).toMatchObject({ 'tools/call': 1, 'tasks/cancel': 1 })
})

test('[DUR-36] an input request outlives its tab, and is answered after coming back', async () => {
  await askForApproval(studio.tab)
  await studio.tab.close()
  const second = await studio.openTab()
  await approve(await openQuestion(second, RELEASE))
  await said(second, 'Released to festival')
  expect(await studio.counts()).toMatchObject({ 'tools/call': 1, 'tasks/update': 1 })
})

test('what one tab asked for is answered in another', async () => {
  const [first, second] = [studio.tab, await studio.openTab()]
  const inFirst = await askForApproval(first)
  await approve(await openQuestion(second, RELEASE))
  await inFirst.waitFor({ state: 'detached' })
  await Promise.all([said(first, 'Released to festival'), said(second, 'Released to festival')])
  expect(await studio.counts()).toMatchObject({ 'tools/call': 1, 'tasks/update': 1 })
})

test('axe finds nothing wrong with the input requests', async () => {
  const { tab } = studio
  await askForApproval(tab)
  await tab.getByRole('button', { name: 'Link the festival' }).click()
  await openQuestion(tab, 'Confirm the link on the festival’s page.')
  await studio.expectAccessible()
})
