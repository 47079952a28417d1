import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { launchChromium } from '../browser/chromium.js'
import { freePort } from '../support/freePort.js'
import { PATIENCE } from '../support/patience.js'
import { createPackedApp, environment, type PackedApp } from './packedApp.js'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const teed = new URL('../gateway/teedServer.mjs', import.meta.url).pathname
const SLOW = 'trigger-long-running-operation'

let app: PackedApp
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  app = await createPackedApp({
    packages: [],
    without: ['react', '@tanstack/react-query', '@modelcontextprotocol/sdk'],
  })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await app?.remove()
})
beforeEach(async () => {
  context = await browser.newContext()
  onTestFinished(() => context.close())
})

/** The command of the packed package, in a process of its own, in front of a published server that speaks over stdio. */
async function start(...options: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-'))
  const [log, port] = [join(folder, 'log'), await freePort()]
  const behind = [process.execPath, teed, log, process.execPath, everything, 'stdio']
  const words = [
    app.bin('taskwire', 'dist/tools/cli/main.js'),
    'gateway',
    '--port',
    `${port}`,
    ...options,
    '--',
    ...behind,
  ]
  const command = spawn(process.execPath, words, {
    cwd: app.path,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve) => command.once('exit', resolve))
  onTestFinished(async () => {
    command.kill('SIGINT')
    await ended
    await rm(folder, { recursive: true })
  })
  const said = await greeting(command)
  return {
    said,
    url: `http://127.0.0.1:${port}`,
    async calls() {
      const messages = (await readFile(log, 'utf8')).trim().split('\n')
      const parsed = messages.map((line) => JSON.parse(line) as { method?: string; params?: { name: string } })
      return parsed.flatMap(({ method, params }) => (method === 'tools/call' ? [params?.name] : []))
    },
  }
}

async function greeting({ stdout }: ChildProcess): Promise<string> {
  const lines: string[] = []
  if (stdout === null) return ''
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line)
    if (line.includes('Ctrl+C')) break
  }
  return lines.join('\n')
}

async function open(url: string, tool?: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(tool === undefined ? url : `${url}/#${tool}`)
  return tab
}

const call = (tab: Page, tool: string) => tab.getByRole('button', { name: `Call ${tool}` }).click()
const reached = async (tab: Page): Promise<number> =>
  Number(await tab.locator('progress[value]').first().getAttribute('value'))

test('the page of the gateway shows a slow tool over a reload, a second tab and a cut network, which runs once', async () => {
  const { url, said, calls } = await start()
  expect(said).toContain(`16 tools at ${url}/mcp\nTry them in your browser: ${url}\n`)
  const tab = await open(url)
  await tab.getByRole('link', { name: SLOW }).click()
  await tab.getByLabel('duration').fill('10')
  await tab.getByLabel('steps').fill('10')
  await call(tab, SLOW)
  expect(await reached(tab)).toBeLessThan(9)
  await tab.reload()
  expect(await reached(tab)).toBeLessThan(9)
  const second = await open(url)
  const before = await reached(second)
  await context.setOffline(true)
  await second.getByText('The network is gone. The tool keeps running.').waitFor()
  await context.setOffline(false)
  await expect.poll(() => reached(second), PATIENCE).toBeGreaterThan(before)
  for (const each of [tab, second])
    await each.getByText('Long running operation completed. Duration: 10 seconds').waitFor()
  expect(await calls()).toEqual([SLOW])
})

test('the page answers what a server asks, shows pictures, cancels, and removes', async () => {
  const { url, calls } = await start('--tasks', 'trigger-elicitation-request,trigger-sampling-request')
  const tab = await open(url, 'trigger-elicitation-request')
  await call(tab, 'trigger-elicitation-request')
  await tab.getByLabel('String', { exact: true }).fill('Ada')
  await tab.reload()
  expect(await tab.getByLabel('String', { exact: true }).inputValue()).toBe('Ada')
  await tab.getByRole('button', { name: 'Submit' }).click()
  await tab.getByText('User provided the requested information').waitFor()
  await tab.goto(`${url}/#trigger-sampling-request`)
  await tab.getByLabel('prompt').fill('Say hello')
  await call(tab, 'trigger-sampling-request')
  await tab.getByLabel('Write the completion').fill('Hello from a person')
  await tab.getByRole('button', { name: 'Submit' }).click()
  await tab.getByText('Hello from a person').first().waitFor()
  await tab.goto(`${url}/#get-tiny-image`)
  await call(tab, 'get-tiny-image')
  const picture = tab.getByRole('img')
  await picture.waitFor()
  expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  await tab.goto(`${url}/#${SLOW}`)
  await tab.getByLabel('duration').fill('600')
  await call(tab, SLOW)
  await tab.getByRole('button', { name: `Cancel ${SLOW}` }).click()
  await tab.getByText('Cancelled', { exact: true }).waitFor()
  await tab.getByRole('button', { name: `Remove ${SLOW}` }).click()
  await tab.getByRole('heading', { name: SLOW, level: 3 }).waitFor({ state: 'detached' })
  expect(await calls()).toHaveLength(4)
})

test('the gateway pushes the progress of a task to the page, which does not poll for it', async () => {
  const { url } = await start('--tasks', SLOW)
  const methods: (string | undefined)[] = []
  context.on('request', (request) => methods.push(request.headers()['mcp-method']))
  const tab = await open(url, SLOW)
  await tab.getByLabel('duration').fill('6')
  await tab.getByLabel('steps').fill('6')
  await call(tab, SLOW)
  for (const count of ['2 of 6', '4 of 6']) await tab.getByText(count).waitFor()
  await tab.getByText('Long running operation completed. Duration: 6 seconds').waitFor()
  expect(methods).toContain('subscriptions/listen')
  // One look when the stream is open, in case something was missed before. Polls would have come each second.
  expect(methods.filter((method) => method === 'tasks/get').length).toBeLessThanOrEqual(2)
})

test('the page is used by keyboard alone, and says at a field what is wrong with it', async () => {
  const { url, calls } = await start()
  const tab = await open(url)
  await tab.getByRole('link', { name: 'get-sum' }).focus()
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { name: 'get-sum', level: 2 }).waitFor()
  await tab.keyboard.press('Tab')
  await tab.keyboard.press('Enter')
  expect(await tab.getByLabel('a', { exact: true }).evaluate((field) => field.matches(':focus:invalid'))).toBe(true)
  await tab.keyboard.type('2')
  await tab.keyboard.press('Tab')
  await tab.keyboard.type('3')
  await tab.keyboard.press('Enter')
  await tab.getByText('The sum of 2 and 3 is 5.').waitFor()
  expect(await calls()).toEqual(['get-sum'])
})

test.each([
  [360, 'light'],
  [1440, 'dark'],
] as const)(
  'the page fits a window of %i px, and axe finds nothing wrong with it in %s colours',
  async (width, colorScheme) => {
    const { url } = await start('--tasks', 'trigger-elicitation-request')
    const tab = await open(url, 'trigger-elicitation-request')
    await tab.emulateMedia({ colorScheme })
    await tab.setViewportSize({ width, height: 800 })
    await call(tab, 'trigger-elicitation-request')
    await tab.getByText('The server asks').waitFor()
    await tab.goto(`${url}/#echo`)
    await tab.getByLabel('message').fill('hi')
    await call(tab, 'echo')
    await tab.getByText('Echo: hi').waitFor()
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    expect((await new AxeBuilder({ page: tab }).setLegacyMode().analyze()).violations).toEqual([])
  },
)

test('the page asks for the token of the gateway, and other pages can neither call nor frame it', async () => {
  const token = 'f81d4fae7dec11d0a76500a0c91e6bf6'
  const { url } = await start('--token', token)
  const tab = await open(url)
  await tab.getByLabel('The gateway asks for its token').fill(token)
  await tab.getByRole('button', { name: 'Continue' }).click()
  await tab.getByText('16 tools at').waitFor()
  const { headers } = await fetch(url)
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('access-control-allow-origin')).toBeNull()
  const foreign = {
    method: 'POST',
    headers: { origin: 'http://evil.example', 'content-type': 'application/json' },
    body: '{}',
  }
  expect((await fetch(`${url}/mcp`, foreign)).status).toBe(403)
})

test('the page is left out with --no-page', async () => {
  const { url, said } = await start('--no-page')
  expect(said).not.toContain('browser')
  for (const path of ['/', '/page.js', '/page.css']) expect((await fetch(url + path)).status).toBe(404)
})
