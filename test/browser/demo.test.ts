import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { test } from './engines/engineTest.js'
import type { Key } from './engines/tab.js'
import {
  button,
  cardOf,
  deskItemOf,
  expectAccessible,
  openQuestion,
  render,
  see,
  seePicture,
  serveStudio,
} from './studio.js'

const studio = serveStudio()

async function openDevtools(): Promise<void> {
  await button(studio.tab, 'Taskwire').click()
  await studio.tab.getByRole('tab', { name: 'Calls' }).waitFor()
}

test('a render shows the frames that the server counts, and then its picture', async () => {
  const { tab } = studio
  const card = await render(tab, 'Harbour at dawn')
  await see(card, /Lighting, frame \d+ of 96/)
  const { said, now, width } = await card.getByRole('progressbar').evaluate((bar) => ({
    said: bar.getAttribute('aria-label') ?? '',
    now: Number(bar.getAttribute('aria-valuenow')),
    width: Number.parseFloat((bar.firstElementChild as HTMLElement).style.width),
  }))
  expect(said).toContain(`frame ${now} of 96`)
  expect(width).toBeCloseTo((now / 96) * 100, 2)
  await see(card, 'Done')
  await see(card, /Take \d+, 96 frames in (?:[6-9]|\d\d) s/)
  await seePicture(card)
  await openDevtools()
  await tab.getByRole('option', { name: /^Harbour at dawn completed/ }).waitFor()

  expect(await studio.counts()).toMatchObject({ 'tools/call': 1 })
  await studio.expectPatience()
})

test('a first visitor finds a shot that is being rendered, and a reload starts no other', async () => {
  const { tab, demo } = studio
  await tab.goto(demo.url)
  const card = cardOf(tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await tab.reload()
  await see(card, /frame [1-9]\d of 96/)
  expect(await studio.counts()).toMatchObject({ 'tools/call': 1 })
})

test('a reload in the middle goes on with the same task and makes no second call', async () => {
  const card = await render(studio.tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await vi.waitUntil(async () => (await studio.polls()).length > 0, PATIENCE)
  const [before] = await studio.polls()

  await studio.tab.reload()
  await see(card, 'Working')
  await see(card, 'Done')
  await seePicture(card)

  expect(await studio.counts()).toMatchObject({ 'tools/call': 1 })
  expect(new Set((await studio.polls()).map(({ name }) => name))).toEqual(new Set([before?.name]))
  // StrictMode mounts everything twice; still there is one poll loop, and it minds what the page before was asked.
  await studio.expectPatience()
})

test('with taskwire/lite the same page does the same, over a reload', async () => {
  const { tab, demo } = studio
  await tab.goto(`${demo.url}?poll&still&lite`)
  const card = await render(tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await tab.reload()
  await see(card, 'Working')
  await see(card, 'Done')
  expect(await studio.counts()).toMatchObject({ 'tools/call': 1 })
  expect(await studio.counts()).not.toHaveProperty('initialize')
  await studio.expectPatience()
})

test('a cancelled render is cancelled on the server, once, and both tabs say meanwhile that it is', async () => {
  const { tab } = studio
  const second = await studio.openTab()
  const other = cardOf(second, 'Low tide')
  const card = await render(tab, 'Low tide', { seconds: 60 })
  await see(card, /frame \d+ of 144/)
  await see(other, /frame \d+ of 144/)
  // The server may stop before a test has looked.
  await second.evaluate(`
    globalThis.said = []
    new MutationObserver(() => said.push(document.body.textContent))
      .observe(document.body, { subtree: true, childList: true, characterData: true })
  `)
  await button(tab, 'Cancel Low tide').click()
  await Promise.all([see(card, 'Cancelled'), see(other, 'Cancelled')])
  expect(await second.evaluate('said.join()')).toMatch(/(Cancelling|The server is stopping)…/)

  expect(await studio.counts()).toMatchObject({ 'tools/call': 1, 'tasks/cancel': 1 })
  await studio.expectPatience()
})

test('a failure, a rejection and a result are told apart in words, the code is a click away, and a reload keeps them', async () => {
  const { tab } = studio
  const broken = await render(tab, 'Night train', { ending: 'breaks off' })
  const rejected = await render(tab, 'The glasshouse', { ending: 'is rejected' })
  const good = await render(tab, 'Harbour at dawn')

  for (const visit of ['first', 'after a reload']) {
    await see(broken, 'Failed')
    await see(broken, 'The scene cannot be read past frame 60.')
    await see(rejected, 'Rejected')
    await see(rejected, 'Frames 28 to 36 flicker: not delivered.')
    await see(good, 'Done')
    await seePicture(good)
    const code = broken.getByText('TaskFailedError, code -32050')
    expect(await code.isVisible(), visit).toBe(false)
    await broken.getByText('The scene cannot').click()
    await code.waitFor()
    await tab.reload()
  }
  await broken.getByText('The scene cannot').click()
  await studio.expectAccessible('.shots')
  expect(await studio.counts()).toMatchObject({ 'tools/call': 3 })

  await button(tab, 'Clear Night train').click()
  await see(broken, '120 frames, not rendered yet')
  expect(await button(tab, 'Render Night train').evaluate((one) => one === document.activeElement)).toBe(true)
})

test('in StrictMode two screens on one key make one call and one poll loop', async () => {
  const { tab } = studio
  await button(tab, 'Show the preview').click()
  await vi.waitUntil(async () => (await tab.locator('.screen svg').count()) === 2, PATIENCE)

  const { 'tools/call': calls, 'tasks/get': gets } = await studio.counts()
  expect(calls).toBe(1)
  // The page knows of as many as the server does.
  await openDevtools()
  await tab.getByRole('tab', { name: 'Wire' }).click()
  await tab.getByRole('option', { name: /^tools\/call/ }).waitFor()
  expect(await tab.getByRole('option', { name: /^tools\/call/ }).count()).toBe(1)
  expect(await tab.getByRole('option', { name: /^tasks\/get/ }).count()).toBe(gets)
  await studio.expectPatience()
})

test('offline a render waits without an error, and online it catches up', async () => {
  const { tab } = studio
  const card = await render(tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await studio.setOffline(true)
  await see(card, /^Offline/)
  expect(await tab.locator('.problem, .connection-problem').count()).toBe(0)
  await studio.setOffline(false)
  await see(card, 'Done')

  expect(await studio.counts()).toMatchObject({ 'tools/call': 1 })
  // A poll that was under way when the network went is the browser's complaint, not ours.
  studio.excuse('net::ERR_INTERNET_DISCONNECTED')
})

test('a call that the server answers at once is no task', async () => {
  await button(studio.tab, 'Show free machines').click()
  await see(studio.tab, /\d+ of 16 machines are free/)
  expect(await studio.counts()).toEqual({ 'tools/call': 1 })
})

test('a server that pushes is hardly polled', async () => {
  const { tab } = studio
  await tab.getByText('Advanced').click()
  await tab.getByRole('link', { name: 'Let the server push' }).click()
  await tab.waitForURL(/\?still=?$/)
  const card = await render(tab, 'Harbour at dawn')
  await see(card, /frame \d+ of 96/)
  await see(card, 'Done')

  const asked = await studio.counts()
  expect(asked['tools/call']).toBe(1)
  expect(asked['tasks/get'] ?? 0).toBeLessThan(3)
})

test('a server of the revision before is no different, a reload included', async () => {
  const { tab } = studio
  await tab.getByText('Advanced').click()
  await tab.getByRole('link', { name: 'Server of 2025-11-25' }).click()
  await tab.waitForURL(/server=legacy/)
  await tab.getByText('Connected', { exact: true }).waitFor()
  await tab.getByText('Advanced').click()
  await see(tab, /MCP 2025-11-25 \(legacy\)/)
  const doomed = await render(tab, 'Low tide', { seconds: 60 })
  await see(doomed, /Geometry|Lighting/)
  // That server says no numbers: the bar is not one at zero, and no hole is left by what its tools cannot do.
  const bar = doomed.getByRole('progressbar')
  expect(await bar.getAttribute('aria-valuenow')).toBeNull()
  expect((await bar.locator('div').boundingBox())?.width).toBeGreaterThan(20)
  const leftOf = async (name: string) => (await tab.getByRole('region', { name }).boundingBox())?.x
  expect(await leftOf('The lines that do it')).toBe(await leftOf('Shots'))
  const card = await render(tab, 'Harbour at dawn')
  // Not before the server has answered: nobody could say of a call that breaks off there whether it runs.
  await see(card, /Geometry|Lighting/)
  await tab.reload()
  await see(doomed, /Geometry|Lighting/)
  await see(card, 'Done')
  await seePicture(card)
  await button(tab, 'Cancel Low tide').click()
  await see(doomed, 'Cancelled')
  await studio.expectAccessible()
  expect(await studio.counts()).toEqual({})
  // It refuses `server/discover`, which is how it is recognized.
  studio.excuse('status of 400')
})

test('with three questions open at 1440 x 900 everything that runs is on the screen, and no button has moved', async () => {
  const { tab } = studio
  const starts = tab.getByRole('button', { name: /^(Render|Release|Book|Link|Ask the producer|Show the preview)/ })
  const places = () => starts.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()))
  const before = await places()
  expect(before).toHaveLength(9)

  const failing = await render(tab, 'Night train', { ending: 'breaks off' })
  const running = [
    await render(tab, 'Harbour at dawn', { seconds: 60 }),
    await render(tab, 'The glasshouse', { seconds: 60 }),
    await render(tab, 'Low tide', { seconds: 60 }),
  ]
  await button(tab, 'Book a review').click()
  await button(tab, 'Release the trailer').click()
  await see(tab, '3 questions')
  for (const card of running) await see(card, /frame \d+ of/)
  await see(failing, 'Failed')
  const questions = await tab.getByTestId('question').all()
  expect(questions).toHaveLength(3)
  for (const box of await Promise.all([...running, ...questions].map((one) => one.boundingBox()))) {
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900)
  }
  expect(await places()).toEqual(before)
  await studio.expectAccessible()
})

test('axe finds nothing wrong with the empty page, an open question, or a narrow page', async () => {
  const { page } = studio
  await expectAccessible(page)
  await button(page, 'Release the trailer').click()
  await button(page, 'Link the festival').click()
  await openQuestion(page, 'Confirm the link on the festival’s page.')
  await expectAccessible(page)
  await openQuestion(page, 'The trailer is cut. Release it?')
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
})

test('axe finds nothing wrong with the devtools of a page at work', async () => {
  const { page } = studio
  await render(page, 'Harbour at dawn', { seconds: 60 })
  await openDevtools()
  for (const name of ['Wire', 'Storage', 'Faults', 'Calls']) {
    await page.getByRole('tab', { name }).click()
    // The page around it has a test of its own.
    await expectAccessible(page, 'taskwire-devtools')
  }
})

/** What can be pressed and is smaller than a finger. */
function smallControls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('a, button, select, summary, input')]
      .filter((one) => one.checkVisibility())
      .map((one) => one.closest('label') ?? one)
      .filter((one) => {
        const { width, height } = one.getBoundingClientRect()
        return width < 43.9 || height < 43.9
      })
      .map((one) => one.outerHTML.slice(0, 120)),
  )
}

test('a page that is offline says of each call what becomes of it, and a phone shows all of that', async () => {
  const page = await studio.open({ viewport: { width: 360, height: 800 } })
  const card = await render(page, 'Harbour at dawn', { seconds: 60 })
  await see(card, /frame \d+ of/)
  await button(page, 'Release the trailer').click()
  const item = deskItemOf(page, 'Release the trailer')
  await see(item, 'Waits for you in the inbox.')
  await page.context().setOffline(true)
  const notes = [
    card.getByText('Offline. The work continues.'),
    item.getByText('Offline. Answers are sent later.'),
    (await render(page, 'Night train')).getByText('Offline. The call is sent later.'),
  ]
  for (const note of notes) {
    await note.waitFor()
    expect(await note.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  }
})

test('a phone shows every button of "Try to lose it" whole, also where the page is scrolled', async () => {
  const page = await studio.open({ viewport: { width: 360, height: 800 } })
  await render(page, 'Harbour at dawn', { seconds: 60 })
  await page.evaluate(() => scrollTo(0, 600))
  const buttons = await page.locator('.magic-buttons button').all()
  const cut = await Promise.all(
    buttons.map((one) =>
      one.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
        const isUncovered = element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
        return isInside && isUncovered && element.scrollWidth <= element.clientWidth ? [] : [element.textContent]
      }),
    ),
  )
  expect(buttons).toHaveLength(6)
  expect(cut.flat()).toEqual([])
})

test('no shot of a phone is half below "Try to lose it", wherever a visitor has scrolled to', async () => {
  const page = await studio.open({ viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true })
  await render(page, 'Harbour at dawn', { seconds: 60 })
  const cut: string[] = []
  for (let y = 0; y < 1000; y += 50) {
    await page.evaluate((top) => scrollTo(0, top), y)
    const names = page.evaluate(() => {
      const edge = document.querySelector('.magic')?.getBoundingClientRect().bottom ?? 0
      return [...document.querySelectorAll('.shot')]
        .filter((shot) => shot.getBoundingClientRect().top < edge - 1 && shot.getBoundingClientRect().bottom > edge + 1)
        .map((shot) => shot.textContent)
    })
    cut.push(...(await names).map((name) => `${name} at ${y}`))
  }
  expect(cut).toEqual([])
})

test('a phone scrolls what the keyboard reaches to below "Try to lose it"', async () => {
  const page = await studio.open({ viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true })
  const start = cardOf(page, 'Night train').getByRole('button', { name: /^Render/ })
  await start.evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 20))
  await start.focus()
  const panel = await page.locator('.magic').boundingBox()
  const reached = await start.boundingBox()
  expect(reached?.y).toBeGreaterThanOrEqual((panel?.y ?? 0) + (panel?.height ?? 800))
})

test('what a finger presses is 44 pixels wide and high', async () => {
  const page = await studio.open({ viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true })
  await render(page, 'Night train', { ending: 'breaks off' })
  await render(page, 'Harbour at dawn', { seconds: 60 })
  await button(page, 'Release the trailer').click()
  await button(page, 'Link the festival').click()
  await openQuestion(page, 'The trailer is cut. Release it?')
  const sizes = await smallControls(page)
  await openQuestion(page, 'Confirm the link on the festival’s page.')
  await page.getByText('Advanced').click()
  await see(cardOf(page, 'Night train'), 'Failed')
  expect([...sizes, ...(await smallControls(page))]).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)

  // On a phone the picture of a shot is whole: it fills from its left edge.
  const picture = await page.getByTestId('shot').locator('svg.picture').first().boundingBox()
  expect((picture?.width ?? 0) / (picture?.height ?? 1)).toBeCloseTo(16 / 9)
  // Nothing covers a shot.
  expect(await button(page, 'Taskwire').count()).toBe(0)
  const tablet = await studio.open({ viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true })
  const devtools = button(tablet, 'Taskwire')
  const boxes = [await devtools.boundingBox()]
  await devtools.click()
  for (const tab of await tablet.getByRole('tab', { name: /^(Calls|Wire|Storage|Faults)$/ }).all())
    boxes.push(await tab.boundingBox())
  expect(boxes).toHaveLength(5)
  for (const box of boxes) expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
})

test('nothing moves for a user who wants less motion', async () => {
  const { page } = studio
  const animations = () => page.evaluate(() => document.getAnimations().length)
  const card = await render(page, 'Harbour at dawn', { seconds: 60 })
  await see(card, /frame \d+ of 96/)
  expect(await animations()).toBe(0)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await vi.waitUntil(async () => (await animations()) > 0, PATIENCE)
})

test('the page is worked by keyboard alone', async () => {
  const { tab } = studio
  const focused = () =>
    tab.evaluate(() => {
      const { activeElement: one } = document
      const isOutlined = one !== null && getComputedStyle(one).outlineStyle !== 'none'
      return [one?.getAttribute('aria-label') ?? one?.textContent?.trim(), isOutlined]
    })
  const press = (key: Key) => tab.keyboard.press(key)

  await press('Tab')
  expect(await focused()).toEqual(['Advanced', true])
  await press('Enter')
  await press('Tab')
  expect(await focused()).toEqual(['Let the server push', true])
  await press('Escape')
  expect(await focused()).toEqual(['Advanced', true])
  expect(await tab.getByRole('link', { name: 'Let the server push' }).isVisible()).toBe(false)
  for (const name of ['Copy: the install command', 'Documentation', 'npm', 'Source', 'Show free machines']) {
    await press('Tab')
    expect(await focused()).toEqual([name, true])
  }

  await button(tab, 'Book a review').focus()
  await press('Enter')
  await see(tab, '2 questions')
  const row = tab.getByRole('button', { name: 'Which room is the review in?' })
  await row.focus()
  await press('Enter')
  await press('Tab')
  expect(await tab.evaluate(() => document.activeElement?.tagName)).toBe('SELECT')
  await press('Escape')
  expect(await row.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(await row.getAttribute('aria-expanded')).toBe('false')
  await press('Enter')
  await press('Tab')
  await press('ArrowDown')
  await press('Tab')
  await press('Enter')
  // Its form is gone with the question: the focus is at the head of the list.
  await see(tab, '1 question')
  expect((await focused())[0]).toBe('Inbox')
})
