import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { LoggedRequest } from '../../demo/server/requestLog.js'
import { launchChromium } from './chromium.js'
import { type FileServer, serveFiles } from './fileServer.js'
import { button, cardOf, deskItemOf, openDevtools, openQuestion, render, see, seeConnected } from './studioActions.js'

const POLL_INTERVAL_MS = 1000

let folder: string
let files: FileServer
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]
/** The hosts that something was asked of. */
let hosts: Set<string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwire-site-'))
  // As `npm run demo:build` finds it outside of a test.
  vi.stubEnv('NODE_ENV', 'production')
  await build({
    configFile: 'demo/vite.config.ts',
    mode: 'site',
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  })
  vi.unstubAllEnvs()
  ;[files, browser] = await Promise.all([serveFiles(folder, '/some/folder/'), launchChromium()])
})

afterAll(async () => {
  await browser?.close()
  files?.close()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  complaints = []
  hosts = new Set()
  context.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).host)
  })
  page = await open()
})

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') {
    console.log(await page.locator('body').ariaSnapshot(), await requests().catch(() => {}), complaints)
  }
  await context.close()
  expect([...hosts]).toEqual([new URL(files.url).host])
  expect(files.missing.splice(0)).toEqual([])
})

/** Another tab of the same visitor. */
async function open(path = '?poll&still'): Promise<Page> {
  const opened = await context.newPage()
  opened.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  opened.on('pageerror', (error) => complaints.push(String(error)))
  await opened.goto(files.url + path)
  await seeConnected(opened)
  return opened
}

const requests = () => page.evaluate<LoggedRequest[]>("fetch('__requests').then((response) => response.json())")

const countOf = async (method: string) => (await requests()).filter((request) => request.method === method).length

/** Of a single call: how long each poll came after the response before it, in ms, as the server saw it. */
async function waits(): Promise<number[]> {
  const about = (await requests()).filter(({ method }) => method === 'tools/call' || method === 'tasks/get')
  return about.slice(1).map(({ time }, index) => time - (about[index]?.answeredAt ?? Number.POSITIVE_INFINITY))
}

const isFailedRequest = (text: string) => text.includes('net::ERR_FAILED')

test('from any folder of a plain file server, a render finishes, and nothing is asked of anybody else', async () => {
  const shot = await render(page, 'Night train')
  await see(shot, 'Working')
  await see(shot, 'Done')
  expect(await countOf('tools/call')).toBe(1)
  expect(complaints).toEqual([])
})

test('a reload leaves the server at work, and the page goes on with the same task', async () => {
  const shot = await render(page, 'Night train')
  await see(shot, /\bof 120\b/)
  await page.reload()
  await seeConnected(page)
  await see(shot, 'Done')
  expect(await countOf('tools/call')).toBe(1)
  expect(complaints).toEqual([])
})

test('a reload past the service worker is taken over by it', async () => {
  await context.addInitScript('window.wasControlled = navigator.serviceWorker.controller !== null')
  const session = await context.newCDPSession(page)
  await session.send('Page.reload', { ignoreCache: true })
  await seeConnected(page)
  expect(await page.evaluate('window.wasControlled')).toBe(false)
  expect(complaints).toEqual([])
})

test('a second tab shows the same render, over one server and one poll loop', async () => {
  await render(page, 'Night train')
  const other = await open()
  await Promise.all([see(cardOf(page, 'Night train'), 'Done'), see(cardOf(other, 'Night train'), 'Done')])
  expect(await countOf('tools/call')).toBe(1)
  expect(Math.min(...(await waits()))).toBeGreaterThanOrEqual(POLL_INTERVAL_MS)
  expect(complaints).toEqual([])
})

test('a question is answered', async () => {
  await button(page, 'Release the trailer').click()
  const form = await openQuestion(page, 'The trailer is cut. Release it?')
  await form.getByLabel('Reason').fill('It is good')
  await form.getByRole('button', { name: 'Submit' }).click()
  await see(deskItemOf(page, 'Release the trailer'), /^Released to festival, 3 copies/)
  expect(complaints).toEqual([])
})

test('a page that a question sends the user to is there', async () => {
  await button(page, 'Link the festival').click()
  const form = await openQuestion(page, 'Confirm the link on the festival’s page.')
  const [linked] = await Promise.all([context.waitForEvent('page'), form.getByRole('link').first().click()])
  await linked.waitForLoadState()
  expect(linked.url()).toBe(`${files.url}linked.html`)
})

test('the server restarts in the middle of a render, which goes on', async () => {
  const shot = await render(page, 'Night train')
  await see(shot, 'Working')
  const restarted = page.waitForResponse(/__server\/restart$/)
  await button(page, 'Restart the server').click()
  expect((await restarted).status()).toBe(202)
  await see(shot, 'Done')
  expect(await countOf('tools/call')).toBe(1)
  expect(complaints.filter((text) => !isFailedRequest(text))).toEqual([])
})

test('a stopped service worker takes up its work when it is asked again', async () => {
  const shot = await render(page, 'Night train')
  await see(shot, 'Working')
  const session = await context.newCDPSession(page)
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await see(shot, 'Done')
  // What it had in memory is gone.
  expect(await countOf('tools/call')).toBe(0)
  expect(complaints.filter((text) => !isFailedRequest(text))).toEqual([])
})

test('the server pushes, and is hardly polled', async () => {
  page = await open('?still')
  const shot = await render(page, 'Night train')
  await see(shot, 'Done')
  expect(await countOf('subscriptions/listen')).toBeGreaterThan(0)
  expect(await countOf('tasks/get')).toBeLessThan(3)
  expect(complaints).toEqual([])
})

test('a first visitor sees a shot being rendered, frame by frame, and a second visit starts none', async () => {
  page = await open('')
  const shot = cardOf(page, 'Harbour at dawn')
  await see(shot, /frame [1-9]\d* of 96/)
  await expect.poll(async () => Number(await shot.locator('rect.rendered').getAttribute('width'))).toBeGreaterThan(0)
  await see(page, '1 run, 0 lost')
  await open('')
  expect(await countOf('tools/call')).toBe(1)
})

test('the panel for developers is there', async () => {
  const shot = await render(page, 'Night train')
  await see(shot, 'Done')
  await openDevtools(page)
  await page.getByRole('option', { name: /^Night train completed/ }).waitFor()
  expect(complaints).toEqual([])
})

test('there is no switch to the server of the revision before, which needs Node', async () => {
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByRole('link', { name: 'Let the server push' }).waitFor()
  expect(await page.getByRole('link', { name: /2025-11-25/ }).count()).toBe(0)
})

test('a window without service workers says so', async () => {
  await context.addInitScript("Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: () => undefined })")
  await page.reload()
  await see(page.locator('main'), /this window cannot run one, like private windows/)
  expect(complaints).toEqual([])
})

test('a browser that takes its time says what it is waiting for', async () => {
  await context.addInitScript('navigator.serviceWorker.register = () => new Promise(() => {})')
  await page.reload()
  await see(page.locator('main'), 'Starting the demo')
  expect(complaints).toEqual([])
})

test('a browser that starts no service worker is quoted', async () => {
  await context.addInitScript("navigator.serviceWorker.register = () => Promise.reject(new Error('Storage is off.'))")
  await page.reload()
  await see(page.locator('main'), /Storage is off\./)
  expect(complaints).toEqual([])
})

test('a file that is opened without a server says what it needs', async () => {
  const opened = await context.newPage()
  await opened.goto(pathToFileURL(join(folder, 'index.html')).href)
  await see(opened.locator('body'), /has to come from a web server/)
})
