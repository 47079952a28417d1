import { readFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { test } from './engines/engineTest.js'
import type { Found, Place } from './engines/tab.js'
import { button, cardOf, openQuestion, render, see, seePicture, serveStudio } from './studio.js'

const studio = serveStudio()

/** Opens the second tab, and finds it. */
async function openBeside(): Promise<Place> {
  await button(studio.tab, 'Open second tab').click()
  const beside = studio.tab.frameLocator('iframe')
  await beside.getByRole('heading', { name: 'Desk' }).waitFor(PATIENCE)
  await see(studio.tab, /^2 tabs/)
  return beside
}

/** The numbers beside the sentence that says who polls. */
async function tally(): Promise<Record<string, number>> {
  const pairs = await studio.tab
    .locator('.proof dl div')
    .evaluateAll((all) => all.map((one) => [one.children[0]?.textContent, Number(one.children[1]?.textContent)]))
  return Object.fromEntries(pairs)
}

/** The frame that a render has reached. */
async function frameOf(card: Found): Promise<number> {
  return Number(await card.getByRole('progressbar').getAttribute('aria-valuenow'))
}

test('a second tab shows the same work, and two tabs make one call and one poller', async () => {
  const { tab } = studio
  const beside = await openBeside()
  const [here, there] = [await render(tab, 'Harbour at dawn'), cardOf(beside, 'Harbour at dawn')]
  await Promise.all([see(here, /frame \d+ of 96/), see(there, /frame \d+ of 96/)])
  await see(tab, '2 tabs, 1 poller')
  await Promise.all([seePicture(here), seePicture(there)])
  await see(tab, '2 tabs, no polls now')

  expect((await studio.counts())['tools/call']).toBe(1)
  expect(await tally()).toEqual({ 'tools/call': 1, 'tasks/get': (await studio.polls()).length })
  await studio.expectPatience()
})

test('a shot that is rendered twice counts as two runs, and tabs that follow them add none', async () => {
  const { tab } = studio
  await openBeside()
  await seePicture(await render(tab, 'Harbour at dawn'))
  await see(tab, '1 run, 0 lost')
  await render(tab, 'Harbour at dawn')
  await see(tab, '2 runs, 0 lost')
  expect(await tally()).toMatchObject({ 'tools/call': 2 })
})

test('Escape in the second tab closes it, and the focus is back on its button', async () => {
  const { tab } = studio
  const beside = await openBeside()
  await beside.getByRole('button', { name: 'Render Low tide' }).focus()
  await tab.keyboard.press('Escape')
  await see(tab, /^1 tab,/)
  expect(await button(tab, 'Open second tab').evaluate((one) => one === document.activeElement)).toBe(true)
})

test('what is asked in one tab is answered in the other', async () => {
  const { tab } = studio
  const beside = await openBeside()
  await button(tab, 'Release the trailer').click()
  await see(tab, '1 question')
  const asked = await openQuestion(beside, 'The trailer is cut. Release it?')
  await asked.getByLabel('Reason').fill('The premiere is on Friday')
  await studio.expectAccessible()
  await asked.getByRole('button', { name: 'Submit' }).click()
  await see(tab, /Released to festival, 3 copies/)
  await see(tab, 'No questions')
  expect(await studio.counts()).toMatchObject({ 'tools/call': 1, 'tasks/update': 1 })
})

test('the button that reloads goes on with what runs, in both tabs', async () => {
  const { tab } = studio
  await openBeside()
  const card = await render(tab, 'Harbour at dawn', { seconds: 20 })
  await see(card, /frame \d+ of 96/)
  await tab.evaluate(() => document.body.firstElementChild?.setAttribute('data-before', ''))
  await button(tab, 'Reload this page').click()
  await tab.locator('[data-before]').waitFor({ state: 'detached' })
  await see(card, /frame \d+ of 96/)
  await see(cardOf(tab.frameLocator('iframe'), 'Harbour at dawn'), /frame \d+ of 96/)
  await see(tab, '2 tabs, 1 poller')
  expect((await studio.counts())['tools/call']).toBe(1)
  expect(await tally()).toMatchObject({ 'tools/call': 1 })
})

test('without a network nothing is asked, in no tab, and nothing is an error; with it the work is caught up with', async () => {
  const { tab } = studio
  const beside = await openBeside()
  const card = await render(tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await button(tab, 'Cut the network').click()
  await see(card, 'Offline. The work continues.')
  await see(tab.getByRole('banner'), 'Offline')
  const polls = (await studio.polls()).length
  await cardOf(beside, 'Harbour at dawn')
    .getByText(/^Offline/)
    .waitFor()
  expect(await tab.locator('.problem, .connection-problem').count()).toBe(0)
  expect((await studio.polls()).length).toBe(polls)
  await button(tab, 'Cut the network').click()
  await seePicture(card)
  expect((await studio.counts())['tools/call']).toBe(1)
})

test('a call whose answer is lost is asked for again, and runs once', async () => {
  const { tab } = studio
  await button(tab, 'Lose an answer').click()
  expect(await button(tab, 'Lose an answer').getAttribute('aria-pressed')).toBe('true')
  const card = await render(tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await seePicture(card)
  expect(await button(tab, 'Lose an answer').getAttribute('aria-pressed')).toBe('false')
  expect((await studio.counts())['tools/call']).toBe(2)
  expect(new Set((await studio.polls()).map(({ name }) => name)).size).toBe(1)
})

test('a poll whose answer is lost comes again', async () => {
  const { tab } = studio
  const card = await render(tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await button(tab, 'Lose an answer').click()
  await tab.locator('button[aria-pressed="false"]', { hasText: 'Lose an answer' }).waitFor()
  await seePicture(card)
  expect((await studio.counts())['tools/call']).toBe(1)
})

test('a restarted server goes on with its renders where they were, and with its questions', async () => {
  const { tab } = studio
  await button(tab, 'Release the trailer').click()
  await see(tab, '1 question')
  const card = await render(tab, 'Harbour at dawn')
  await vi.waitUntil(
    async () => (await card.getByRole('progressbar').count()) > 0 && (await frameOf(card)) > 10,
    PATIENCE,
  )
  const before = await frameOf(card)
  await button(tab, 'Restart the server').click()
  await see(tab.getByRole('banner'), 'Reconnecting')
  await see(tab.getByRole('banner'), 'Connected')
  expect(await frameOf(card)).toBeGreaterThanOrEqual(before)
  await seePicture(card)

  const asked = await openQuestion(tab, 'The trailer is cut. Release it?')
  await asked.getByLabel('Reason').fill('The premiere is on Friday')
  await asked.getByRole('button', { name: 'Submit' }).click()
  await see(tab, /Released to festival/)
  expect((await studio.counts())['tools/call']).toBe(2)
  // Requests that came while nothing was served.
  studio.excuse('net::ERR_EMPTY_RESPONSE')
  studio.excuse('net::ERR_CONNECTION_RESET')
  studio.excuse('status of 503')
})

test('signing out leaves no record of anything in the browser, in any tab', async () => {
  const { tab } = studio
  const beside = await openBeside()
  const card = await render(tab, 'Harbour at dawn')
  await seePicture(card)
  await render(tab, 'Low tide', { seconds: 60 })
  await button(tab, 'Release the trailer').click()
  await see(tab, '1 question')
  const records = () => tab.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('taskwire:')))
  expect(await records()).not.toEqual([])

  await button(tab, 'Forget and sign out').click()
  await see(tab, '0 records are left in this browser.')
  expect(await records()).toEqual([])
  expect(
    await tab.getByRole('heading', { name: 'You are signed out' }).evaluate((one) => one === document.activeElement),
  ).toBe(true)
  await studio.expectAccessible()
  await tab.reload()
  await button(tab, 'Sign in again').click()
  for (const one of [tab, beside]) await cardOf(one, 'Harbour at dawn').getByText('not rendered yet').waitFor()
  expect(await tally()).toEqual({ 'tools/call': 0, 'tasks/get': 0 })
})

const PANEL = { name: 'The lines that do it' }
const SNIPPETS = [
  ['Render', 'useToolCallMutation'],
  ['Ask', 'useInputRequests'],
  ['Share', 'useToolCall('],
  ['Set up', '<TaskClientProvider client={client}>'],
  ['Sign out', 'client.forget()'],
] as const

test('the code beside the studio is that of its sources', async () => {
  const panel = studio.tab.getByRole('region', PANEL)
  const files = ['studio/ShotCard.tsx', 'studio/ProgressBar.tsx', 'inbox/Inbox.tsx', 'inbox/Question.tsx']
  const sources = [...files, 'desk/Dailies.tsx', 'magic/signIn.ts', 'main.tsx'].map((file) =>
    readFileSync(`demo/app/${file}`, 'utf8'),
  )
  const lines = new Set(sources.flatMap((source) => source.split('\n').map((line) => line.trim())))
  for (const [name, what] of SNIPPETS) {
    await panel.getByRole('radio', { name }).check({ force: true })
    const code = await panel.locator('pre').textContent()
    expect(code).toContain(what)
    expect(code?.split('\n').filter((line) => !lines.has(line.trim()))).toEqual([])
  }
})

test('the code beside the studio can be copied', async () => {
  const { page } = studio
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  const panel = page.getByRole('region', PANEL)
  for (const [name] of SNIPPETS) {
    await panel.getByRole('radio', { name }).check({ force: true })
    await panel.getByRole('button', { name: /^Cop/ }).click()
    expect(await copied()).toBe(await panel.locator('pre').textContent())
  }
  await button(page, 'Copy: the install command').click()
  expect(await copied()).toContain('npm install taskwire')
})
