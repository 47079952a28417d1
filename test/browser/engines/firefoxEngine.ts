import puppeteer, { type BrowserContext, type Page } from 'puppeteer-core'
import { type DrivenPage, drivenTab } from './drivenTab.js'
import { type ContextOptions, type Engine, type EngineContext, VIEWPORT, withoutPlaywright } from './engine.js'
import type { Tab } from './tab.js'

/** Firefox by WebDriver BiDi. */
export async function launchFirefox(executablePath: string): Promise<Engine> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    defaultViewport: VIEWPORT,
    extraPrefsFirefox: { 'ui.prefersReducedMotion': 1 },
  })
  return {
    name: 'firefox',
    hidesTabs: true,
    // It decides before the page is told that it is left, and could release the lock.
    keepsPages: false,
    newWindow: async () => contextOf(await browser.createBrowserContext()),
    newContext: async (options) => contextOf(await browser.createBrowserContext(), options),
    close: () => browser.close(),
  }
}

function contextOf(context: BrowserContext, { onComplaint = () => {} }: ContextOptions = {}): EngineContext {
  const pages = new Map<Tab, Page>()
  return {
    open: async () => {
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warn') onComplaint(message.text())
      })
      page.on('pageerror', (error) => onComplaint(String(error)))
      const tab = await drivenTab(drivenPage(page))
      pages.set(tab, page)
      return tab
    },
    setOffline: async (tab, isOffline) => pages.get(tab)?.setOfflineMode(isOffline),
    crash: (tab) => tab.close(),
    playwright: withoutPlaywright,
    close: () => context.close(),
  }
}

function drivenPage(page: Page): DrivenPage {
  return {
    goto: (url) => page.goto(url),
    reload: () => page.reload(),
    evaluate: (expression) => page.evaluate(expression),
    click: (x, y) => page.mouse.click(x, y),
    press: (key) => page.keyboard.press(key),
    bringToFront: () => page.bringToFront(),
    close: () => page.close(),
  }
}
