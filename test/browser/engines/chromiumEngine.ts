import type { BrowserContext, Page } from 'playwright-core'
import { isShell, launchWindowed } from '../chromium.js'
import { type ContextOptions, type Engine, type EngineContext, type EngineOptions, VIEWPORT } from './engine.js'
import type { Tab } from './tab.js'

/** Chromium by Playwright, whose tabs all believe that they are in front, but for those of its window. */
export async function launchChromiumEngine({ hasWindow }: EngineOptions): Promise<Engine> {
  const source = hasWindow ? 'any' : 'light'
  const { browser, connect } = await launchWindowed({ source, ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  // In a headless shell no tab hides another one, and no page is kept to go back to.
  const isComplete = !(await isShell(browser))
  return {
    name: 'chromium',
    hidesTabs: isComplete,
    keepsPages: isComplete,
    // Without motion, so that axe does not measure colours on their way from one to the other.
    newContext: async (options) =>
      contextOf(await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' }), options),
    newWindow: async () => {
      const connection = await connect()
      const [window] = connection.contexts()
      if (window === undefined) throw new TypeError('The browser has no window.')
      const opened: Tab[] = []
      const context = contextOf(window)
      const open = async () => {
        const tab = await context.open()
        opened.push(tab)
        return tab
      }
      const close = async () => {
        await Promise.all(opened.map((tab) => tab.close()))
        await connection.close()
      }
      return { ...context, open, close }
    },
    close: () => browser.close(),
  }
}

function contextOf(context: BrowserContext, { onComplaint = () => {} }: ContextOptions = {}): EngineContext {
  const pageOf = (tab: Tab): Page => {
    const page = context.pages().find((one) => one === (tab as unknown))
    if (page === undefined) throw new TypeError('The tab is not of this context.')
    return page
  }
  return {
    open: async () => {
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') onComplaint(message.text())
      })
      page.on('pageerror', (error) => onComplaint(String(error)))
      return page
    },
    setOffline: (_, isOffline) => context.setOffline(isOffline),
    crash: async (tab) => {
      const page = pageOf(tab)
      const session = await context.newCDPSession(page)
      const crashed = page.waitForEvent('crash')
      // Nobody is left to answer.
      session.send('Page.crash').catch(() => {})
      await crashed
    },
    playwright: pageOf,
    close: () => context.close(),
  }
}
