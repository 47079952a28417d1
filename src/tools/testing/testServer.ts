import type { Environment } from '../../core/environment/environment.js'
import { createObservedServer, type ObservedServer, type ObservedServerOptions } from './observedServer.js'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedBrowserOptions } from './simulatedBrowser.js'
import type { SimulatedPage } from './simulatedPage.js'

/** Options of {@link createTestServer}. */
export interface TestServerOptions extends ObservedServerOptions {
  /** Options of the simulated browser. Its `fetch` is the server. */
  browser?: Omit<SimulatedBrowserOptions, 'fetch'>
}

/**
 * A task server and a browser that share one simulated time, which passes only when the test advances it. Setting the clock of the
 * browser does not set that of the server.
 */
export interface TestServer extends ObservedServer {
  /** The time, storage and network of `page`. Pass it as `environment` to `createTaskClient`. */
  readonly environment: Environment
  /** Advances the time of the server and the pages by this many ms. In tests of React, call it inside `act`. */
  advance(ms: number): Promise<void>
  /** The page with `environment`. Use it to switch the network and the visibility, and to hide or close the page. */
  readonly page: SimulatedPage
  /** The browser: its clock and storage, and more pages, such as other tabs or the page after a reload. */
  readonly browser: SimulatedBrowser
}

/**
 * Creates everything that a test of an app needs: a server with its tools, and a page with a simulated time. Requests stay
 * in memory, and tests do not wait.
 *
 * @throws {TaskConfigurationError} if an option cannot be used; the message names it.
 *
 * @example
 * ```ts
 * const server = createTestServer({ tools: [report] })
 * const client = createTaskClient({ url: server.url, environment: server.environment })
 * const call = client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q3' } })
 * await server.advance(5000)
 * expect(call.getState().phase).toBe('completed')
 * expect(server.count('tasks/get')).toBe(5)
 * ```
 */
export function createTestServer({ browser: browserOptions, ...options }: TestServerOptions): TestServer {
  const browser = createSimulatedBrowser({ ...browserOptions, fetch: (url, init) => server.fetch(url, init) })
  // A machine of its own, which keeps running when pages freeze or crash, and whose clock nobody sets.
  const { setTimeout, clearTimeout } = browser.openPage().environment
  let correction = 0
  const server = createObservedServer(options, { now: () => browser.now() - correction, setTimeout, clearTimeout })
  const page = browser.openPage()
  const setClock = (ms: number) => {
    browser.setClock(ms)
    correction += ms
  }
  return { ...server, environment: page.environment, advance: browser.advance, page, browser: { ...browser, setClock } }
}
