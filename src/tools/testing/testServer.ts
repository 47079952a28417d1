import type { Environment } from '../../core/environment/environment.js'
import { createObservedServer, type ObservedServer, type ObservedServerOptions } from './observedServer.js'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedBrowserOptions } from './simulatedBrowser.js'
import type { SimulatedPage } from './simulatedPage.js'

/** Options of {@link createTestServer}. */
export interface TestServerOptions extends ObservedServerOptions {
  /** How the browser is simulated. Its `fetch` is the server. */
  browser?: Omit<SimulatedBrowserOptions, 'fetch'>
}

/** A task server and a browser that live by one simulated clock, in which time moves only when the test moves it. */
export interface TestServer extends ObservedServer {
  /** Pass it as `environment` to `createTaskClient`: time, storage and network of `page`. */
  readonly environment: Environment
  /** Lets this many ms pass, for server and pages. In tests of React, call it inside `act`. */
  advance(ms: number): Promise<void>
  /** The page that has `environment`: switches its network and visibility, hides and closes it. */
  readonly page: SimulatedPage
  /** Clock and storage, and more pages: other tabs, or the page that comes after a reload. */
  readonly browser: SimulatedBrowser
}

/**
 * Creates everything a test of an app needs on the other side: a server with its tools, and a page with its
 * own time. No request leaves memory, and no test waits.
 *
 * @throws {TaskConfigurationError} that names the option that cannot be used.
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
  // A machine of its own, which keeps running when pages freeze or crash.
  const { setTimeout, clearTimeout } = browser.openPage().environment
  const server = createObservedServer(options, { now: browser.now, setTimeout, clearTimeout })
  const page = browser.openPage()
  return { ...server, environment: page.environment, advance: browser.advance, page, browser }
}
