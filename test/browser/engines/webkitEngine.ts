import { Builder, Capabilities, Key, type WebDriver } from 'selenium-webdriver'
import { freePort } from '../../support/freePort.js'
import { untilListening } from '../../support/untilListening.js'
import { type DrivenPage, drivenTab, runInPage } from './drivenTab.js'
import { type Engine, type EngineContext, VIEWPORT, withoutPlaywright } from './engine.js'
import { type ProgramOptions, startProgram } from './program.js'
import { startScreen } from './screen.js'
import type { Tab } from './tab.js'
import type { FoundWebKit } from './whyMissing.js'

const KEYS = { Tab: Key.TAB, Enter: Key.ENTER, Escape: Key.ESCAPE, ArrowDown: Key.ARROW_DOWN }

/** WebKit for GTK by WebDriver. Each context is a session of its own, whose windows are all visible. */
export async function launchWebKit({ driver, xvfb }: FoundWebKit): Promise<Engine> {
  const screen = xvfb === undefined ? undefined : await startScreen(xvfb)
  const env = {
    ...process.env,
    ...(screen && { DISPLAY: screen.display, GDK_BACKEND: 'x11' }),
    WEBKIT_DISABLE_DMABUF_RENDERER: '1',
  }
  return {
    name: 'webkit',
    hidesTabs: false,
    keepsPages: true,
    newContext: () => openContext(driver, env),
    newWindow: () => Promise.reject(new TypeError('WebKitWebDriver brings no tab to the front.')),
    // A browser that is still there ends with its screen.
    close: async () => screen?.end(),
  }
}

interface Session {
  readonly driver: WebDriver
  /** Its first window. */
  readonly first: string
  /** Ends it once what was asked of it last is done. */
  end(last: Promise<unknown>): Promise<void>
}

/** A browser, by a driver of its own: it serves one at a time. */
export async function openSession(path: string, options: ProgramOptions): Promise<Session> {
  const port = await freePort()
  const service = startProgram(path, [`--port=${port}`], options)
  const building = async () => {
    await untilListening(port)
    const driver = await new Builder()
      .disableEnvironmentOverrides()
      .usingServer(`http://127.0.0.1:${port}`)
      .withCapabilities(new Capabilities({ browserName: 'MiniBrowser' }))
      .build()
    return { driver, first: await driver.getWindowHandle() }
  }
  try {
    // A browser that ends before it can be driven, without a screen for instance, leaves the driver waiting for ever.
    const { driver, first } = await service.whileItRuns('open a session of WebKit', building())
    const end = async (last: Promise<unknown>) => {
      try {
        const quitting = last.then(() => driver.quit())
        await service.whileItRuns('end a session of WebKit', quitting)
      } finally {
        await service.end()
      }
    }
    return { driver, first, end }
  } catch (error) {
    await service.end()
    throw error
  }
}

async function openContext(path: string, env: NodeJS.ProcessEnv): Promise<EngineContext> {
  // A session ends with its last window, so the first one stays.
  const { driver, first, end } = await openSession(path, { env })
  let last: Promise<unknown> = Promise.resolve()
  /** A driver knows one window at a time, so what is done in them is done one after the other. */
  const inWindow = <T>(handle: string, body: () => Promise<T>): Promise<T> => {
    const next = last.then(async () => {
      await driver.switchTo().window(handle)
      return body()
    })
    last = next.catch(() => {})
    return next
  }
  const pages = new Map<Tab, DrivenPage>()
  return {
    open: async () => {
      // Not a tab, of which only the first is ever in front.
      const handle = await inWindow(first, async () => {
        await driver.switchTo().newWindow('window')
        await setViewport(driver)
        return driver.getWindowHandle()
      })
      const page = drivenPage(driver, (body) => inWindow(handle, body))
      const tab = await drivenTab(page)
      pages.set(tab, page)
      return tab
    },
    setOffline: async (tab, isOffline) => {
      const page = pages.get(tab)
      if (page) await runInPage(page, `(inPage) => inPage.setOffline(${isOffline})`)
    },
    crash: (tab) => tab.close(),
    playwright: withoutPlaywright,
    close: () => end(last),
  }
}

/** The bars of a window are as high as they are. */
async function setViewport(driver: WebDriver): Promise<void> {
  const window = driver.manage().window()
  await window.setRect({ x: 0, y: 0, ...VIEWPORT })
  const [width, height] = await driver.executeScript<[number, number]>('return [innerWidth, innerHeight]')
  await window.setRect({ width: 2 * VIEWPORT.width - width, height: 2 * VIEWPORT.height - height })
}

function drivenPage(driver: WebDriver, inWindow: <T>(body: () => Promise<T>) => Promise<T>): DrivenPage {
  return {
    goto: (url) => inWindow(() => driver.get(url)),
    reload: () => inWindow(() => driver.navigate().refresh()),
    evaluate: async (expression) => {
      const script = `const done = arguments[0]
        Promise.resolve().then(() => (${expression})).then((value) => done([value]), (error) => done([null, String(error)]))`
      const [value, problem] = await inWindow(() => driver.executeAsyncScript<[unknown, string?]>(script))
      if (problem !== undefined) throw new Error(problem)
      return value
    },
    click: (x, y) => inWindow(() => driver.actions().move({ x, y, duration: 0 }).press().release().perform()),
    press: (key) => inWindow(() => driver.actions().sendKeys(KEYS[key]).perform()),
    bringToFront: () => Promise.resolve(),
    close: () => inWindow(() => driver.close()),
  }
}
