import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { type BridgeApp, type Carrier, startBridgeApp } from './bridgeApp.js'
import { launchChromium } from './chromium.js'

let browser: Browser
let app: BridgeApp

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  await app.close()
})

/** A profile in which this user is signed in. */
async function signIn(user: string): Promise<{ context: BrowserContext; tab: Page }> {
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(`${app.url}sign-in?user=${user}`)
  await tab.getByText('connected').waitFor()
  return { context, tab }
}

const press = (tab: Page, text: string) => tab.getByRole('button', { name: text }).click()
const shows = (tab: Page, text: string) => tab.getByRole('listitem').filter({ hasText: text }).waitFor()

/** A profile in which this user is signed in, and a call of this name runs. */
async function startAs(user: string, name: string): ReturnType<typeof signIn> {
  const profile = await signIn(user)
  await press(profile.tab, `Start ${name}`)
  await shows(profile.tab, `${name}, working, ok, adding up`)
  return profile
}

describe.each<Carrier>(['server-sent events', 'a WebSocket'])('a page that has its news by %s', (carrier) => {
  beforeEach(async () => {
    app = await startBridgeApp(carrier)
  })

  test('a call is there after a reload and in a second tab, for which the one stream is opened again', async () => {
    const { context, tab } = await startAs('ada', 'first')
    await tab.reload()
    await shows(tab, 'first, working, ok, adding up')
    const streams = app.streams()
    const second = await context.newPage()
    await second.goto(app.url)
    await shows(second, 'first, working, ok, adding up')
    await press(second, 'Ask')
    await shows(tab, 'question, input_required')
    await press(tab, 'Yes')
    await shows(second, 'question, completed, ok, accept')
    expect(app.streams()).toBe(streams + 1)
    await tab.close()
    app.finish('first')
    await shows(second, 'first, completed, ok, report first')
    expect(app.toolCalls).toBe(2)
  })

  test('offline is shown, and what is asked meanwhile is sent once', async () => {
    const { context, tab } = await startAs('ada', 'first')
    await context.setOffline(true)
    await shows(tab, 'first, working, offline')
    await press(tab, 'Start second')
    await shows(tab, 'second, calling, offline')
    app.finish('first')
    expect(app.started()).toEqual(['first'])
    await context.setOffline(false)
    await shows(tab, 'first, completed, ok, report first')
    await shows(tab, 'second, working, ok')
    app.finish('second')
    await shows(tab, 'second, completed, ok, report second')
    expect(app.started()).toEqual(['first', 'second'])
    expect(app.toolCalls).toBe(2)
  })

  test('a backend that is started again in the middle of a task goes on with it, and so does the page', async () => {
    const { tab } = await startAs('ada', 'first')
    const streams = app.streams()
    await app.restart()
    await expect.poll(() => app.streams(), PATIENCE).toBeGreaterThan(streams)
    await shows(tab, 'first, working, ok')
    app.finish('first')
    await shows(tab, 'first, completed, ok, report first')
    expect(app.toolCalls).toBe(1)
  })

  test('two users in two profiles see nothing of each other, and who is not signed in sees nothing', async () => {
    const [ada, eve] = [await startAs('ada', 'first'), await startAs('eve', 'second')]
    expect(await eve.tab.getByRole('listitem').allTextContents()).toEqual(['second, working, ok, adding up'])
    expect(await ada.tab.getByRole('listitem').allTextContents()).toEqual(['first, working, ok, adding up'])
    const nobody = await (await browser.newContext()).newPage()
    await nobody.goto(app.url)
    await nobody.getByText('unauthorized').waitFor()
    expect(await nobody.getByRole('listitem').count()).toBe(0)
  })
})
