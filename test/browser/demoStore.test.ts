import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { workingRecord } from '../../src/tools/testing/workingRecord.js'
import { launchChromium } from './chromium.js'
import type { runContract } from './storePage.js'
import { startVitePage, type VitePage } from './vitePage.js'

let vite: VitePage
let browser: Browser
let page: Page

beforeAll(async () => {
  ;[vite, browser] = await Promise.all([
    startVitePage({
      title: 'A store',
      cache: 'store-test',
      packages: ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'idb', 'zod', 'zustand/vanilla'],
    }),
    launchChromium(),
  ])
  page = await browser.newPage()
  await page.goto(vite.url)
})

afterAll(async () => {
  await browser?.close()
  await vite?.close()
})

test('the store of the static site does what every store must', async () => {
  const outcome = await page.evaluate<Awaited<ReturnType<typeof runContract>>>(
    "import('/test/browser/storePage.ts').then(({ runContract }) => runContract())",
  )
  expect(outcome.failed).toEqual([])
  expect(outcome.passed).toBeGreaterThan(10)
})

test('the store of the static site tells others of changes, and lets one of two through', async () => {
  const record = JSON.stringify(workingRecord('a'))
  const outcome = await page.evaluate(
    `import('/test/browser/storePage.ts').then(({ shareStore }) => shareStore(${record}))`,
  )
  expect(outcome).toEqual({ told: ['a', 1], changes: 1, seen: 2 })
})
