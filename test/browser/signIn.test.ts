import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { launchChromium } from './chromium.js'
import { type SignInApp, startSignInApp } from './signInApp.js'

let browser: Browser
let context: BrowserContext
let app: SignInApp
/** What pages printed, and where they went. */
let printed: string[]
let requested: URL[]
let tokens: Set<string>

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

beforeEach(async () => {
  ;[app, context] = await Promise.all([startSignInApp(), browser.newContext()])
  printed = []
  requested = []
  tokens = new Set()
  context.on('console', (message) => printed.push(message.text()))
  context.on('request', (request) => {
    requested.push(new URL(request.url()))
    const token = request.headers()['authorization']?.replace('Bearer ', '')
    if (token) tokens.add(token)
  })
})

afterEach(async () => {
  await context.close()
  await app.close()
})

const shows = (page: Page, text: string): Promise<void> => page.locator('output', { hasText: text }).waitFor()

/** The user allows what the authorization server asks, or not. */
async function answer(page: Page, name: 'Allow' | 'Deny'): Promise<void> {
  await page.waitForURL(/\/interaction\//)
  await page.getByRole('link', { name }).click()
}

/** Signs in: allows what the authorization server asks, as often as it does, until the app is back. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  const isBack = page.locator('output', { hasText: 'connected' })
  const link = page.getByRole('link', { name: 'Allow' })
  for (;;) {
    await isBack.or(link).first().waitFor()
    if (await isBack.isVisible()) return
    const before = page.url()
    await link.click()
    await page.waitForURL((url) => url.href !== before)
  }
}

/** No token, code or verifier where it could be found later. */
async function expectNothingLeft(page: Page): Promise<void> {
  const codes = requested.map(({ searchParams }) => searchParams.get('code')).filter((code) => code !== null)
  const secrets = [...tokens, ...codes]
  expect(secrets.length).toBeGreaterThan(1)
  const { local, url } = await page.evaluate(() => ({ local: JSON.stringify({ ...localStorage }), url: document.URL }))
  for (const secret of secrets) expect([local, url, ...printed].join('\n')).not.toContain(secret)
  expect(local).not.toMatch(/verifier|access_token|refresh_token/)
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.endsWith(':flow')))).toEqual([])
  expect([...new Set(requested.map(({ hostname }) => hostname))]).toEqual(['127.0.0.1'])
}

test('a task goes on after its token has run out and the user has signed in again', async () => {
  const page = await context.newPage()
  await page.goto(app.url)
  await shows(page, 'unauthorized')
  await signIn(page)
  await shows(page, 'connected')
  await page.getByRole('button', { name: 'Report' }).click()
  await shows(page, 'connected, working, ok')
  await app.authorization.expireTokens()
  await shows(page, 'unauthorized, working, paused')
  expect(page.url()).toBe(app.url)

  await signIn(page)
  await shows(page, 'connected, working, ok')
  await app.finish()
  await shows(page, 'connected, completed, ok')
  expect(app.received('tools/call').filter(({ headers }) => headers.has('authorization'))).toHaveLength(1)
  expect(tokens.size).toBe(2)
  await expectNothingLeft(page)
})

test('a token that runs out is refreshed, and the user notices nothing', async () => {
  app.authorization.givesRefreshTokens = true
  app.authorization.tokenTtlS = 2
  const page = await context.newPage()
  await page.goto(app.url)
  await shows(page, 'unauthorized')
  await signIn(page)
  await shows(page, 'connected')
  await page.getByRole('button', { name: 'Report' }).click()
  await shows(page, 'connected, working, ok')
  await expect.poll(() => tokens.size, PATIENCE).toBeGreaterThan(2)
  await app.finish()
  await shows(page, 'connected, completed, ok')
  // A token that runs out before the call is taken is refreshed, too.
  expect(app.accepted('tools/call')).toBe(1)
  expect(app.authorization.requests.filter((one) => one === 'POST /reg')).toHaveLength(1)
  await expectNothingLeft(page)
})

test('a sign-in in a window of its own leaves the page where it is, and its task goes on', async () => {
  const page = await context.newPage()
  await page.goto(`${app.url}?popup`)
  await shows(page, 'unauthorized')
  await page.evaluate(() => {
    document.title = 'never left'
  })
  await inWindow(page)
  await shows(page, 'connected')
  await page.getByRole('button', { name: 'Report' }).click()
  await shows(page, 'connected, working, ok')
  await app.authorization.expireTokens()
  await shows(page, 'unauthorized, working, paused')
  await inWindow(page)
  await shows(page, 'connected, working, ok')
  await app.finish()
  await shows(page, 'connected, completed, ok')
  expect([await page.title(), context.pages().length]).toEqual(['never left', 1])
  expect(app.received('tools/call')).toHaveLength(1)
  await expectNothingLeft(page)
})

async function inWindow(page: Page): Promise<void> {
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('button', { name: 'Sign in' }).click(),
  ])
  const closed = popup.waitForEvent('close')
  const step = (action: Promise<void>) => Promise.race([closed, action.catch(() => {})])
  while (!popup.isClosed()) {
    const before = popup.url()
    await step(popup.getByRole('link', { name: 'Allow' }).click())
    await step(popup.waitForURL((url) => url.href !== before))
  }
}

test('a user who does not allow it sees what to do, and so does one with a callback of somebody else', async () => {
  const page = await context.newPage()
  await page.goto(app.url)
  await shows(page, 'unauthorized')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await answer(page, 'Deny')
  await shows(page, 'AuthorizationFailedError: Failed to sign in (access_denied): access was not granted.')
  expect(new URL(page.url()).search).toBe('')

  await page.goto(`${app.url}callback?code=stolen&state=foreign`)
  await shows(page, 'AuthorizationFailedError: Failed to sign in: this callback belongs to no sign-in')
  expect(app.authorization.requests).not.toContain('POST /token')
})
