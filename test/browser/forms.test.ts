import type { Browser } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from './chromium.js'

let browser: Browser
let script = ''

beforeAll(async () => {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { tsconfigPaths: true },
    build: { write: false, rolldownOptions: { input: 'test/browser/formPage.ts', output: { codeSplitting: false } } },
  })) as Rolldown.RolldownOutput
  script = output[0].code
  browser = await launchChromium()
})

afterAll(() => browser?.close())

test('fields with the names of what a form has itself are checked, focused and sent', async () => {
  const page = await browser.newPage()
  await page.setContent('<!doctype html><title>Forms</title>')
  await page.addScriptTag({ content: script, type: 'module' })
  const form = page.locator('form').nth(1)
  const elements = form.getByLabel('Your elements')
  await form.getByRole('button', { name: 'Submit' }).click()
  await form.getByText('This field is required.').waitFor()
  expect(await elements.evaluate((input) => input === document.activeElement)).toBe(true)

  // The first of several controls that share a name.
  await elements.fill('Earth')
  await elements.press('Enter')
  expect(await form.getByLabel('Europe').evaluate((box) => box === document.activeElement)).toBe(true)

  await form.getByLabel('Europe').check()
  await form.getByRole('button', { name: 'Submit' }).click()
  await form.getByText('Sent.').waitFor()
  expect(await page.locator('output').textContent()).toMatch('"content":{"elements":"Earth","regions":["Europe"]}')
})
