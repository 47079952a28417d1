import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { defineTool } from 'taskwire/server'
import { createLiveServer, type ObservedServer } from 'taskwire/testing'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { serve } from '../cli/support/serve.js'
import { PATIENCE } from '../support/patience.js'
import { isShell, launchChromium, launchExtension } from './chromium.js'
import type { PlaceNews } from './litePlace.js'

let browser: Browser
let script = ''

/** One script, of this file and all that it imports. */
async function bundle(input: string): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { tsconfigPaths: true },
    build: { write: false, rolldownOptions: { input, output: { codeSplitting: false } } },
  })) as Rolldown.RolldownOutput
  return output.output[0].code
}

beforeAll(async () => {
  script = await bundle('test/browser/litePlace.ts')
  browser = await launchChromium({ source: 'any' })
})

afterAll(() => browser?.close())

interface World {
  readonly url: string
  readonly server: ObservedServer
  /** Lets the tool finish. */
  finish(): void
}

/** An app and its MCP server on one origin; the tool takes until the test lets it finish. */
async function startWorld(): Promise<World> {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const tool = (name: string) =>
    defineTool({
      name,
      inputSchema: z.object({}),
      taskSupport: 'required',
      async handler() {
        await finished
        return { content: [{ type: 'text', text: 'written' }] }
      },
    })
  const server = createLiveServer({
    tools: [tool('report'), tool('generate_report')],
    pollIntervalMs: 50,
    // An extension calls from an origin of its own.
    cors: true,
  })
  const url = await serve(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/mcp') return server.fetch(request)
    const [body, type] =
      pathname === '/place.js' ? [script, 'javascript'] : ['<!doctype html><title>App</title>', 'html']
    return new Response(body, { headers: { 'Content-Type': `text/${type}` } })
  })
  return { url: new URL('/', url).href, server, finish }
}

/** Collects what the worker of a page says, from now on. */
const listen = (page: Page) =>
  page.evaluate(() => {
    const told: unknown[] = []
    Object.assign(globalThis, { told })
    new BroadcastChannel('place').addEventListener('message', ({ data }) => told.push(data))
  })

const told = async (page: Page): Promise<PlaceNews> => {
  await page.waitForFunction(() => (globalThis as unknown as { told: unknown[] }).told.length > 0)
  return page.evaluate(() => (globalThis as unknown as { told: PlaceNews[] }).told[0] as PlaceNews)
}

/** Until the task was asked about: the worker has called the tool and follows the task. */
const polled = (server: ObservedServer, times: number) =>
  vi.waitFor(() => expect(server.count('tasks/get')).toBeGreaterThanOrEqual(times), { ...PATIENCE, interval: 20 })

const written: PlaceNews = { hasDocument: false, result: ['written'], problems: [] }

describe('the client of taskwire/lite without a document', () => {
  test('in a Web Worker, a call goes on in the next worker after the first was terminated', async () => {
    const { url, server, finish } = await startWorld()
    const page = await browser.newPage()
    await page.goto(url)
    await listen(page)
    const startWorker = () =>
      page.evaluate(
        () => Object.assign(globalThis, { worker: new Worker('/place.js', { type: 'module' }) }) && undefined,
      )

    await startWorker()
    await polled(server, 1)
    await page.evaluate(() => (globalThis as unknown as { worker: Worker }).worker.terminate())
    const before = server.count('tasks/get')
    await startWorker()
    await polled(server, before + 1)
    finish()

    expect(await told(page)).toEqual(written)
    expect(server.count('tools/call')).toBe(1)
    await page.close()
  })

  test('in a service worker, a call goes on after the browser has stopped the worker', async () => {
    const { url, server, finish } = await startWorld()
    const page = await browser.newPage()
    await page.goto(url)
    await listen(page)
    await page.evaluate(() => navigator.serviceWorker.register('/place.js', { type: 'module' }).then(() => undefined))
    await polled(server, 1)

    await stopServiceWorkers(page)
    const before = server.count('tasks/get')
    await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.postMessage('start'))
    await polled(server, before + 1)
    finish()

    expect(await told(page)).toEqual(written)
    expect(server.count('tools/call')).toBe(1)
    await page.close()
  })

  test('in the background of an extension, a call goes on after the browser has stopped the background', async (context) => {
    // A headless shell loads no extensions.
    if (await isShell(browser)) return context.skip()
    const { url, server, finish } = await startWorld()
    const folder = await extension(url, {
      'background.js': "import './server.js'\nimport './place.js'\nchrome.runtime.onMessage.addListener(() => {})\n",
      'server.js': `globalThis.MCP_URL = ${JSON.stringify(new URL('/mcp', url).href)}\n`,
      'place.js': script,
    })
    const extended = await launchExtension(folder)
    onTestFinished(() => extended.close())
    await polled(server, 1)

    const page = await extended.newPage()
    await page.goto(new URL('page.html', extended.url).href)
    await listen(page)
    await stopServiceWorkers(page)
    const before = server.count('tasks/get')
    await page.evaluate('chrome.runtime.sendMessage("start").catch(() => {})')
    await polled(server, before + 1)
    finish()

    expect(await told(page)).toEqual(written)
    expect(server.count('tools/call')).toBe(1)
  })
})

// docs/alarms.md has the background as a file.
test('the background of an extension is started by its alarm to follow a task, after the browser has stopped it', async (context) => {
  if (await isShell(browser)) return context.skip()
  const { url, server, finish } = await startWorld()
  const background = await bundle('docs/examples/extensionBackground.ts')
  const placeholder = 'https://mcp.example.com/mcp'
  expect(background).toContain(placeholder)
  const folder = await extension(url, {
    'background.js': background.replaceAll(placeholder, new URL('/mcp', url).href),
  })
  const extended = await launchExtension(folder)
  onTestFinished(() => extended.close())
  const page = await extended.newPage()
  await page.goto(new URL('page.html', extended.url).href)
  expect(await page.evaluate("chrome.runtime.sendMessage({ quarter: 'Q3' })")).toBe('started')
  await polled(server, 1)

  await stopServiceWorkers(page)
  await polled(server, server.count('tasks/get') + 1)
  await stopServiceWorkers(page)
  finish()
  await vi.waitFor(async () => expect(await page.evaluate('chrome.action.getBadgeText({})')).toBe('1'), {
    ...PATIENCE,
    interval: 20,
  })
  expect(server.count('tools/call')).toBe(1)
})

async function stopServiceWorkers(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await session.detach()
}

/** An unpacked extension of these files, whose background may speak to the server. */
async function extension(url: string, scripts: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwire-extension-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const manifest = {
    manifest_version: 3,
    name: 'Reports',
    version: '1.0.0',
    background: { service_worker: 'background.js', type: 'module' },
    permissions: ['alarms', 'storage'],
    action: {},
    host_permissions: [`${new URL(url).protocol}//${new URL(url).hostname}/*`],
  }
  const files = {
    ...scripts,
    'manifest.json': JSON.stringify(manifest),
    'page.html': '<!doctype html><title>Reports</title>',
  }
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
  return folder
}
