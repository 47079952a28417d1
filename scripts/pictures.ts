// The pictures of the README: `npm run pictures`. The demo in Chromium, in a state that shows what it is about, dark and
// light, into docs/pictures. Beside them goes a hash of what they were made from, by which `npm run docs` tells when they
// are old.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { build } from 'vite'
import { launchChromium } from '../test/browser/chromium.js'
import { serveFiles } from '../test/browser/fileServer.js'
import { button, openDevtools, openQuestion, render, see, seeConnected } from '../test/browser/studioActions.js'
import { hashOfDemo, MAX_PICTURE_BYTES, PICTURES } from './pictureChecks.mjs'

const VIEWPORT = { width: 1440, height: 900 }

/** A render that is done, two at work, and two questions. */
async function work(page: Page): Promise<void> {
  await see(await render(page, 'Harbour at dawn', { seconds: 6 }), 'Done')
  await render(page, 'Low tide', { seconds: 60 })
  const shot = await render(page, 'Night train', { seconds: 20 })
  await button(page, 'Book a review').click()
  await openQuestion(page, 'Which room is the review in?')
  await see(shot, /\b(5\d|6\d) of 120\b/)
}

/** Its calls, with the polls of the one that is at work. */
async function inspect(page: Page): Promise<void> {
  await openDevtools(page)
  // High enough for the table of polls.
  for (let step = 0; step < 7; step++)
    await page.getByRole('separator', { name: 'Height of the panel' }).press('ArrowUp')
  await page
    .getByRole('option', { name: /^Night train working/ })
    .first()
    .click()
}

async function take(page: Page, session: CDPSession, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const file = `${PICTURES}/${name}-${colorScheme}.webp`
    const picture = await capture(session)
    await writeFile(file, picture)
    console.log(`${file}: ${Math.round(picture.length / 1000)} kB`)
  }
}

/** As good as it can be within the limit. */
async function capture(session: CDPSession, quality = 90): Promise<Buffer> {
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
  const picture = Buffer.from(data, 'base64')
  return picture.length <= MAX_PICTURE_BYTES || quality <= 10 ? picture : capture(session, quality - 10)
}

const folder = await mkdtemp(join(tmpdir(), 'taskwire-pictures-'))
await build({
  configFile: 'demo/vite.config.ts',
  mode: 'site',
  logLevel: 'error',
  build: { outDir: folder, emptyOutDir: true },
})
const [files, browser] = await Promise.all([serveFiles(folder, '/'), launchChromium({ source: 'any' })])
try {
  await mkdir(PICTURES, { recursive: true })
  const page = await browser.newPage({ viewport: VIEWPORT, deviceScaleFactor: 2, locale: 'en-GB', timezoneId: 'UTC' })
  const session = await page.context().newCDPSession(page)
  await page.goto(`${files.url}?still&poll`)
  await seeConnected(page)
  await work(page)
  await take(page, session, 'demo')
  await inspect(page)
  await take(page, session, 'devtools')
  await writeFile(`${PICTURES}/demo.hash`, `${hashOfDemo()}\n`)
} finally {
  await browser.close()
  files.close()
  await rm(folder, { recursive: true, force: true })
}
