import { expect, test } from 'vitest'
import { type ChromiumSource, findChromium, launchChromium } from './chromium.js'

const isNpmPlatform = process.platform === 'linux' && process.arch === 'x64'

async function titleIn(source: ChromiumSource): Promise<string> {
  const browser = await launchChromium({ source })
  try {
    const page = await browser.newPage()
    await page.goto('data:text/html,<title>It runs</title>')
    return await page.title()
  } finally {
    await browser.close()
  }
}

test('the browser that the tests use starts and loads a page', async () => {
  expect(await titleIn('any')).toBe('It runs')
})

test.runIf(isNpmPlatform)('the browser from npm starts where none is installed', async () => {
  const found = await findChromium('any', { PATH: '' })
  expect(found.executablePath).toContain('chromium-')
  expect(await titleIn('npm')).toBe('It runs')
})

test('CHROMIUM_PATH comes before every other browser', async () => {
  expect(await findChromium('any', { ...process.env, CHROMIUM_PATH: process.execPath })).toEqual({
    executablePath: process.execPath,
  })
})

test('a wrong CHROMIUM_PATH is one line that says how to get a browser', async () => {
  const error = await findChromium('any', { CHROMIUM_PATH: '/nowhere/chromium' }).catch(String)
  expect(error).toBe(
    'Error: CHROMIUM_PATH is /nowhere/chromium, which is not an executable file. Install Chromium or Chrome, or set CHROMIUM_PATH to its executable (on Linux x64, `npm install` brings one).',
  )
})

test.runIf(process.platform === 'linux')(
  'a machine without a browser gets one line that says how to get one',
  async () => {
    const error = await findChromium('installed', { PATH: '' }).catch(String)
    expect(error).toMatch(/^Error: No Chromium found\. Install Chromium or Chrome, or set CHROMIUM_PATH [^\n]+$/)
  },
)
