import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { launchChromium } from './chromium.js'
import { startDemo } from './demoServer.js'
import { type GatewayApp, serverFile, startGatewayApp } from './gatewayApp.js'
import { button, cardOf, render, see, seeConnected, seePicture } from './studioActions.js'

let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())
beforeEach(async () => {
  context = await browser.newContext()
  onTestFinished(() => context.close())
})

const everything = (...options: string[]) => start([serverFile('server-everything'), 'stdio'], ...options)

async function start(server: readonly string[], ...options: string[]): Promise<GatewayApp> {
  const app = await startGatewayApp(server, options)
  onTestFinished(() => app.close())
  return app
}

async function openTab(url: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(url)
  return tab
}

const press = (tab: Page, name: string) => tab.getByRole('button', { name }).click()

/** How far the bar of a tab is, once it shows a number. */
const progressOf = async (tab: Page): Promise<number> =>
  Number(await tab.locator('progress[value]').getAttribute('value'))

test('the slow tool of a published server survives a reload, a second tab and a cut network, and runs once', async () => {
  const app = await everything('--after', '0.5')
  const tab = await openTab(app.url)
  await press(tab, 'Start')
  expect(await progressOf(tab)).toBeLessThan(29)
  await tab.reload()
  expect(await progressOf(tab)).toBeLessThan(29)
  const second = await openTab(app.url)
  const before = await progressOf(second)
  await context.setOffline(true)
  await tab.close()
  await second.waitForFunction(() => !navigator.onLine)
  await context.setOffline(false)
  await expect.poll(() => progressOf(second), PATIENCE).toBeGreaterThan(before)
  await second.getByText('Long running operation completed. Duration: 30 seconds').waitFor(PATIENCE)
  expect(await app.calls()).toEqual(['trigger-long-running-operation'])
})

test('a page answers what a published server asks: a form, and a completion by a model', async () => {
  const app = await everything('--tasks', 'trigger-elicitation-request,trigger-sampling-request')
  const form = await openTab(app.urlOf('trigger-elicitation-request'))
  await press(form, 'Start')
  await press(form, 'Answer elicitation/create')
  await form.getByText('User provided the requested information').waitFor()
  const model = await openTab(app.urlOf('trigger-sampling-request', { prompt: 'Say hello' }))
  await press(model, 'Start')
  await model.getByText('input_required').waitFor()
  // The input request outlives the page that showed it first.
  await model.reload()
  await press(model, 'Answer sampling/createMessage')
  await model.getByText('Hello from the page').waitFor()
  expect(await app.calls()).toEqual(['trigger-elicitation-request', 'trigger-sampling-request'])
})

test('an edit of a file by a published server is made once, over a cut network, a reload and a second tab', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'count.txt')
  await writeFile(path, 'x')
  const app = await start([serverFile('server-filesystem'), folder], '--tasks', 'edit_file')
  const url = app.urlOf('edit_file', { path, edits: [{ oldText: 'x', newText: 'xx' }] })
  const tab = await openTab(url)
  await context.setOffline(true)
  await press(tab, 'Start')
  await tab.getByText('calling offline').waitFor()
  expect(await readFile(path, 'utf8')).toBe('x')
  await context.setOffline(false)
  await tab.getByText('completed').waitFor()
  await tab.reload()
  await tab.getByText('completed').waitFor()
  const second = await openTab(url)
  await second.getByText('completed').waitFor()
  expect(await second.locator('output').textContent()).toContain('count.txt')
  expect(await readFile(path, 'utf8')).toBe('xx')
  expect(await app.calls()).toEqual(['edit_file'])
})

test('the demo renders on a server of MCP 2025-11-25 behind the gateway, over a reload, a second tab and a cut network', async () => {
  const demo = await startDemo({ isBundled: true, hasGateway: true })
  onTestFinished(() => demo.close())
  const calls: string[] = []
  context.on('request', (request) => {
    if (request.headers()['mcp-method'] === 'tools/call') calls.push(request.url())
  })
  const tab = await openTab(`${demo.url}?poll&still`)
  await seeConnected(tab)
  const card = await render(tab, 'Harbour at dawn', { seconds: 20 })
  await see(card, /Geometry|Lighting/)
  await tab.reload()
  await see(card, 'Working')
  const second = await openTab(`${demo.url}?poll&still`)
  await see(cardOf(second, 'Harbour at dawn'), 'Working')
  await context.setOffline(true)
  await see(card, 'Offline')
  await context.setOffline(false)
  for (const each of [tab, second]) {
    await see(cardOf(each, 'Harbour at dawn'), 'Done')
    await seePicture(cardOf(each, 'Harbour at dawn'))
  }
  expect(calls).toEqual([`${demo.url}mcp`])
  const doomed = await render(tab, 'Low tide', { seconds: 60 })
  await see(doomed, 'Working')
  await button(tab, 'Cancel Low tide').click()
  await see(doomed, 'Cancelled')
})
