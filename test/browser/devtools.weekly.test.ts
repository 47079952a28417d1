import type { Browser, Locator, Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { serve } from '../cli/support/serve.js'
import { PATIENCE } from '../support/patience.js'
import { launchChromium } from './chromium.js'
import { type DemoServer, startDemo } from './demoServer.js'

let browser: Browser
let page: Page
let complaints: string[]

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

beforeEach(async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  page = await context.newPage()
  complaints = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
})

afterEach(async () => {
  await page.context().close()
  expect(complaints).toEqual([])
})

const tab = (name: string): Locator => page.getByRole('tab', { name })
const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
const panel = (): Locator => page.getByRole('region', { name: 'Taskwire devtools' })
const focused = (): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent)

describe('the devtools of the demo', () => {
  let demo: DemoServer

  beforeAll(async () => {
    demo = await startDemo({ isBundled: true })
  })

  afterAll(() => demo?.close())

  beforeEach(async () => {
    await page.goto(`${demo.url}?poll&still`)
    await page.getByText('Connected', { exact: true }).waitFor(PATIENCE)
    await demo.clear()
  })

  /** Starts a render, and opens the panel on it. */
  async function open(): Promise<void> {
    await page.getByLabel('A render takes').selectOption('60 s')
    await button('Render Harbour at dawn').click()
    await button('Taskwire').click()
    await seeRow(/server interval/)
  }

  /** A row of the timeline. */
  const seeRow = (text: RegExp): Promise<void> =>
    panel().getByRole('row').filter({ hasText: text }).first().waitFor(PATIENCE)

  async function toggle(fault: string): Promise<void> {
    await tab('Faults').click()
    await button(fault).click()
    await tab('Calls').click()
  }

  /** Waits until the server was not heard for longer than three of its intervals. */
  const heardLongAgo = (): Promise<void> =>
    panel()
      .getByText(/[3-9]\.\d s ago/)
      .waitFor(PATIENCE)

  const countPolls = async () => (await demo.requests()).filter(({ method }) => method === 'tasks/get').length

  test('say why each poll came when it did, and what came of it', async () => {
    await open()
    await seeRow(/Task created.*interval 1\.00 s/)
    await seeRow(/Poll.*server interval.*1\.0\d s.*working.*in 1\.00 s, server interval/)
    await toggle('Answer 503')
    await seeRow(/Poll.*failure 1 \(http\)/)
    await toggle('Answer 503')
    await seeRow(/Poll.*backoff after a failure.*working/)
  })

  test('show the id of a call on one line, on a phone and on a wide screen', async () => {
    await open()
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const id = panel().locator('[data-fact="Call"] dd')
      expect(await id.textContent()).toHaveLength(28)
      expect((await id.boundingBox())?.height, `at ${width} pixels`).toBeLessThan(28)
    }
  })

  test('still have the polls before a reload, and say where that was', async () => {
    await open()
    await seeRow(/Poll.*first poll, one server interval.*working/)
    await page.reload()
    await page.getByText('Connected', { exact: true }).waitFor(PATIENCE)
    await seeRow(/Reload.*older rows: before the reload/)
    await seeRow(/Task created \(before the reload\)/)
    await seeRow(/Poll \(before the reload\).*first poll, one server interval/)
    await seeRow(/Task resumed/)
  })

  test('take the network away and give it back', async () => {
    await open()
    await toggle('Offline')
    await panel()
      .getByRole('option', { name: /offline/ })
      .waitFor(PATIENCE)
    await heardLongAgo()
    await page
      .getByText(/^Offline/)
      .first()
      .waitFor(PATIENCE)
    await toggle('Offline')
    await seeRow(/Poll.*back online.*working/)
  })

  test('lose one response, and delay the others', async () => {
    await open()
    await toggle('Lose the next answer')
    await seeRow(/Poll.*failure 1 \(network\)/)
    await tab('Faults').click()
    await panel().getByRole('button', { name: 'Lose the next answer', pressed: false }).waitFor(PATIENCE)
    await toggle('Slow')
    await seeRow(/Poll.*working.* in [3-9]\.\d\d s/)
  })

  test('stop the timers of the client, and let them go on', async () => {
    await open()
    await toggle('Freeze')
    const polls = await countPolls()
    await panel().getByText('next now').waitFor(PATIENCE)
    // A poll that was under way when the timers stopped still came.
    await heardLongAgo()
    expect(await countPolls()).toBeLessThanOrEqual(polls + 1)
    await toggle('Freeze')
    await vi.waitUntil(async () => (await countPolls()) > polls + 1, PATIENCE)
  })

  test('show messages without ids of tasks, and copy them as curl', async () => {
    await open()
    await tab('Wire').click()
    await panel()
      .getByRole('option', { name: /^tasks\/get 200/ })
      .first()
      .click()
    await button('Copy as curl').click()
    await panel().getByText('Copied.').waitFor(PATIENCE)
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).toContain(`curl -X POST '${demo.url}mcp'`)
    const [poll] = (await demo.requests()).filter(({ method }) => method === 'tasks/get')
    expect(poll?.name).toBeTruthy()
    await tab('Storage').click()
    await panel()
      .getByRole('option', { name: /^Harbour at dawn/ })
      .first()
      .click()
    await panel().getByRole('tabpanel', { name: 'Storage' }).getByText('(short hash)').waitFor(PATIENCE)
    for (const text of [command, await panel().textContent()]) expect(text).not.toContain(poll?.name)
  })

  test('are worked by keyboard alone', async () => {
    await button('Render Harbour at dawn').click()
    await button('Taskwire').focus()
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Calls')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('Wire')
    expect(await tab('Wire').getAttribute('aria-selected')).toBe('true')
    await panel()
      .getByRole('option', { name: /^tools\/call/ })
      .waitFor(PATIENCE)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('×')
    await page.keyboard.press('Tab')
    await page.keyboard.press('End')
    expect(await focused()).toMatch(/^server\/discover/)
    await button('Copy as curl').waitFor(PATIENCE)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Copy as curl')
    await page.keyboard.press('Escape')
    expect(await focused()).toBe('Taskwire')
    expect(await panel().count()).toBe(0)
  })

  test('list the calls that match what is typed, go through them by the arrow keys, and let go of those that have ended', async () => {
    await page.getByLabel('A render takes').selectOption('60 s')
    await button('Render Harbour at dawn').click()
    await button('Render Night train').click()
    await page.getByTestId('shot').filter({ hasText: 'Night train' }).getByRole('button', { name: 'Cancel' }).click()
    await button('Taskwire').click()
    const calls = panel().getByRole('listbox', { name: 'Calls' }).getByRole('option')
    await calls.filter({ hasText: /Night train.*cancelled/ }).waitFor(PATIENCE)
    await expect.poll(() => calls.count()).toBe(2)
    await calls.first().click()
    await page.keyboard.press('ArrowDown')
    await panel().getByRole('option', { selected: true }).filter({ hasText: 'Harbour at dawn' }).waitFor(PATIENCE)
    await page.keyboard.press('ArrowUp')
    await panel().getByRole('option', { selected: true }).filter({ hasText: 'Night train' }).waitFor(PATIENCE)

    await panel().getByRole('searchbox', { name: 'Filter the calls' }).fill('harbour')
    await expect.poll(() => calls.count()).toBe(1)
    await calls.filter({ hasText: 'Harbour at dawn' }).waitFor(PATIENCE)
    await panel().getByRole('searchbox', { name: 'Filter the calls' }).fill('')
    await expect.poll(() => calls.count()).toBe(2)
    await button('Clear').click()
    await expect.poll(() => calls.count()).toBe(1)
    await calls.filter({ hasText: 'Harbour at dawn' }).waitFor(PATIENCE)
  })

  test('write the timeline of a call into a file, and show it in a page that never made the call', async () => {
    await open()
    await seeRow(/Poll.*first poll, one server interval.*working/)
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export').click()])
    const other = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const second = await other.newPage()
    await second.goto(`${demo.url}?poll&still`)
    await second.getByText('Connected', { exact: true }).waitFor(PATIENCE)
    await second.getByRole('button', { name: 'Taskwire', exact: true }).click()
    const [chooser] = await Promise.all([
      second.waitForEvent('filechooser'),
      second.getByRole('button', { name: 'Load', exact: true }).click(),
    ])
    await chooser.setFiles(await download.path())
    const shown = second.getByRole('region', { name: 'Taskwire devtools' })
    await shown.getByRole('option', { name: /render_shot.*from a file/ }).click()
    await shown
      .getByRole('row')
      .filter({ hasText: /Poll.*first poll, one server interval/ })
      .waitFor(PATIENCE)
    await other.close()
  })

  test('are as high as the user drags their edge, also after a reload', async () => {
    await button('Taskwire').click()
    const edge = panel().getByRole('separator', { name: 'Height of the panel' })
    const at = async () => (await edge.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const { x, y, width, height } = await at()
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2, 200, { steps: 4 })
    await page.mouse.up()
    expect(Math.abs((await at()).y - 200)).toBeLessThan(12)
    await page.reload()
    await edge.waitFor(PATIENCE)
    expect(Math.abs((await at()).y - 200)).toBeLessThan(12)
  })

  test('move nothing while polls come and go', async () => {
    await open()
    const places = () =>
      panel().evaluate((root) => {
        const parts = root.querySelectorAll('.bar, .plot, .facts, .texts, .timeline, .option, .option .badge')
        return [...parts].map((part) => {
          const { x, y, width } = part.getBoundingClientRect()
          return [part.className, x, y, width]
        })
      })
    // The badge is as wide as its text, and begins where the server says something.
    await panel()
      .getByRole('option', { name: /working/ })
      .waitFor(PATIENCE)
    const before = await places()
    const polls = await countPolls()
    // On a busy machine a render is over after few polls, and says so.
    await vi.waitUntil(async () => (await countPolls()) > polls, PATIENCE)
    expect(await places()).toEqual(before)
  })
})

describe('the devtools of a page with a strict CSP and a thousand busy calls', () => {
  let script: string

  beforeAll(async () => {
    const { output } = (await build({
      configFile: false,
      logLevel: 'error',
      resolve: { tsconfigPaths: true },
      build: { write: false, rolldownOptions: { input: 'test/browser/devtoolsPage.ts' } },
    })) as Rolldown.RolldownOutput
    script = output[0].code
  })

  const PAGE =
    '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title><main><h1>App</h1></main><script type="module" src="/page.js"></script>'

  beforeEach(async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const app = await serve(async ({ url }) => {
      const isScript = url.endsWith('.js')
      return new Response(isScript ? script : PAGE, {
        headers: {
          'Content-Type': isScript ? 'text/javascript' : 'text/html',
          'Content-Security-Policy': "default-src 'none'; script-src 'self'; img-src data:",
        },
      })
    })
    await page.goto(app)
    await panel().getByRole('option').first().waitFor(PATIENCE)
  })

  test('look as they should, and answer to clicks', async () => {
    expect(await panel().getByRole('option').count()).toBe(50)
    expect(await panel().evaluate((root) => getComputedStyle(root).position)).toBe('fixed')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await panel().getByRole('option', { name: 'tool 990' }).click()
    await panel().getByText('c990', { exact: true }).waitFor(PATIENCE)
  })

  test('say how the buttons that break things are enabled', async () => {
    await tab('Faults').click()
    await panel()
      .getByText(/To enable these buttons, call createFaultInjection/)
      .waitFor(PATIENCE)
    expect(await button('Offline').isDisabled()).toBe(true)
  })
})
